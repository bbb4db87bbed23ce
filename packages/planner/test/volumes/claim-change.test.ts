// What a claim is asked for, how far a change of it is reported to be, and which Pod is restarted for it.

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

describe('the change that a claim is asked for', () => {
  const ROWS: readonly (readonly [string, Partial<NodeRecord>, unknown])[] = [
    ['nothing while the claim asks for the right size', {}, undefined],
    ['a larger size', grown, { size: '20Gi' }],
    ['nothing for another notation of the same size', { storage: asked('10240Mi') }, undefined],
    [
      'nothing for a claim that a person has made larger',
      { volume: volume(0, { requestedSize: '50Gi' }), ...grown },
      undefined,
    ],
    ['other attributes', { storage: asked('10Gi', 'fast') }, { attributesClass: 'fast' }],
    ['both at once', { storage: asked('20Gi', 'fast') }, { size: '20Gi', attributesClass: 'fast' }],
    ['nothing while the claim is not bound', { ...grown, volume: volume(0, { isBound: false }) }, undefined],
    ['nothing while the claim is being deleted', { ...grown, volume: volume(0, { isTerminating: true }) }, undefined],
    ['nothing for a claim that is not the node’s own', { ...grown, volume: volume(0, { uid: 'another' }) }, undefined],
    ['nothing without a claim', { ...grown, volume: undefined }, undefined],
  ];
  for (const [what, change, expected] of ROWS)
    it(`is ${what}`, () => expect(claimChange(node(0, change))).to.deep.equal(expected));

  it('is one write of the node, made before its Pod', () => {
    const one = node(0, { ...grown, pod: undefined });
    expect(planNode(nodeObservation(one)).step).to.deep.equal({
      kind: 'changeClaim',
      volume: one.volume,
      change: { size: '20Gi' },
    });
  });
  it('is not asked for again soon after a refusal: the node goes on, and has a requeue', () => {
    const volumeRefusal = { message: 'no', leftMs: 9_000 };
    const plan = planNode(nodeObservation(node(0, { ...grown, pod: undefined }), { volumeRefusal }));
    expect(plan.step?.kind).to.equal('createPod');
    const rested = planNode(nodeObservation(node(0, grown), { volumeRefusal }));
    expect([rested.step, rested.requeueAfterMs]).to.deep.equal([undefined, 9_000]);
  });
  it('is not written while the cluster is paused, or for a node that goes', () => {
    expect(planNode(nodeObservation(node(0, grown), { parent: 'paused' })).step).to.equal(undefined);
    const going = node(0, { ...grown, isDeleting: true });
    expect(planNode(nodeObservation(going)).step?.kind).to.not.equal('changeClaim');
  });
});

describe('the reported progress of a change', () => {
  const ROWS: readonly (readonly [string, NodeRecord, string | undefined])[] = [
    ['nothing for a claim that has what is asked for', node(0), undefined],
    ['under way before the claim asks for it', node(0, grown), 'VolumeChanging'],
    ['refused', node(0, { ...grown, volumeRefused: 'may not' }), 'VolumeChangeRefused'],
    ['under way at the provider', standing({}), 'VolumeChanging'],
    ['unknown while the claim does not report its size', standing({ capacity: undefined }), undefined],
    [
      'stuck when the claim reports a failure',
      standing({ growth: { kind: 'failed', message: 'no space' } }),
      'VolumeChangeStuck',
    ],
    [
      'under way for a minute at the file system',
      standing({ growth: fileSystem(FILE_SYSTEM_PATIENCE_MS) }),
      'VolumeChanging',
    ],
    [
      'a wait for a restart after that',
      standing({ growth: fileSystem(FILE_SYSTEM_PATIENCE_MS + 1) }),
      'VolumeAwaitsRestart',
    ],
    [
      'nothing once the volume has grown, whatever an old condition says',
      standing({ capacity: '20Gi', growth: fileSystem(600_000) }),
      undefined,
    ],
    ['under way for ten minutes at the provider', standing({}, changing(PROVIDER_PATIENCE_MS)), 'VolumeChanging'],
    ['stuck after that', standing({}, changing(PROVIDER_PATIENCE_MS + 1)), 'VolumeChangeStuck'],
    [
      'under way for other attributes',
      node(0, {
        storage: asked('10Gi', 'fast'),
        volume: volume(0, { attributes: { asked: 'fast', current: undefined, problem: undefined } }),
      }),
      'VolumeChanging',
    ],
    [
      'stuck for attributes that are not feasible',
      node(0, {
        storage: asked('10Gi', 'fast'),
        volume: volume(0, { attributes: { asked: 'fast', current: 'slow', problem: 'infeasible' } }),
      }),
      'VolumeChangeStuck',
    ],
    [
      'stuck for as long as the claim reports nothing new',
      standing({}, { volumeCondition: { reason: 'VolumeChangeStuck', sinceMs: NOW_MS } }),
      'VolumeChangeStuck',
    ],
    ['nothing when the volume is lost', standing({ uid: 'another' }), undefined],
  ];
  for (const [what, one, expected] of ROWS) it(`is ${what}`, () => expect(said(one)).to.equal(expected));

  it('is looked at again when the next report is due, since no event will cause it', () => {
    expect(volumePatienceLeftMs(standing({ growth: fileSystem(10_000) }), NOW_MS)).to.equal(50_001);
    expect(volumePatienceLeftMs(standing({}, changing(60_000)), NOW_MS)).to.equal(540_001);
    expect(volumePatienceLeftMs(node(0), NOW_MS)).to.equal(undefined);
  });
  it('names the claim, its size and the size that is asked for', () => {
    expect(volumeHold(standing({}), NOW_MS)?.message).to.equal(
      'PersistentVolumeClaim data-demo-0 asks for 20Gi and has 10Gi: its provider is at it',
    );
  });
});

describe('a restart for the sake of a volume', () => {
  const waited = FILE_SYSTEM_PATIENCE_MS + 1;
  it('is due when the host has not resized the file system in time', () => {
    expect(isVolumeRestartDue(standing({ growth: fileSystem(waited) }), NOW_MS)).to.equal(true);
    expect(isVolumeRestartDue(standing({ growth: fileSystem(waited - 1) }), NOW_MS)).to.equal(false);
  });
  it('is due once: a Pod that started since then is left alone, and the failure is reported', () => {
    const again = standing({ growth: fileSystem(waited) }, { pod: pod(0, { createdAtMs: NOW_MS - 1_000 }) });
    expect(isVolumeRestartDue(again, NOW_MS)).to.equal(false);
    expect(said(again)).to.equal('VolumeChangeStuck');
  });
  it('is not due without a Pod, or when the volume has grown', () => {
    expect(isVolumeRestartDue(standing({ growth: fileSystem(waited) }, { pod: undefined }), NOW_MS)).to.equal(false);
    expect(isVolumeRestartDue(standing({ growth: fileSystem(waited), capacity: '20Gi' }), NOW_MS)).to.equal(false);
  });
});
