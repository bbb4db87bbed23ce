// Which node is replaced because its host is lost, when, and what prevents it: each row changes one thing about a host
// that is gone with its disk.

import type { Operation } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { planLostHosts } from '../../src/hosts/lost-hosts.ts';
import {
  awayMembers,
  type ClusterObservation,
  type HostFinding,
  type MemberAnswer,
  type NodeRecord,
  planCluster,
  removalBasis,
  survivorsOf,
} from '../../src/index.ts';
import {
  joining,
  line,
  NOW_MS,
  node,
  notAsked,
  observation,
  pod,
  sealed,
  sealedNode,
  sealedPod,
  serving,
  views,
  volume,
} from '../support/builders.ts';

const silentFor = (ms: number): MemberAnswer => ({
  kind: 'silent',
  sinceMs: NOW_MS - ms,
  error: 'timed out',
  isInvalid: false,
});
const SILENT = silentFor(40_000);
const LEFT = [line(0), line(1), line(3)];

const finding = (change: Partial<HostFinding> = {}): HostFinding => ({
  host: 'host-2',
  state: 'gone',
  awayForMs: 30_000,
  volume: 'bound',
  unknown: undefined,
  otherHosts: 0,
  ...change,
});

/** demo-2 of four is silent, and the other members have dropped it from their lists. */
const four = (change: Partial<NodeRecord> = {}): readonly NodeRecord[] => [
  ...[0, 1].map((id) => node(id, { answer: serving(LEFT) })),
  node(2, { pod: pod(2, { isReady: false }), answer: SILENT, wasActive: true, ...change }),
  node(3, { answer: serving(LEFT) }),
];

interface Change extends Partial<Omit<ClusterObservation, 'cluster'>> {
  readonly cluster?: NonNullable<Parameters<typeof observation>[0]>['cluster'];
}

const lost = (change: Change = {}, found: Partial<HostFinding> = {}): ClusterObservation =>
  observation({
    nodes: four(),
    hostFindings: new Map([['node-uid-2', finding(found)]]),
    ...change,
    cluster: { spec: { nodes: 4 }, highestNodeId: 3, ...change.cluster },
  });

const marks = (o: ClusterObservation) => planCluster(o).steps.filter(({ kind }) => kind === 'markHostLost');
const reasons = (o: ClusterObservation) => planCluster(o).holds.map(({ reason }) => reason);

const WAKING: Operation = {
  id: 'all-abc',
  type: 'Hibernate',
  specGeneration: 1,
  phase: 'Waking',
  startedAt: new Date(NOW_MS - 60_000).toISOString(),
  timeline: [
    { phase: 'Stopping', at: new Date(NOW_MS - 60_000).toISOString() },
    { phase: 'Waking', at: new Date(NOW_MS - 60_000).toISOString() },
  ],
};

describe('a host that is lost while a cluster is hibernated', () => {
  const waking = (found: Partial<HostFinding> = {}) => planCluster(lost({ cluster: { operation: WAKING } }, found));

  it('is named while the members wake, and its member is not replaced before they have', () => {
    for (const awayForMs of [1_000, 1_000_000]) {
      const { steps, holds } = waking({ awayForMs });
      expect(steps.filter(({ kind }) => kind === 'markHostLost')).to.deep.equal([]);
      const [said] = holds.filter(({ reason }) => reason === 'HostNotReady');
      expect(said?.needsPerson).to.equal(true);
      expect(said?.message).to.match(
        /^the host host-2 of demo-2 is gone: it is waited for .*; kubectl mkv replace demo-2 -n default does not wait$/,
      );
    }
  });

  it('is given up once they have woken, like any other', () => {
    expect(marks(lost({ cluster: { operation: undefined } }))).to.have.length(1);
  });
});

describe('a host that is lost with the volume of a member', () => {
  it('is given up, with its name', () => {
    expect(marks(lost())).to.deep.equal([{ kind: 'markHostLost', node: four()[2], host: 'host-2' }]);
  });

  const table: readonly (readonly [string, Change, Partial<HostFinding>, string])[] = [
    ['was found gone only a moment ago', {}, { awayForMs: 29_999 }, 'HostNotReady'],
    ['is not ready for less than its time', {}, { state: 'notReady', awayForMs: 599_999 }, 'HostNotReady'],
    ['was called off only a moment ago', {}, { state: 'outOfService', awayForMs: 29_999 }, 'HostNotReady'],
    [
      'cannot be seen',
      { nodes: four({ answer: silentFor(600_000) }) },
      { state: 'unknown', awayForMs: 0, volume: 'unknown', unknown: 'no' },
      'HostUnknown',
    ],
    ['holds a volume of which nothing is known', {}, { volume: 'unknown', unknown: 'no' }, 'HostUnknown'],
    ['holds a volume that can move', {}, { volume: 'movable' }, 'HostNotReady'],
    ['went with others', {}, { otherHosts: 1 }, 'HostsLost'],
    [
      'is not to be given up by itself',
      { cluster: { spec: { nodes: 4, hosts: { lostAfterSeconds: 0 } } } },
      { awayForMs: 9e9 },
      'HostNotReady',
    ],
    [
      'is one of two',
      {
        nodes: four().map((one) => (one.id === 3 ? { ...one, pod: pod(3, { isReady: false }), answer: SILENT } : one)),
        hostFindings: new Map([
          ['node-uid-2', finding()],
          ['node-uid-3', finding({ host: 'host-3' })],
        ]),
      },
      {},
      'HostsLost',
    ],
    [
      'goes while another node goes',
      { nodes: four().map((one) => (one.id === 0 ? { ...one, isDeleting: true } : one)) },
      {},
      'WaitingForTurn',
    ],
    [
      'goes while another member is down',
      { nodes: four().map((one) => (one.id === 0 ? { ...one, answer: joining } : one)) },
      {},
      'MemberNotActive',
    ],
    [
      'has a member that others still show',
      { nodes: four().map((one) => (one.answer.kind === 'serving' ? { ...one, answer: serving(views(4)) } : one)) },
      {},
      'ViewsDisagree',
    ],
    ['has the only copy', { nodes: four({ replicationFactor: 1 }) }, {}, 'ReplicationFactorOne'],
  ];
  for (const [what, change, found, reason] of table)
    it(`is not given up when it ${what}: ${reason}`, () => {
      const o = lost(change, found);
      expect(marks(o)).to.deep.equal([]);
      expect(reasons(o)).to.include(reason);
    });

  for (const [what, found] of [
    ['not ready for its whole time', { state: 'notReady', awayForMs: 600_000 }],
    ['called off, and found so twice', { state: 'outOfService' }],
  ] as const)
    it(`is given up when it is ${what}`, () => {
      expect(marks(lost({}, found))).to.have.lengthOf(1);
    });

  it('is not reported as unknown before that would delay anything', () => {
    const answer = silentFor(599_999);
    const o = lost({ nodes: four({ answer }) }, { state: 'unknown', awayForMs: 0, volume: 'unknown', unknown: 'no' });
    expect(reasons(o)).to.not.include('HostUnknown');
  });

  it('is looked at again when its time is over, and every half a minute before', () => {
    const again = (awayForMs: number) => planCluster(lost({}, { state: 'notReady', awayForMs })).requeueAfterMs;
    expect([again(0), again(590_000)]).to.deep.equal([30_000, 10_000]);
  });
});

describe('a host that is lost while a removal', () => {
  const removing = (id: number, phase: Operation['phase'], change: Partial<Operation> = {}): Operation => ({
    id: `${id}-abc`,
    type: 'Remove',
    basis: 'Proof',
    target: { name: `demo-${id}`, uid: `node-uid-${id}`, nodeId: id, pvcUID: `volume-uid-${id}` },
    specGeneration: 1,
    phase,
    startedAt: new Date(NOW_MS - 4_000_000).toISOString(),
    timeline: [{ phase, at: new Date(NOW_MS - 300_000).toISOString() }],
    ...(phase === 'Cancelling' ? { cancel: { reason: 'DeadlineExceeded', message: 'not proven within 3600 s' } } : {}),
    ...change,
  });
  /** demo-3 was told to leave, and a restart takes that back: not before demo-2 is up, or replaced. */
  const shown = [line(0), line(1), line(3, { hasPrimaries: false })];
  const told = four().map((one): NodeRecord => {
    if (one.id === 2) return one;
    const answer = serving(shown);
    return one.id === 3 ? { ...one, serving: false, pod: pod(3, { isLeaving: true }), answer } : { ...one, answer };
  });
  const ofOther = (phase: Operation['phase'], nodes = told) =>
    lost({ nodes, cluster: { operation: removing(3, phase) } });
  const ofOwn = (change: Partial<NodeRecord> = {}) =>
    lost({ nodes: four(change), cluster: { operation: removing(2, 'Cancelling') } });

  it('of another member is taken back is given up: that member is restarted only when this one is replaced', () => {
    expect(marks(ofOther('Cancelling'))).to.deep.equal([{ kind: 'markHostLost', node: told[2], host: 'host-2' }]);
  });

  it('of another member, whose door is closed, is taken back is given up as well: that one waits for this one, too', () => {
    const closed = told.map((one): NodeRecord => (one.id === 3 ? sealedNode(3) : one));
    expect(marks(ofOther('Cancelling', closed))).to.deep.equal([
      { kind: 'markHostLost', node: told[2], host: 'host-2' },
    ]);
  });

  it('of another member goes on is not', () => {
    expect(marks(ofOther('Isolating'))).to.deep.equal([]);
    expect(reasons(ofOther('Isolating'))).to.include('OperationInProgress');
  });

  it('of another member is taken back is not while that one is away: it might hold what this one holds', () => {
    const away = told.map((one): NodeRecord => (one.id === 3 ? { ...one, answer: SILENT } : one));
    expect(marks(ofOther('Cancelling', away))).to.deep.equal([]);
  });

  it('waits for it after its target is gone is given up, unless the target can be made again: nothing else ends that', () => {
    const after = (
      phase: Operation['phase'],
      change: Partial<Operation> = {},
      volumes = [0, 1, 2, 3].map((id) => volume(id)),
    ) => lost({ volumes, cluster: { operation: removing(9, phase, change) } });
    for (const basis of ['Dead', 'Forced'] as const)
      expect(marks(after('Settling', { basis })), basis).to.have.length(1);
    expect(marks(after('Settling'))).to.have.length(1);
    expect(marks(after('Reclaiming', {}, [volume(9)]))).to.have.length(1);
    expect(marks(after('Settling', {}, [volume(9)]))).to.deep.equal([]);
    expect(marks(after('Departing', { basis: 'Dead' }))).to.deep.equal([]);
  });

  it('of its own member is taken back is given up: the member will not come back', () => {
    expect(marks(ofOwn())).to.deep.equal([{ kind: 'markHostLost', node: four()[2], host: 'host-2' }]);
    expect(planCluster(ofOwn()).removal.ended).to.equal(undefined);
    const { ended } = planCluster(ofOwn({ hostLost: 'host-2' })).removal;
    expect(ended).to.deep.include({ outcome: 'Cancelled', reason: 'VolumeLost' });
  });
});

describe('a node that is given up with its host', () => {
  const marked = (change: Partial<NodeRecord> = {}, found: Partial<HostFinding> = {}) =>
    lost({ nodes: four({ hostLost: 'host-2', ...change }) }, found);

  it('is replaced by a new id', () => {
    expect(planCluster(marked()).steps).to.deep.include({ kind: 'createNode', id: 4, why: 'HostLost' });
  });

  it('is no longer given up when its member answers again', () => {
    const back = marked({ pod: pod(2), answer: serving(views(4)) });
    expect(planCluster(back).steps).to.deep.include({ kind: 'unmarkHostLost', node: back.nodes[2] });
  });

  it('is removed as dead once no Pod of it is left on a host, and not before', () => {
    const basis = (own: NodeRecord | undefined, o: ClusterObservation) =>
      own === undefined ? undefined : removalBasis(o, own);
    const unplaced = pod(2, { phase: 'Pending', hostName: undefined, ip: undefined, isReady: false });
    const running = marked();
    const pending = marked({ pod: unplaced, answer: notAsked });
    expect(basis(running.nodes[2], running)).to.equal('Proof');
    expect(basis(pending.nodes[2], pending)).to.equal('Dead');
  });

  it('is no survivor of other removals, which go on without it', () => {
    const o = marked();
    expect(survivorsOf(o, { uid: 'node-uid-0' }).map(({ id }) => id)).to.deep.equal([1, 3]);
  });

  it('is not removed while its Pod may run unseen, and a person is asked', () => {
    const fifth = { ...node(4), volume: volume(4), answer: serving([...LEFT, line(4)]) };
    const others = four({ hostLost: 'host-2' }).map((one) =>
      one.answer.kind === 'serving' ? { ...one, answer: serving([...LEFT, line(4)]) } : one,
    );
    const o = lost({ nodes: [...others, fifth] }, { state: 'notReady', awayForMs: 900_000 });
    const plan = planCluster(o);
    expect(plan.removal.operation).to.equal(undefined);
    expect(plan.holds).to.deep.include.members([
      {
        reason: 'HostNotReady',
        message:
          'demo-2 is replaced, and stays listed until host host-2 reports that its Pod has ended: if it is off for good, kubectl delete node host-2, or taint it node.kubernetes.io/out-of-service',
        needsPerson: true,
      },
    ]);
  });
});

describe('two lost hosts', () => {
  it('are both named, with what is waited for and what a person can do', () => {
    const nodes = four().map((one) => (one.id === 3 ? { ...one, pod: pod(3), answer: silentFor(60_000) } : one));
    const hostFindings = new Map([
      ['node-uid-2', finding({ state: 'notReady' })],
      ['node-uid-3', finding({ host: 'host-3' })],
    ]);
    const { holds } = planLostHosts(lost({ nodes, hostFindings }));
    expect(new Set(holds.map(({ reason, message }) => `${reason}: ${message}`))).to.deep.equal(
      new Set([
        'HostsLost: hosts host-2, host-3 of demo-2, demo-3 are not ready or gone: nobody is replaced by itself before all but one are back; if one is gone for good: kubectl mkv replace demo-2 -n default',
      ]),
    );
  });
});

describe('the host that is asked about', () => {
  const asked = (change: Partial<NodeRecord>) => awayMembers(lost({ nodes: four(change) }));
  const own = (change: Parameters<typeof pod>[1]) => pod(2, { isReady: false, ...change });
  const rows: readonly (readonly [string, Partial<NodeRecord>, boolean])[] = [
    ['has been silent for half a minute', {}, true],
    ['has been silent for less', { answer: silentFor(29_999) }, false],
    ['has been silent for longer while its Pod is called ready', { pod: pod(2), answer: silentFor(60_000) }, true],
    ['has been silent for less while its Pod is called ready', { pod: pod(2), answer: silentFor(59_999) }, false],
    ['is ready', { pod: pod(2), answer: serving(LEFT) }, false],
    ['is ready and was not asked yet', { pod: pod(2), answer: notAsked }, false],
    [
      'is ready and takes no password that is known',
      { pod: pod(2), answer: { ...silentFor(600_000), isLocked: true } as MemberAnswer },
      false,
    ],
    ['has no Pod', { pod: undefined, answer: notAsked }, false],
    ['ends again and again', { pod: own({ waiting: { reason: 'CrashLoopBackOff', message: '' } }) }, false],
    ['is about to start', { pod: own({ waiting: { reason: 'ContainerCreating', message: '' } }) }, true],
    ['is joining', { answer: joining }, false],
    ['answers behind its closed door', { answer: sealed, pod: sealedPod(2, { isReady: false }) }, false],
    ['is ending as it should', { pod: own({ isTerminating: true, terminationDueMs: NOW_MS }) }, false],
    ['does not end', { pod: own({ isTerminating: true, terminationDueMs: NOW_MS - 30_000 }) }, true],
    ['has no host that takes it', { pod: own({ hostName: undefined, unschedulable: 'no' }), answer: notAsked }, true],
    [
      'has no host, and never had a volume',
      { pod: own({ hostName: undefined, unschedulable: 'no' }), answer: notAsked, wasActive: false },
      false,
    ],
    ['has no host yet', { pod: own({ hostName: undefined }), answer: notAsked }, false],
    ['is somebody else’s', { pod: own({ ownerUid: 'other' }) }, false],
  ];
  for (const [what, change, isAsked] of rows)
    it(`is ${isAsked ? '' : 'not '}that of a member that ${what}`, () => {
      expect(asked(change).nodes.map(({ id }) => id)).to.deep.equal(isAsked ? [2] : []);
    });

  it('is looked at when the silence has lasted long enough', () => {
    expect(asked({ answer: silentFor(10_000) }).requeueAfterMs).to.equal(20_000);
    expect(asked({ pod: pod(2), answer: silentFor(10_000) }).requeueAfterMs).to.equal(50_000);
  });
});
