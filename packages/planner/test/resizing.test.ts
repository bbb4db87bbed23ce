// Other resources for members that run: which Pods are resized in place, how far that is, and when it is given up for
// a restart. Pure.

import type { Operation } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type ClusterObservation,
  type ComputeResources,
  isUpdated,
  type NodeRecord,
  type PodRecord,
  type PodResources,
  planCluster,
  planNode,
  wayOfTurn,
} from '../src/index.ts';
import { stampSteps } from '../src/templates/template-without-turn.ts';
import { isInForce } from '../src/values/compute-resources.ts';
import {
  HASH,
  keptRevisions,
  NOW_MS,
  node,
  nodeObservation,
  nodes,
  observation,
  pod,
  podResources,
  SMALL,
  withNode,
} from './support/builders.ts';
import { factsOfAll } from './support/facts.ts';

const NEXT = 'bbbbbbbbbbbbbbbb';
const OTHER = 'cccccccccccccccc';
const LARGE: ComputeResources = { cpu: '750m', memory: '2Gi' };
type Change = NonNullable<Parameters<typeof observation>[0]>;

/** Templates that differ only in their resources. */
const revisions = keptRevisions([HASH, NEXT]).map((record) => ({
  ...record,
  restartHash: 'all else',
  resources: record.hash === NEXT ? LARGE : SMALL,
}));
/** Three members with 1Gi; 2Gi is asked for. */
const changed = ({ cluster = {}, ...rest }: Change = {}): ClusterObservation =>
  observation({ facts: factsOfAll([0, 1, 2]), revisions, cluster: { templateHash: NEXT, ...cluster }, ...rest });

const PERMIT = { podUid: 'pod-uid-2', revision: NEXT, operationId: '2-x' };
/** demo-2 with a permit to be resized in place to 2Gi. */
const permitted = (podChange: Partial<PodRecord> = {}, change: Partial<NodeRecord> = {}): NodeRecord =>
  node(2, { templateHash: NEXT, resources: LARGE, resize: PERMIT, pod: pod(2, podChange), ...change });
const asked = (change: Partial<PodResources> = {}): PodResources =>
  podResources(LARGE, { effective: podResources(SMALL).asked, ...change });
const DONE: Partial<PodRecord> = { templateHash: NEXT, resources: podResources(LARGE), resizedBy: PERMIT.operationId };

const at = (ms: number) => new Date(ms).toISOString();
const turn = (forMs = 1_000): Operation => ({
  id: PERMIT.operationId,
  type: 'Roll',
  roll: { name: 'demo-2', uid: 'node-uid-2', nodeId: 2, podUID: 'pod-uid-2', previous: HASH },
  specGeneration: 1,
  phase: 'Resizing',
  startedAt: at(NOW_MS - forMs),
  timeline: [{ phase: 'Resizing', at: at(NOW_MS - forMs) }],
});
const resizing = (own: NodeRecord, { forMs, ...change }: Change & { readonly forMs?: number } = {}) =>
  planCluster(
    changed({
      nodes: withNode(nodes(3), 2, own),
      ...change,
      cluster: { operation: turn(forMs), ...change.cluster },
    }),
  );

describe('the way in which a turn is carried out', () => {
  const WAYS: readonly (readonly [string, Change, string])[] = [
    ['in place, when only resources grow', {}, 'resize'],
    ['with a restart, when the API server does not offer another', { resizeSupport: 'absent' }, 'restart'],
    ['not known, before the API server has said what it offers', { resizeSupport: 'unknown' }, 'unknown'],
    ['with a restart, when anything else differs', { revisions: keptRevisions([HASH, NEXT]) }, 'restart'],
    [
      'with a restart, when what it was made from is not stored',
      { revisions: revisions.filter(({ hash }) => hash === NEXT) },
      'restart',
    ],
    [
      'with a restart, when the stored template is not what its name says',
      { revisions: revisions.map((one) => (one.hash === HASH ? { ...one, isValid: false } : one)) },
      'restart',
    ],
    [
      'in place, when CPU is taken from it',
      { revisions: revisions.map((one) => ({ ...one, resources: { cpu: '100m', memory: '1Gi' } })) },
      'resize',
    ],
  ];
  for (const [title, change, way] of WAYS)
    it(`is ${title}`, () => {
      expect(wayOfTurn(changed(change), node(2))).to.equal(way);
    });

  const effective = (text: string | undefined) => ({
    resources: podResources(LARGE, {
      effective: text === undefined ? undefined : podResources({ cpu: '500m', memory: text }).asked,
    }),
  });
  const PODS: readonly (readonly [string, Partial<PodRecord>, string])[] = [
    ['in place, when its memory stays as it is', effective('2Gi'), 'resize'],
    ['with a restart, when it has a byte more than is asked for', effective('2147483649'), 'restart'],
    ['with a restart, when its host does not say how much it has', effective(undefined), 'restart'],
    [
      'with a restart, when it was taken over and nobody knows from what it was made',
      { templateHash: undefined },
      'restart',
    ],
    ['with a restart, when it is not ready', { isReady: false }, 'restart'],
    ['with a restart, when it was told to leave', { isLeaving: true }, 'restart'],
  ];
  for (const [title, change, way] of PODS)
    it(`is, for a Pod, ${title}`, () => {
      expect(wayOfTurn(changed(), node(2, { pod: pod(2, change) }))).to.equal(way);
    });

  it('is with a restart for a Pod with a permit that was not resized, and in place for the next Pod', () => {
    expect(wayOfTurn(changed(), permitted({ resources: asked() }))).to.equal('restart');
    expect(wayOfTurn(changed(), permitted({ uid: 'another' }))).to.equal('resize');
  });

  it('is in place again for other resources than those that were tried', () => {
    const [third] = keptRevisions([OTHER]);
    if (third === undefined) throw new Error('no revision was made');
    const more = { ...third, restartHash: 'all else', resources: { cpu: '1', memory: '4Gi' } };
    const o = changed({ cluster: { templateHash: OTHER }, revisions: [...revisions, more] });
    expect(wayOfTurn(o, permitted({ resources: asked() }))).to.equal('resize');
  });
});

describe('a turn in place', () => {
  it('begins with its record, under the same conditions as a restart', () => {
    const { operation } = planCluster(changed()).removal;
    expect(operation).to.deep.include({ type: 'Roll', phase: 'Resizing' });
    expect(operation?.roll).to.deep.include({ name: 'demo-2', podUID: 'pod-uid-2', previous: HASH });
    const sick = withNode(nodes(3), 0, { pod: pod(0, { isReady: false }) });
    expect(planCluster(changed({ nodes: sick })).removal.operation).to.equal(undefined);
  });

  it('waits until the API server has said whether it supports resizing', () => {
    const { removal, turnWaits } = planCluster(changed({ resizeSupport: 'unknown' }));
    expect([removal.operation, turnWaits?.reason]).to.deep.equal([undefined, 'NotObserved']);
  });

  for (const [rest, cluster] of [
    ['OnDelete', { spec: { update: { type: 'OnDelete' as const } } }],
    ['a pause', { rollout: { approved: undefined, isPaused: true, retry: undefined } }],
  ] as const)
    it(`does not begin under ${rest}`, () => {
      expect(planCluster(changed({ cluster })).removal.operation).to.equal(undefined);
    });

  it('gives this Pod, and no other, a permit together with the new revision', () => {
    const { removal } = resizing(node(2));
    expect(removal.steps).to.deep.equal([
      { kind: 'resizeNode', node: node(2), revision: NEXT, operationId: PERMIT.operationId },
    ]);
  });

  it('gives no permit after a pause, nor for a template that differs in more than resources', () => {
    const paused = resizing(node(2), {
      cluster: { rollout: { approved: undefined, isPaused: true, retry: undefined } },
    });
    expect([paused.removal.steps, paused.removal.ended?.reason]).to.deep.equal([[], 'RolloutPaused']);
    const other = resizing(node(2), { revisions: keptRevisions([HASH, NEXT]) });
    expect([other.removal.steps, other.removal.ended?.reason]).to.deep.equal([[], 'CancelledByUser']);
    expect(other.removal.operation?.phase).to.equal('Claimed');
  });

  it('waits for the host, and reports what that waits for', () => {
    const change = { state: 'Deferred', message: 'no memory' } as const;
    const { removal } = resizing(permitted({ resources: asked({ change }) }), { forMs: 60_000 });
    expect(removal.operation?.phase).to.equal('Resizing');
    expect(removal.waits?.reason).to.equal('ResizePending');
    expect(removal.waits?.message).to.contain('no memory');
  });

  it('ends when the Pod has the revision, and the next turn begins with the same write', () => {
    const { removal } = resizing(permitted(DONE));
    expect(removal.ended).to.deep.include({ outcome: 'Succeeded', reason: 'ResizedInPlace' });
    expect(removal.operation?.roll?.name).to.equal('demo-1');
    expect(removal.operation?.phase).to.equal('Resizing');
  });

  it('ends when other resources are asked for once its Pod has these, since a permit is for one change', () => {
    const more = { cpu: '750m', memory: SMALL.memory };
    const own = permitted({ ...DONE, resources: podResources(more) }, { resources: more });
    const list = revisions.map((record) => (record.hash === NEXT ? { ...record, resources: more } : record));
    const { removal, steps } = resizing(own, { revisions: list, cluster: { templateHash: HASH } });
    expect(steps.map(({ kind }) => kind)).to.not.include('resizeNode');
    expect(removal.ended).to.deep.include({ outcome: 'Cancelled', reason: 'CancelledByUser' });
    expect([removal.operation?.roll?.name, removal.operation?.phase]).to.deep.equal(['demo-2', 'Resizing']);
    expect(removal.operation?.id).to.not.equal(PERMIT.operationId);
  });

  const small = { state: 'Infeasible', message: 'too small' } as const;
  const GIVEN_UP: readonly (readonly [string, NodeRecord, number])[] = [
    ['when the API server has refused it', permitted({}, { resizeRefused: 'a rule says no' }), 0],
    ['when its host never will', permitted({ resources: asked({ change: small }) }), 0],
    ['after a minute, whatever its host says', permitted({ resources: asked() }), 60_001],
  ];
  for (const [title, own, forMs] of GIVEN_UP)
    it(`is given up ${title}, for a restart of the same member`, () => {
      const { removal } = resizing(own, { forMs });
      expect(removal.ended).to.deep.include({ outcome: 'Failed', reason: 'ResizeImpossible' });
      expect([removal.operation?.roll?.name, removal.operation?.phase]).to.deep.equal(['demo-2', 'Claimed']);
    });

  it('is not given up for what a host said about the Pod before the change', () => {
    const stale = permitted({ resources: asked({ change: small, isObserved: false }) });
    expect(resizing(stale).removal.operation?.phase).to.equal('Resizing');
  });

  for (const [title, podChange] of [
    ['was replaced', { uid: 'another' }],
    ['is ending', { isTerminating: true }],
  ] as const)
    it(`ends without a hold about the resources when the Pod ${title}`, () => {
      expect(resizing(permitted(podChange)).removal.ended).to.deep.include({
        outcome: 'Cancelled',
        reason: 'Repairing',
      });
    });

  it('never ends in a deletion', () => {
    const deadlines = [0, 60_001, 3_600_000, 86_400_000].flatMap((forMs) =>
      [permitted(), permitted({ resources: asked({ change: small }) })].flatMap((own) =>
        resizing(own, { forMs }).steps.map(({ kind }) => kind),
      ),
    );
    expect(deadlines.filter((kind) => kind === 'deleteNode' || kind === 'deleteVolume')).to.deep.equal([]);
  });
});

describe('a Pod with a permit to be resized', () => {
  it('counts as having neither template before its host confirms the change, and the new one from then on', () => {
    expect(isUpdated(permitted({ resources: asked() }), NEXT)).to.equal(false);
    expect(isUpdated(permitted({ templateHash: NEXT, resizedBy: undefined }), NEXT)).to.equal(false);
    expect(isUpdated(permitted(DONE), NEXT)).to.equal(true);
    expect(isUpdated(node(2, { resize: PERMIT }), HASH)).to.equal(false);
    expect(isUpdated(node(2, { resize: { ...PERMIT, podUid: 'an earlier one' } }), HASH)).to.equal(true);
  });

  it('is not updated because its node names the new template', () => {
    const o = changed({
      nodes: withNode(nodes(3), 2, permitted({ resources: asked() })),
      cluster: { templateHash: HASH, spec: { update: { type: 'OnDelete' } } },
    });
    expect(stampSteps(o).map((step) => step.kind)).to.deep.equal(['stampNode']);
    expect(isUpdated(permitted({ resources: asked() }, { templateHash: HASH }), HASH)).to.equal(false);
  });
});

describe('the resources of a Pod', () => {
  const FORCE: readonly (readonly [string, PodResources, boolean])[] = [
    ['are in force when its host says so', podResources(LARGE), true],
    ['are not while the host has not looked at them', podResources(LARGE, { isObserved: false }), false],
    ['are not while the host is at it', podResources(LARGE, { change: { state: 'InProgress', message: '' } }), false],
    ['are not while the container has others', asked(), false],
    ['are not while nothing is said of the container', podResources(LARGE, { effective: undefined }), false],
    ['are not while others are asked for', podResources(SMALL, { effective: podResources(LARGE).asked }), false],
    [
      'are in force with the CPU that a runtime makes of them',
      podResources(LARGE, { effective: { ...podResources(LARGE).asked, cpuRequest: '733m' } }),
      true,
    ],
    [
      'are the same in other units',
      podResources(LARGE, { effective: podResources({ cpu: '0.75', memory: '2048Mi' }).asked }),
      true,
    ],
  ];
  for (const [title, resources, isSo] of FORCE)
    it(title, () => {
      expect(isInForce(resources, LARGE)).to.equal(isSo);
    });
});

describe('a node whose Pod may be resized', () => {
  const plan = (own: NodeRecord) => planNode(nodeObservation(own, { siblings: nodes(3) }));

  it('asks for the resources, then waits, then notes the revision', () => {
    const before = pod(2);
    expect(plan(permitted()).step).to.deep.equal({ kind: 'resizePod', pod: before, resources: LARGE });
    expect(plan(permitted({ resources: asked() })).step).to.equal(undefined);
    const has = permitted({ resources: podResources(LARGE) });
    expect(plan(has).step).to.deep.equal({
      kind: 'noteResized',
      pod: has.pod,
      revision: NEXT,
      operationId: PERMIT.operationId,
    });
    expect(plan(permitted(DONE)).step).to.equal(undefined);
  });

  const QUIET: readonly (readonly [string, NodeRecord])[] = [
    ['without a permit', permitted({}, { resize: undefined })],
    ['with a permit for another Pod', permitted({ uid: 'another' })],
    ['with a permit for another template than its stamp', permitted({}, { resize: { ...PERMIT, revision: OTHER } })],
    ['that the API server has refused', permitted({}, { resizeRefused: 'a rule says no' })],
    ['that is marked for a restart', permitted({}, { removalMark: '2-y' })],
  ];
  for (const [title, own] of QUIET)
    it(`does nothing ${title}`, () => {
      expect(plan(own).step).to.equal(undefined);
    });

  it('first leaves when it is to leave', () => {
    expect(plan(permitted({}, { intent: 'Leaving', serving: false })).step?.kind).to.equal('labelPod');
  });
});
