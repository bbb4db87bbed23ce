// Whether the members of a cluster may be handed to a StatefulSet, and what follows from who owns the Pods: each row is
// a healthy cluster that was taken over with one thing changed.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ClusterRecord, type NodeRecord, planCluster, planNode, type ReleaseSeen } from '../src/index.ts';
import { presentTopology } from '../src/members/topology.ts';
import {
  freshPod,
  keptRevisions,
  line,
  node,
  nodeObservation,
  nodes,
  observation,
  pod,
  serving,
  silent,
  views,
  volume,
  withNode,
} from './support/builders.ts';

const GRACE = 3_600;
const adoptedVolume = (id: number) => volume(id, { dataDir: '/data' });
const released = (id: number, change: Parameters<typeof pod>[1] = {}) =>
  pod(id, { ...change, labels: { ...pod(id).labels, app: 'demo' } });

/** This many members that were taken over, each with its own labels only. */
function members(count = 3): readonly NodeRecord[] {
  return nodes(count).map((one) => ({ ...one, gcGraceSeconds: GRACE, volume: adoptedVolume(one.id) }));
}

const CHILD = { kind: 'Service', name: 'demo', isReleased: true } as const;
function seen(change: Partial<ReleaseSeen> = {}): ReleaseSeen {
  return {
    isAsked: true,
    stored: undefined,
    identity: 'marekvs',
    set: { kind: 'none' },
    children: [CHILD],
    hasPolicy: false,
    ...change,
  };
}

type Change = Parameters<typeof observation>[0];
function plan(release: ReleaseSeen, { cluster, ...change }: NonNullable<Change> = {}) {
  const spec = { gcGraceSeconds: GRACE, ...cluster?.spec };
  return planCluster(observation({ nodes: members(), ...change, cluster: { ...cluster, spec, release } }));
}

const SET = { kind: 'there', uid: 'set-uid', isOurs: true, problem: undefined } as const;
const all = (of: (id: number) => ReturnType<typeof pod> | undefined) =>
  members().map((one): NodeRecord => ({ ...one, pod: of(one.id) }));
const labelled = all((id) => released(id));
const handed = all((id) => released(id, { ownerUid: 'set-uid' }));
const stored = (phase: NonNullable<ReleaseSeen['stored']>['phase'], setUid?: string) => ({ phase, setUid });

describe('a cluster that is to be handed to a StatefulSet', () => {
  it('is handed over when nothing prevents it, and nothing else is done from then on', () => {
    const { release, steps, holds } = plan(seen());
    expect(release).to.deep.equal({ stored: stored('Preparing'), isTurn: true, isOver: false });
    expect([steps, holds]).to.deep.equal([[], []]);
  });

  const operation = {
    id: '3-x',
    type: 'Remove',
    phase: 'Proving',
    specGeneration: 1,
    startedAt: '2026-01-01T00:00:00Z',
    target: { name: 'demo-2', uid: 'node-uid-2', nodeId: 2 },
  } as NonNullable<ClusterRecord['operation']>;
  const turn = {
    ...operation,
    type: 'Roll',
    target: undefined,
    roll: { name: 'demo-1', uid: 'node-uid-1', nodeId: 1, podUID: 'pod-uid-1', previous: 'a' },
  } as NonNullable<ClusterRecord['operation']>;
  const missing = { state: 'Missing', at: '2026-01-01T00:00:00Z' } as NonNullable<ClusterRecord['verification']>;

  for (const [title, release, change, reason, words] of [
    ['a removal is under way', seen(), { cluster: { operation } }, 'Releasing', 'the removal of demo-2'],
    [
      'a turn of a rolling update is under way',
      seen(),
      { cluster: { operation: turn } },
      'Releasing',
      'the turn of demo-1',
    ],
    [
      'it has a member on every host with a label',
      seen(),
      { cluster: { spec: { hosts: { onePerHost: { nodeSelector: { disk: 'fast' } } } } } },
      'ReleaseRefused',
      '{"spec":{"hosts":{"onePerHost":null}}}',
    ],
    [
      'its members are to be stopped',
      seen(),
      { cluster: { spec: { hibernated: true } } },
      'ReleaseRefused',
      'kubectl mkv wake demo -n default',
    ],
    [
      'a member is off its volume',
      seen(),
      { nodes: withNode(members(), 1, { suspendAsked: 'repair' }) },
      'ReleaseRefused',
      'kubectl mkv resume-member demo-1 -n default',
    ],
    ['it has an identity of its own', seen({ identity: 'ns.demo.c0ffee00' }), {}, 'ReleaseRefused', 'ns.demo.c0ffee00'],
    [
      'it keeps tombstones for longer',
      seen(),
      { cluster: { spec: { gcGraceSeconds: 7200 } } },
      'ReleaseRefused',
      '{"spec":{"gcGraceSeconds":3600}}',
    ],
    [
      'it is protected',
      seen(),
      { cluster: { spec: { deletionProtection: true } } },
      'ReleaseRefused',
      '{"spec":{"deletionProtection":false}}',
    ],
    [
      'its volumes go with it',
      seen(),
      { cluster: { spec: { volumeRetention: { whenDeleted: 'Delete', whenScaled: 'Retain' } } } },
      'ReleaseRefused',
      '"whenDeleted":"Retain"',
    ],
    [
      'a member is on another claim than was recorded',
      seen(),
      { nodes: withNode(members(), 1, { recordedVolumeUid: 'other' }) },
      'VolumeLost',
      'demo-1',
    ],
    [
      'an id is missing, with enough members before it',
      seen(),
      {
        nodes: [...members(4).slice(0, 3), { ...node(4), volume: adoptedVolume(4), answer: serving(views(4)) }],
        cluster: { spec: { nodes: 4 } },
      },
      'ReleaseRefused',
      'ids 0, 1, 2, 4, and a StatefulSet has no gap: remove demo-4 first, beginning with kubectl mkv remove demo-4 -n default --shrink',
    ],
    [
      'the first id is missing',
      seen(),
      { nodes: members(4).slice(1) },
      'ReleaseRefused',
      'fewer than 3 members are left. Copy its data',
    ],
    [
      'a member has a folder of its own',
      seen(),
      {
        nodes: [...members(4).slice(0, 3), { ...members(4)[3], volume: volume(3) }] as readonly NodeRecord[],
        cluster: { spec: { nodes: 4 } },
      },
      'ReleaseRefused',
      'demo-3 has its data in /data/n3',
    ],
    ['it shall be larger', seen(), { cluster: { spec: { nodes: 4 } } }, 'Releasing', '3 of 4 members'],
    [
      'it was told to leave',
      seen(),
      { nodes: withNode(members(), 2, { intent: 'Leaving' }) },
      'Releasing',
      'demo-2 leaves first',
    ],
    [
      'a member has an older template',
      seen(),
      {
        nodes: withNode(members(), 0, { templateHash: 'bbbbbbbbbbbbbbbb' }),
        revisions: keptRevisions(['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb']),
      },
      'Releasing',
      'demo-0 has an older template',
    ],
    [
      'an update waits for a person',
      seen(),
      {
        nodes: withNode(members(), 0, { templateHash: 'bbbbbbbbbbbbbbbb' }),
        cluster: { rollout: { approved: undefined, isPaused: true, retry: undefined } },
      },
      'ReleaseRefused',
      'the update is paused',
    ],
    [
      'a member runs with another grace',
      seen(),
      { nodes: withNode(members(), 1, { gcGraceSeconds: 7200 }) },
      'Releasing',
      'demo-1 runs with other settings',
    ],
    [
      'a member was started with another Secret than it is to want by now',
      seen(),
      {
        nodes: withNode(members(), 1, {
          password: 'two/password',
          pod: pod(1, { ...members()[1]?.pod, password: 'one/password' }),
        }),
      },
      'ReleaseRefused',
      'kubectl mkv restart demo-1',
    ],
    [
      'a member is silent',
      seen(),
      { nodes: withNode(members(), 1, { answer: silent }) },
      'Releasing',
      'demo-1 does not serve',
    ],
    [
      'a Pod is not ready',
      seen(),
      { nodes: withNode(members(), 1, { pod: pod(1, { isReady: false }) }) },
      'Releasing',
      'demo-1 does not serve',
    ],
    [
      'a member is out of the Service',
      seen(),
      { nodes: withNode(members(), 1, { pod: pod(1, { labels: {} }) }) },
      'Releasing',
      'demo-1 does not serve',
    ],
    [
      'they show one more',
      seen(),
      { nodes: members().map((one) => ({ ...one, answer: serving([...views(3), line(7)]) })) },
      'Releasing',
      'list others than its nodes',
    ],
  ] as const)
    it(`is not handed over while ${title}, which is reported, and keeps running as before`, () => {
      const { release: turn, holds } = plan(release, change as Change);
      expect(turn.stored).to.equal(undefined);
      const said = holds.find((one) => one.message.includes(words));
      expect(said?.reason, holds.map(({ message }) => message).join('; ')).to.equal(reason);
    });

  it('is not handed over while records are known to be missing', () => {
    const topology = presentTopology(members())?.hash;
    if (topology === undefined) throw new Error('their topology is not known');
    const { release, holds } = plan(seen(), { cluster: { verification: { ...missing, topology } } });
    expect(release.stored).to.equal(undefined);
    expect(holds.map(({ message }) => message).join()).to.include('records are missing at their homes');
  });

  it('is not handed over any further while it is paused, whatever has begun', () => {
    const { steps, holds, release } = plan(seen({ stored: stored('LettingGo', 'set-uid'), set: SET }), {
      cluster: { spec: { paused: true } },
    });
    expect([steps, holds[0]?.reason, release.isTurn]).to.deep.equal([[], 'Paused', false]);
  });
});

describe('a handover to a StatefulSet that has begun', () => {
  const other = { ...CHILD, isReleased: false };
  for (const [title, release, list, next, steps, words] of [
    [
      'waits for the labels of the Pods',
      seen({ stored: stored('Preparing'), children: [other] }),
      members(),
      'Preparing',
      [],
      'are switched',
    ],
    [
      'switches what selects them',
      seen({ stored: stored('Preparing'), children: [other] }),
      labelled,
      'Preparing',
      ['handChild'],
      'are switched',
    ],
    ['waits for the StatefulSet', seen({ stored: stored('Preparing') }), labelled, 'Waiting', [], ''],
    [
      'says with what it goes on',
      seen({ stored: stored('Waiting') }),
      labelled,
      'Waiting',
      [],
      'kubectl mkv release demo',
    ],
    [
      'prepares a Pod that was made again',
      seen({ stored: stored('Waiting') }),
      all((id) => (id === 1 ? freshPod(1) : released(id))),
      'Preparing',
      [],
      '',
    ],
    [
      'waits for the end of our policy',
      seen({ stored: stored('Waiting'), set: SET, hasPolicy: true }),
      labelled,
      'Waiting',
      [],
      'our NetworkPolicies',
    ],
    ['lets them go', seen({ stored: stored('Waiting'), set: SET }), labelled, 'LettingGo', [], ''],
    [
      'waits until it has all of them',
      seen({ stored: stored('LettingGo', 'set-uid'), set: SET }),
      labelled,
      'LettingGo',
      [],
      '0 of 3 Pods',
    ],
    [
      'lets them go to another one',
      seen({ stored: stored('LettingGo', 'gone'), set: SET }),
      labelled,
      'LettingGo',
      [],
      '',
    ],
    [
      'is nearly over when it has all',
      seen({ stored: stored('LettingGo', 'set-uid'), set: SET }),
      handed,
      'Closing',
      [],
      '',
    ],
    [
      'lets the nodes go',
      seen({ stored: stored('Closing', 'set-uid') }),
      handed,
      'Closing',
      ['dropNode', 'dropNode', 'dropNode'],
      'has every Pod',
    ],
    [
      'lets nobody go to one that is not fit',
      seen({ stored: stored('Waiting'), set: { ...SET, problem: 'would restart every Pod' } }),
      labelled,
      'Waiting',
      [],
      'would restart every Pod: kubectl mkv adopt demo',
    ],
    ['takes them back when it is gone', seen({ stored: stored('LettingGo', 'set-uid') }), handed, 'TakingBack', [], ''],
    [
      'takes them back when nobody asks',
      seen({ isAsked: false, stored: stored('LettingGo', 'set-uid'), set: SET }),
      handed,
      'TakingBack',
      [],
      '',
    ],
    [
      'waits until it is let go',
      seen({ isAsked: false, stored: stored('TakingBack'), set: SET }),
      handed,
      'TakingBack',
      [],
      'kubectl mkv adopt demo -n default lets it go',
    ],
    [
      'goes on when it is asked for again',
      seen({ stored: stored('TakingBack'), set: SET }),
      handed,
      'LettingGo',
      [],
      '',
    ],
    ['is taken back', seen({ isAsked: false, stored: stored('TakingBack') }), labelled, undefined, [], ''],
    [
      'is taken back beside a StatefulSet of somebody else',
      seen({ isAsked: false, stored: stored('Preparing'), set: { ...SET, isOurs: false } }),
      labelled,
      undefined,
      [],
      '',
    ],
  ] as const)
    it(title, () => {
      const planned = plan(release, { nodes: list });
      expect(planned.release.stored?.phase).to.equal(next);
      expect(planned.steps.map(({ kind }) => kind)).to.deep.equal(steps);
      expect(planned.release.isTurn).to.equal(
        release.stored?.phase !== next || planned.release.stored?.setUid !== release.stored?.setUid,
      );
      expect(planned.holds.map(({ message }) => message).join('; ')).to.include(words);
    });

  for (const change of [{ isReady: false }, { isTerminating: true }, { ownerUid: undefined }])
    it(`does not end while a Pod of it has ${JSON.stringify(change)}`, () => {
      const list = handed.map((one) =>
        one.id === 1 ? { ...one, pod: released(1, { ownerUid: 'set-uid', ...change }) } : one,
      );
      expect(plan(seen({ stored: stored('LettingGo', 'set-uid'), set: SET }), { nodes: list }).release.isTurn).to.equal(
        false,
      );
    });

  it('ends when no node is left, and not before', () => {
    const closing = seen({ stored: stored('Closing', 'set-uid') });
    expect(plan(closing, { nodes: handed.slice(0, 1) }).release.isOver).to.equal(false);
    expect(plan(closing, { nodes: [], volumes: [] }).release).to.deep.equal({
      stored: undefined,
      isTurn: true,
      isOver: true,
    });
  });
});

describe('a node whose cluster is being handed to a StatefulSet', () => {
  const own = released(1);
  const loose = released(1, { ownerUid: undefined });
  const taken = released(1, { ownerUid: 'set-uid' });
  const step = (phase: Parameters<typeof nodeObservation>[1], change: Partial<NodeRecord>) =>
    planNode(nodeObservation({ ...members()[1], ...change } as NodeRecord, { wantedPodLabels: {}, ...phase }));

  for (const [phase, change, kind] of [
    ['Preparing', { pod: own }, undefined],
    ['Waiting', { pod: undefined }, 'createPod'],
    ['LettingGo', { pod: own }, 'letPodGo'],
    ['LettingGo', { pod: loose }, undefined],
    ['LettingGo', { pod: taken }, undefined],
    ['LettingGo', { pod: undefined }, undefined],
    ['LettingGo', { pod: released(1, { phase: 'Failed' }) }, 'letPodGo'],
    ['Closing', { pod: taken }, undefined],
    ['Closing', { pod: taken, isDeleting: true }, 'releaseNode'],
    ['Closing', { pod: own, isDeleting: true }, 'letPodGo'],
    ['TakingBack', { pod: loose }, 'takePodBack'],
    ['TakingBack', { pod: taken }, undefined],
    ['TakingBack', { pod: undefined }, 'createPod'],
    ['TakingBack', { pod: own }, undefined],
  ] as const)
    it(`at ${phase}, with ${change.pod === undefined ? 'no Pod' : `a Pod of ${change.pod.ownerUid}, ${change.pod.phase}`}${'isDeleting' in change ? ', deleted' : ''}: ${kind ?? 'nothing'}`, () => {
      expect(step({ releasePhase: phase }, change as Partial<NodeRecord>).step?.kind).to.equal(kind);
    });

  it('does nothing while its cluster is paused', () => {
    expect(step({ releasePhase: 'LettingGo', parent: 'paused' }, { pod: own }).step).to.equal(undefined);
  });
});
