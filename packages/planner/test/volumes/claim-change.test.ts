// What a claim is asked for, how far a change of it is said to be, and whose Pod starts anew for it.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type NodeRecord, planNode, type VolumeGrowth, type VolumeRecord } from '../../src/index.ts';
import {
  claimChange,
  FILE_SYSTEM_PATIENCE_MS,
  isVolumeRestartDue,
  PROVIDER_PATIENCE_MS,
  volumeHold,
  volumePatienceLeftMs,
} from '../../src/volumes/claim-change.ts';
import { NOW_MS, node, nodeObservation, pod, volume } from '../support/builders.ts';

const asked = (size: string, attributesClass?: string) => ({ size, attributesClass });
const grown: Partial<NodeRecord> = { storage: asked('20Gi') };
const claim = (change: Partial<VolumeRecord>): VolumeRecord => volume(0, { requestedSize: '20Gi', ...change });
const fileSystem = (agoMs: number): VolumeGrowth => ({ kind: 'fileSystem', sinceMs: NOW_MS - agoMs });
const oldPod = pod(0, { createdAtMs: NOW_MS - 3_600_000 });
const standing = (change: Partial<VolumeRecord>, more: Partial<NodeRecord> = {}): NodeRecord =>
  node(0, { ...grown, pod: oldPod, volume: claim(change), ...more });
const changing = (agoMs: number): Partial<NodeRecord> => ({
  volumeCondition: { reason: 'VolumeChanging', sinceMs: NOW_MS - agoMs },
});
const said = (one: NodeRecord) => volumeHold(one, NOW_MS)?.reason;

describe('what a claim is asked for', () => {
  const ROWS: readonly (readonly [string, Partial<NodeRecord>, unknown])[] = [
    ['nothing while it asks for the size', {}, undefined],
    ['a larger size', grown, { size: '20Gi' }],
    ['nothing for the same size in other words', { storage: asked('10240Mi') }, undefined],
    [
      'nothing for one that a person has grown by hand',
      { volume: volume(0, { requestedSize: '50Gi' }), ...grown },
      undefined,
    ],
    ['other attributes', { storage: asked('10Gi', 'fast') }, { attributesClass: 'fast' }],
    ['both at once', { storage: asked('20Gi', 'fast') }, { size: '20Gi', attributesClass: 'fast' }],
    ['nothing of one that is not bound yet', { ...grown, volume: volume(0, { isBound: false }) }, undefined],
    ['nothing of one that is being deleted', { ...grown, volume: volume(0, { isTerminating: true }) }, undefined],
    ['nothing of another one than its own', { ...grown, volume: volume(0, { uid: 'another' }) }, undefined],
    ['nothing where there is none', { ...grown, volume: undefined }, undefined],
  ];
  for (const [what, change, expected] of ROWS)
    it(`is ${what}`, () => expect(claimChange(node(0, change))).to.deep.equal(expected));

  it('is one write of the node, before its Pod', () => {
    const one = node(0, { ...grown, pod: undefined });
    expect(planNode(nodeObservation(one)).step).to.deep.equal({
      kind: 'changeClaim',
      volume: one.volume,
      change: { size: '20Gi' },
    });
  });
  it('is not asked for again while a refusal is fresh: the node goes on, and looks again in its time', () => {
    const volumeRefusal = { message: 'no', leftMs: 9_000 };
    const plan = planNode(nodeObservation(node(0, { ...grown, pod: undefined }), { volumeRefusal }));
    expect(plan.step?.kind).to.equal('createPod');
    const rested = planNode(nodeObservation(node(0, grown), { volumeRefusal }));
    expect([rested.step, rested.requeueAfterMs]).to.deep.equal([undefined, 9_000]);
  });
  it('is nobody’s to write while the cluster is paused, or the node goes', () => {
    expect(planNode(nodeObservation(node(0, grown), { parent: 'paused' })).step).to.equal(undefined);
    const going = node(0, { ...grown, isDeleting: true });
    expect(planNode(nodeObservation(going)).step?.kind).to.not.equal('changeClaim');
  });
});

describe('how far a volume is', () => {
  const ROWS: readonly (readonly [string, NodeRecord, string | undefined])[] = [
    ['nothing to say of one that has what is asked for', node(0), undefined],
    ['on its way before the claim asks', node(0, grown), 'VolumeChanging'],
    ['refused', node(0, { ...grown, volumeRefused: 'may not' }), 'VolumeChangeRefused'],
    ['on its way at the provider', standing({}), 'VolumeChanging'],
    ['not known where the claim does not say what it has', standing({ capacity: undefined }), undefined],
    ['failed by its word', standing({ growth: { kind: 'failed', message: 'no space' } }), 'VolumeChangeStuck'],
    ['with its file system for a minute', standing({ growth: fileSystem(FILE_SYSTEM_PATIENCE_MS) }), 'VolumeChanging'],
    ['awaiting a restart then', standing({ growth: fileSystem(FILE_SYSTEM_PATIENCE_MS + 1) }), 'VolumeAwaitsRestart'],
    ['grown, whatever an old condition says', standing({ capacity: '20Gi', growth: fileSystem(600_000) }), undefined],
    ['at the provider for ten minutes', standing({}, changing(PROVIDER_PATIENCE_MS)), 'VolumeChanging'],
    ['stuck there then', standing({}, changing(PROVIDER_PATIENCE_MS + 1)), 'VolumeChangeStuck'],
    [
      'with other attributes on their way',
      node(0, {
        storage: asked('10Gi', 'fast'),
        volume: volume(0, { attributes: { asked: 'fast', current: undefined, problem: undefined } }),
      }),
      'VolumeChanging',
    ],
    [
      'with attributes that are not feasible',
      node(0, {
        storage: asked('10Gi', 'fast'),
        volume: volume(0, { attributes: { asked: 'fast', current: 'slow', problem: 'infeasible' } }),
      }),
      'VolumeChangeStuck',
    ],
    [
      'stuck for as long as the claim says nothing new',
      standing({}, { volumeCondition: { reason: 'VolumeChangeStuck', sinceMs: NOW_MS } }),
      'VolumeChangeStuck',
    ],
    ['nobody’s matter when it is lost', standing({ uid: 'another' }), undefined],
  ];
  for (const [what, one, expected] of ROWS) it(`is ${what}`, () => expect(said(one)).to.equal(expected));

  it('is checked again when the next would be reported: no event ever comes', () => {
    expect(volumePatienceLeftMs(standing({ growth: fileSystem(10_000) }), NOW_MS)).to.equal(50_001);
    expect(volumePatienceLeftMs(standing({}, changing(60_000)), NOW_MS)).to.equal(540_001);
    expect(volumePatienceLeftMs(node(0), NOW_MS)).to.equal(undefined);
  });
  it('names the claim, what it has and what is asked for', () => {
    expect(volumeHold(standing({}), NOW_MS)?.message).to.equal(
      'PersistentVolumeClaim data-demo-0 asks for 20Gi and has 10Gi: its provider is at it',
    );
  });
});

describe('a restart for a volume', () => {
  const waited = FILE_SYSTEM_PATIENCE_MS + 1;
  it('is due when its host has not resized the file system in time', () => {
    expect(isVolumeRestartDue(standing({ growth: fileSystem(waited) }), NOW_MS)).to.equal(true);
    expect(isVolumeRestartDue(standing({ growth: fileSystem(waited - 1) }), NOW_MS)).to.equal(false);
  });
  it('is due once: a Pod that started since then is left alone, and that it was in vain is said', () => {
    const again = standing({ growth: fileSystem(waited) }, { pod: pod(0, { createdAtMs: NOW_MS - 1_000 }) });
    expect(isVolumeRestartDue(again, NOW_MS)).to.equal(false);
    expect(said(again)).to.equal('VolumeChangeStuck');
  });
  it('is not due where there is no Pod to restart, or the volume has grown', () => {
    expect(isVolumeRestartDue(standing({ growth: fileSystem(waited) }, { pod: undefined }), NOW_MS)).to.equal(false);
    expect(isVolumeRestartDue(standing({ growth: fileSystem(waited), capacity: '20Gi' }), NOW_MS)).to.equal(false);
  });
});
