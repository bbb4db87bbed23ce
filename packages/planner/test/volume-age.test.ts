// How old a kept volume is, and which ones a new node may take up. gcGraceSeconds is one hour unless a row says
// otherwise.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { detachedVolumeStates, reusableForMs, type VolumeRecord, volumeAge } from '../src/index.ts';
import { NOW_MS, nodes, observation, volume } from './support/builders.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
type ClusterChange = NonNullable<Parameters<typeof observation>[0]>['cluster'];

const seen = (volumes: readonly VolumeRecord[], cluster: ClusterChange = {}) =>
  observation({
    volumes: [...nodes(3).flatMap((node) => node.volume ?? []), ...volumes],
    cluster: { ...cluster, spec: { gcGraceSeconds: 3_600, ...cluster?.spec } },
  });
const ageOf = (change: Partial<VolumeRecord>, cluster: ClusterChange = {}) => {
  const kept = volume(5, change);
  return volumeAge(seen([kept], cluster), kept);
};
const known = (lastActiveMs: number) => ({ kind: 'known', lastActiveMs });
const text = (ms: number) => new Date(ms).toISOString();

const isReusable = (kept: VolumeRecord): boolean =>
  detachedVolumeStates(seen([kept])).some(({ state }) => state === 'Reusable');

describe('the time since which a kept volume is unused', () => {
  const entry = { pvcName: 'data-demo-5', pvcUID: 'volume-uid-5', nodeId: 5 };

  it('is unknown when nothing records it', () => {
    expect(ageOf({})).to.deep.equal({ kind: 'unknown' });
  });
  it('is when its member was last Active', () => {
    expect(ageOf({ lastActiveAtMs: NOW_MS - HOUR_MS, detachedAtMs: NOW_MS - MINUTE_MS })).to.deep.equal(
      known(NOW_MS - HOUR_MS),
    );
  });
  it('is when it was let go when nothing else is known', () => {
    expect(ageOf({ detachedAtMs: NOW_MS - MINUTE_MS })).to.deep.equal(known(NOW_MS - MINUTE_MS));
  });
  it('is the earlier of two times that contradict each other', () => {
    expect(ageOf({ lastActiveAtMs: NOW_MS, detachedAtMs: NOW_MS - HOUR_MS })).to.deep.equal(known(NOW_MS - HOUR_MS));
  });
  it('is the time in the status when the volume itself has none', () => {
    const detachedVolumes = [{ ...entry, detachedAt: text(NOW_MS - MINUTE_MS), lastActiveAt: text(NOW_MS - HOUR_MS) }];
    expect(ageOf({}, { detachedVolumes })).to.deep.equal(known(NOW_MS - HOUR_MS));
  });
  it('is not the time in the status of another volume with the same name', () => {
    const detachedVolumes = [{ ...entry, pvcUID: 'another', detachedAt: text(NOW_MS) }];
    expect(ageOf({}, { detachedVolumes })).to.deep.equal({ kind: 'unknown' });
  });
  it('is unknown when the status lists it without a valid time', () => {
    expect(ageOf({}, { detachedVolumes: [entry] })).to.deep.equal({ kind: 'unknown' });
    expect(ageOf({}, { detachedVolumes: [{ ...entry, detachedAt: 'soon' }] })).to.deep.equal({ kind: 'unknown' });
  });
  it('is now when its node was in the last status, so that it vanished a moment ago (F57)', () => {
    expect(ageOf({}, { instanceNames: ['demo-5'] })).to.deep.equal(known(NOW_MS));
    expect(ageOf({}, { instanceNames: ['demo-55'] })).to.deep.equal({ kind: 'unknown' });
  });
  it('is unknown when its time is more than a minute in the future, since some clock was wrong', () => {
    expect(ageOf({ detachedAtMs: NOW_MS + MINUTE_MS }).kind).to.equal('known');
    expect(ageOf({ detachedAtMs: NOW_MS + MINUTE_MS + 1 })).to.deep.equal({ kind: 'unknown' });
  });
});

describe('a kept volume may be taken up again', () => {
  const table: readonly (readonly [number, number])[] = [
    [1, 0],
    [60, 0],
    [61, 1_000],
    [600, 600_000 - MINUTE_MS],
    [601, 601_000 - 60_100],
    [3_600, 3_240_000],
    [864_000, 777_600_000],
    [8_640_000, 8_640_000_000 - 86_400_000],
  ];
  for (const [graceSeconds, forMs] of table)
    it(`for ${forMs} ms at gcGraceSeconds ${graceSeconds}: a tenth less, at least a minute, at most a day`, () => {
      expect(reusableForMs(graceSeconds)).to.equal(forMs);
    });

  for (const [ageMs, expected] of [
    [0, true],
    [HOUR_MS / 2, true],
    [3_240_000 - 1, true],
    [3_240_000, false],
    [HOUR_MS, false],
    [2 * HOUR_MS, false],
  ] as const)
    it(`${expected ? '' : 'not '}when its member was Active ${ageMs} ms ago`, () => {
      const kept = volume(5, { lastActiveAtMs: NOW_MS - ageMs });
      expect(isReusable(kept)).to.equal(expected);
    });

  it('not while it is being deleted, however recently it was in use', () => {
    const kept = volume(5, { lastActiveAtMs: NOW_MS, isTerminating: true });
    expect(isReusable(kept)).to.equal(false);
  });
});

describe('the list of kept volumes', () => {
  it('names each one without a node, by id, with its state and times', () => {
    const volumes = [
      volume(10, { detachedAtMs: NOW_MS - HOUR_MS, isTerminating: true }),
      volume(9),
      volume(8, { lastActiveAtMs: NOW_MS - 2 * HOUR_MS, detachedAtMs: NOW_MS - HOUR_MS }),
      volume(7, { detachedAtMs: NOW_MS - MINUTE_MS }),
    ];
    const states = detachedVolumeStates(seen(volumes)).map(({ volume: { nodeId }, ...rest }) => [nodeId, rest]);
    expect(states).to.deep.equal([
      [7, { state: 'Reusable', detachedAt: '2026-01-01T00:09:00Z', lastActiveAt: undefined }],
      [8, { state: 'TooOld', detachedAt: '2025-12-31T23:10:00Z', lastActiveAt: '2025-12-31T22:10:00Z' }],
      [9, { state: 'AgeUnknown', detachedAt: undefined, lastActiveAt: undefined }],
      [10, { state: 'Terminating', detachedAt: '2025-12-31T23:10:00Z', lastActiveAt: undefined }],
    ]);
  });

  it('excludes a volume of a node and a copy that only has its labels', () => {
    expect(detachedVolumeStates(seen([volume(5, { name: 'copy-of-data-demo-5' })]))).to.deep.equal([]);
  });

  it('lists a volume whose node vanished as let go now', () => {
    const [first] = detachedVolumeStates(seen([volume(5)], { instanceNames: ['demo-5'] }));
    expect(first).to.deep.include({ state: 'Reusable', detachedAt: '2026-01-01T00:10:00Z' });
  });
});
