// Whether a removal may begin. Four healthy members of which demo-3 is to go; every row changes one thing.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type Candidate,
  type ClusterObservation,
  type NodeRecord,
  preflight,
  presentTopology,
  RETRY_DELAY_MS,
  retryAllowed,
} from '../../src/index.ts';
import {
  freshPod,
  joining,
  line,
  MONOTONIC_MS,
  NOW_MS,
  node,
  nodes,
  notAsked,
  observation,
  pod,
  serving,
  silent,
  views,
  volume,
  withNode,
} from '../support/builders.ts';
import { factsOfAll, type Shown } from '../support/facts.ts';

const IDS = [0, 1, 2, 3];
const four = nodes(4);
type ObservationChange = NonNullable<Parameters<typeof observation>[0]>;
type Spec = NonNullable<NonNullable<ObservationChange['cluster']>['spec']>;

const seen = (change: ObservationChange = {}): ClusterObservation =>
  observation({ nodes: four, facts: factsOfAll(IDS), ...change });
const withSpec = (spec: Spec) => seen({ cluster: { spec } });
/** Every member is complete but this one. */
const withFacts = (id: number, shown: Shown) => seen({ facts: factsOfAll(IDS, {}, { [id]: shown }) });
const withChange = (id: number, change: Partial<NodeRecord>) => seen({ nodes: withNode(four, id, change) });

const candidateOf = (o: ClusterObservation, basis: Candidate['basis'] = 'Proof', id = 3): Candidate => {
  const found = o.nodes.find((entry) => entry.id === id);
  if (found === undefined) throw new Error(`no node ${id}`);
  return { node: found, type: 'Remove', basis, chosen: '' };
};
const missing = (o: ClusterObservation, basis: Candidate['basis'] = 'Proof') =>
  preflight(o, candidateOf(o, basis)).missing;
const failing = (o: ClusterObservation, basis: Candidate['basis'] = 'Proof') =>
  preflight(o, candidateOf(o, basis)).checks.find((check) => !check.passed)?.name;

/** The last comparison found records of demo-0 missing on this member. */
const lackingOn = (home: string, topology = presentTopology(four)?.hash ?? ''): ClusterObservation =>
  seen({
    cluster: {
      verification: {
        state: 'Missing',
        topology,
        at: '2026-01-01T00:05:00Z',
        message: `1 record of demo-0 is missing on ${home}`,
        members: [{ name: 'demo-0', partitionsDone: 4_095, missing: [{ home, partitions: 1, records: 1 }] }],
      },
    },
  });

describe('the preflight of a removal', () => {
  it('passes for a healthy cluster with every check in its order', () => {
    const result = preflight(seen(), candidateOf(seen()));
    expect(result.missing).to.equal(undefined);
    expect(result.checks.map((check) => check.name)).to.deep.equal([
      'replicationFactorAboveOne',
      'floor',
      'sameReplicationFactor',
      'nobodyElseLeaving',
      'volumesKept',
      'notFollowing',
      'membersReady',
      'membershipAgreed',
      'membersMatchNodes',
      'nobodyJoining',
      'recordsInPlace',
      'meshComplete',
      'writesAllowed',
      'noRejoin',
      'diskFits',
    ]);
  });

  it('waits also for records that only the candidate lacks, and passes when that was found about other members', () => {
    expect(missing(lackingOn('demo-3'))?.reason).to.equal('RecordsMissing');
    expect(missing(lackingOn('demo-2', 'of other members'))).to.equal(undefined);
  });

  it('passes for an operator that has just started, and right after a change of the members, since members are compared', () => {
    const fresh = { shownSinceMs: MONOTONIC_MS, aloneSinceMs: undefined, figures: { upSeconds: 3, clients: 9 } };
    expect(missing(seen({ facts: factsOfAll(IDS, fresh) }))).to.equal(undefined);
  });

  it('stops at the first check that fails', () => {
    const { checks } = preflight(withChange(1, { answer: silent }), candidateOf(seen()));
    expect(checks.map((check) => check.passed)).to.deep.equal([...Array<boolean>(6).fill(true), false]);
  });

  const other = (change: Partial<NodeRecord>) => withChange(1, change);
  const rows: readonly (readonly [string, string, string, string, ClusterObservation])[] = [
    [
      'too few would stay',
      'floor',
      'AtFloor',
      '2 would be left without demo-3, and replicationFactor 2 needs 3',
      seen({ nodes: four.slice(1), facts: factsOfAll([1, 2, 3]) }),
    ],
    [
      'members still run with more copies than the spec asks for',
      'floor',
      'AtFloor',
      '3 would be left without demo-3, and replicationFactor 3 needs 4',
      seen({ nodes: four.map((entry) => ({ ...entry, replicationFactor: 3 })) }),
    ],
    [
      'two place copies differently',
      'sameReplicationFactor',
      'MixedReplicationFactor',
      'demo-0 runs with replicationFactor 3, demo-1 with 2: all get the same first',
      seen({ nodes: withNode([...nodes(5)], 0, { replicationFactor: 3 }), facts: factsOfAll([0, 1, 2, 3, 4]) }),
    ],
    [
      'another one leaves',
      'nobodyElseLeaving',
      'MemberLeaving',
      'demo-1 was told to leave',
      other({ intent: 'Leaving' }),
    ],
    [
      'another one is marked',
      'nobodyElseLeaving',
      'MemberLeaving',
      'demo-1 was told to leave',
      other({ removalMark: 'x' }),
    ],
    [
      'the Pod of another one was told to leave',
      'nobodyElseLeaving',
      'MemberLeaving',
      'demo-1 was told to leave',
      other({ pod: pod(1, { isLeaving: true }) }),
    ],
    [
      'the door of another one is closed',
      'nobodyElseLeaving',
      'MemberLeaving',
      'demo-1 was told to leave',
      other({ intent: 'Sealed' }),
    ],
    [
      'another one lost its volume',
      'volumesKept',
      'VolumeLost',
      'the volume of demo-1 is gone',
      other({ volume: undefined }),
    ],
    [
      'another one has no Pod',
      'membersReady',
      'PodMissing',
      'demo-1 has no Pod',
      other({ pod: undefined, answer: notAsked }),
    ],
    [
      'the Pod of another one ends (F49)',
      'membersReady',
      'MemberNotActive',
      'the Pod of demo-1 is ending',
      other({ pod: pod(1, { isTerminating: true }) }),
    ],
    [
      'the Pod of another one is not ready',
      'membersReady',
      'MemberNotActive',
      'the Pod of demo-1 is not ready',
      other({ pod: pod(1, { isReady: false }) }),
    ],
    [
      'a survivor does not answer (F46)',
      'membersReady',
      'MemberSilent',
      'demo-1 has not answered since 00:09:48',
      other({ answer: silent }),
    ],
    [
      'the candidate itself does not answer: it has something to prove (F45)',
      'membersReady',
      'MemberSilent',
      'demo-3 has not answered since 00:09:48',
      withChange(3, { answer: silent }),
    ],
    [
      'a survivor was not asked yet',
      'membersReady',
      'NotObserved',
      'demo-1 was not asked yet',
      other({ answer: notAsked }),
    ],
    [
      'a survivor still joins',
      'membersReady',
      'MemberJoining',
      'demo-1 does not serve commands yet',
      other({ answer: joining, pod: pod(1, { isReady: false }) }),
    ],
    [
      'a survivor that was Active before joins again: that may last for ever',
      'membersReady',
      'MemberJoining',
      'demo-1 was Active before and is joining again: should that last, restart its Pod, or accept the loss of what only it holds by annotating it marekvs.io/force-remove=node-uid-1/<reason>',
      other({ answer: joining, pod: pod(1, { isReady: false }), wasActive: true }),
    ],
    [
      'a survivor that was Active before and was deleted joins again: without its Pod it would count as given up',
      'membersReady',
      'MemberJoining',
      'demo-1 was Active before and is joining again: should that last, accept the loss of what only it holds by annotating it marekvs.io/force-remove=node-uid-1/<reason>',
      other({ answer: joining, pod: pod(1, { isReady: false }), wasActive: true, isDeleting: true }),
    ],
    [
      'the members show different lists (F46)',
      'membershipAgreed',
      'ViewsDisagree',
      'members show different lists: demo-0, demo-2, demo-3 show 0,1,2,3; demo-1 show 0,1,2',
      other({ answer: serving(views(3)) }),
    ],
    [
      'nobody lists a node',
      'membersMatchNodes',
      'MemberMissing',
      'no member shows demo-3',
      seen({ nodes: four.map((entry) => ({ ...entry, answer: serving(views(3)) })) }),
    ],
    [
      'the members list one without a node',
      'membersMatchNodes',
      'MemberWithoutNode',
      'the members show 7 beside those that were asked',
      seen({ nodes: four.map((entry) => ({ ...entry, answer: serving([...views(4), line(7)]) })) }),
    ],
    [
      'a member has no primaries in the list of all, and nobody here has told it to leave',
      'nobodyJoining',
      'DrainedFromOutside',
      'demo-2 was drained from outside and leads nothing: that is put right first',
      seen({
        nodes: four.map((entry) => ({
          ...entry,
          answer: serving(IDS.map((id) => line(id, { hasPrimaries: id !== 2 }))),
        })),
      }),
    ],
    [
      'records are known to be missing on one that stays',
      'recordsInPlace',
      'RecordsMissing',
      '1 record of demo-0 is missing on demo-2: it begins when they have arrived',
      lackingOn('demo-2'),
    ],
    [
      'a member has too few connections',
      'meshComplete',
      'MeshIncomplete',
      'demo-1 has 2 of 3 mesh connections',
      withFacts(1, { meshPeers: 2 }),
    ],
    [
      'a member gives no figure',
      'meshComplete',
      'NotObserved',
      'the figures of demo-1 are not known yet',
      withFacts(1, { meshPeers: undefined }),
    ],
    [
      'the disk of a member is full',
      'writesAllowed',
      'DiskFull',
      'demo-1 has stopped writes because its disk is full',
      withFacts(1, { figures: { writeStopped: 1 } }),
    ],
    [
      'a member takes up an old volume',
      'noRejoin',
      'MemberNotActive',
      'demo-1 is still taking up its old volume',
      withFacts(1, { figures: { rejoinActive: 1 } }),
    ],
    [
      'a member has no statistics yet',
      'meshComplete',
      'NotObserved',
      'the figures of demo-1 are not known yet',
      withFacts(1, { figures: { isFresh: false } }),
    ],
    [
      'the last figures of a member are old',
      'meshComplete',
      'NotObserved',
      'the figures of demo-1 are not known yet',
      withFacts(1, { atMs: MONOTONIC_MS - 4_001 }),
    ],
    [
      'another process speaks from the Pod of a member',
      'meshComplete',
      'NotObserved',
      'the figures of demo-1 are not known yet',
      withFacts(1, { podUid: 'earlier' }),
    ],
    [
      'a member does not say whether it takes writes',
      'writesAllowed',
      'NotObserved',
      'the figures of demo-1 are not known yet',
      withFacts(1, { figures: { writeStopped: undefined } }),
    ],
    [
      'the disk of a survivor is too small',
      'diskFits',
      'DiskTooSmall',
      'demo-1 would hold 9.2 of 9.3 GiB: with twice its share of demo-3 it has to stay below 90 %',
      withFacts(1, { figures: { diskAvailBytes: 1.2e8 } }),
    ],
    [
      'the member follows an upstream',
      'notFollowing',
      'FollowsUpstream',
      'demo-3 follows an upstream Redis, and that feed would end with it: take MAREKVS_REPLICAOF out of spec.extraEnv',
      withSpec({ extraEnv: { MAREKVS_REPLICAOF: 'redis:6379' } }),
    ],
  ];
  for (const [sentence, name, reason, message, o] of rows)
    it(`waits when ${sentence}`, () => {
      expect(failing(o)).to.equal(name);
      expect(missing(o)).to.deep.include({ reason, message });
    });

  it('passes for a node that has to go anyway when members run with different replicationFactors', () => {
    const mixed = withNode(withNode(four, 0, { replicationFactor: 3 }), 3, { isDeleting: true });
    expect(failing(seen({ nodes: mixed }))).to.not.equal('sameReplicationFactor');
  });

  it('refuses with replicationFactor 1 and names both ways out', () => {
    const list = nodes(4).map((entry) => ({ ...entry, replicationFactor: 1 }));
    const o = seen({ nodes: list, cluster: { spec: { replicationFactor: 1 } } });
    expect(missing(o)).to.deep.equal({
      reason: 'ReplicationFactorOne',
      message:
        'with replicationFactor 1 nobody else has what demo-3 holds: raise spec.replicationFactor to 2 or more, or accept the loss by annotating it marekvs.io/force-remove=node-uid-3/<reason>',
      needsPerson: true,
    });
  });

  it('refuses when the spec was raised but members still run with 1', () => {
    const list = nodes(4).map((entry) => ({ ...entry, replicationFactor: 1 }));
    expect(missing(seen({ nodes: list }))?.message).to.contain('replicationFactor 2 reaches demo-3 first');
  });

  it('passes for a node with a lost volume beside another one, since the process of each has its copies', () => {
    const lost = withNode(withNode(four, 3, { volume: undefined }), 1, { volume: undefined });
    expect(missing(seen({ nodes: lost }))).to.equal(undefined);
  });

  it('passes beside nodes that a person deleted and that wait for their turn', () => {
    expect(missing(withChange(1, { isDeleting: true, deletedAtMs: NOW_MS }))).to.equal(undefined);
  });
});

describe('the preflight without the candidate’s answer', () => {
  const survivors = nodes(3);
  const facts = factsOfAll([0, 1, 2]);
  const dead = node(3, { volume: undefined, pod: undefined, answer: notAsked });
  const unjoined = (id: number) =>
    node(id, {
      serving: false,
      createdAtMs: NOW_MS,
      pod: freshPod(id),
      volume: volume(id, { createdAtMs: NOW_MS }),
      answer: notAsked,
    });

  it('passes for a dead candidate when the survivors agree without it', () => {
    expect(missing(seen({ nodes: [...survivors, dead], facts }), 'Dead')).to.equal(undefined);
  });

  it('waits for a dead candidate while the survivors still list it', () => {
    const listed = survivors.map((entry) => ({ ...entry, answer: serving(views(4)) }));
    expect(failing(seen({ nodes: [...listed, dead], facts: factsOfAll([0, 1, 2], { ids: IDS }) }), 'Dead')).to.equal(
      'membersMatchNodes',
    );
  });

  it('passes for a candidate that never joined, also while disks are unknown', () => {
    const unknown = factsOfAll([0, 1, 2], { figures: { diskAvailBytes: undefined } });
    const o = seen({ nodes: [...survivors, unjoined(3)], facts: unknown });
    expect(missing(o, 'NeverJoined')).to.equal(undefined);
  });

  it('passes beside a second node that never joined, since the two would wait for each other for ever', () => {
    const o = seen({ nodes: [...survivors, unjoined(3), unjoined(4)], facts });
    expect(missing(o, 'NeverJoined')).to.equal(undefined);
  });

  describe('for a candidate that is joining and listed', () => {
    const isJoiner = (id: number) => id > 2;
    const joiner = (id: number) => ({ ...unjoined(id), pod: pod(id, { isReady: false }), answer: joining });
    const withJoiners = (ids: readonly number[]) => {
      const view = ids.map((id) => line(id, { hasPrimaries: !isJoiner(id) }));
      const members = nodes(3).map((entry) => ({ ...entry, answer: serving(view) }));
      const facts = factsOfAll([0, 1, 2], { view });
      return seen({ nodes: [...members, ...ids.filter(isJoiner).map(joiner)], facts });
    };

    it('passes, also beside a second such node', () => {
      expect(missing(withJoiners([0, 1, 2, 3]), 'NeverJoined')).to.equal(undefined);
      expect(missing(withJoiners([0, 1, 2, 3, 4]), 'NeverJoined')).to.equal(undefined);
    });

    it('still makes the removal of another node wait while it joins', () => {
      const o = withJoiners([0, 1, 2, 3]);
      expect(preflight(o, candidateOf(o, 'Proof', 2)).missing?.message).to.equal('demo-3 does not serve commands yet');
    });
  });

  it('passes beside a second node that was deleted and has no process left', () => {
    const gone = node(4, { isDeleting: true, deletedAtMs: NOW_MS, pod: undefined, answer: notAsked });
    expect(missing(seen({ nodes: [...survivors, dead, gone], facts }), 'Dead')).to.equal(undefined);
  });

  it('needs replicationFactor + 1 survivors for a dead candidate, too', () => {
    const o = seen({ nodes: [...nodes(2), dead], facts: factsOfAll([0, 1]) });
    expect(failing(o, 'Dead')).to.equal('floor');
  });

  const skipped: readonly (readonly [string, ClusterObservation])[] = [
    ['disks that are too small', withFacts(1, { figures: { diskAvailBytes: 0 } })],
    [
      'replicationFactor 1',
      seen({
        nodes: four.map((entry) => ({ ...entry, replicationFactor: 1 })),
        cluster: { spec: { replicationFactor: 1 } },
      }),
    ],
    ['its own silence', withChange(3, { answer: silent })],
  ];
  for (const [sentence, o] of skipped)
    it(`passes for a candidate forced out despite ${sentence}`, () => {
      expect(missing(o)).to.not.equal(undefined);
      expect(missing(o, 'Forced')).to.equal(undefined);
    });

  const kept: readonly (readonly [string, string, ClusterObservation])[] = [
    ['floor', 'too few would stay', seen({ nodes: four.slice(1), facts: factsOfAll([1, 2, 3]) })],
    ['nobodyElseLeaving', 'another one leaves', withChange(1, { removalMark: 'x' })],
    ['membersReady', 'a survivor is silent', withChange(1, { answer: silent })],
    ['writesAllowed', 'a survivor takes no writes', withFacts(1, { figures: { writeStopped: 1 } })],
  ];
  for (const [name, sentence, o] of kept)
    it(`waits for a candidate forced out when ${sentence}: force skips the proof, never the order`, () => {
      expect(failing(o, 'Forced')).to.equal(name);
    });
});

describe('another attempt to remove a node', () => {
  const failed = {
    id: '3-abc',
    type: 'Remove',
    target: { name: 'demo-3', uid: 'node-uid-3', nodeId: 3 },
    outcome: 'Failed',
    reason: 'RolledBack',
    startedAt: '2026-01-01T00:00:00Z',
    finishedAt: '2026-01-01T00:05:00Z',
    specGeneration: 1,
  } as const;
  const FINISHED_MS = Date.parse(failed.finishedAt);
  type Last = ClusterObservation['cluster']['lastOperation'];
  const retry = (lastOperation: Last, agoMs: number, generation = 1) =>
    retryAllowed(seen({ nowMs: FINISHED_MS + agoMs, cluster: { generation, lastOperation } }));

  it('waits ten minutes after an attempt that was undone, and says until when', () => {
    expect(retry(failed, 0)).to.deep.equal({
      reason: 'RetryDelayed',
      message: 'the removal of demo-3 was undone: the next one is tried at 00:15:00, or when the spec changes',
      needsPerson: false,
    });
  });

  const table: readonly (readonly [string, Last, number, number, boolean])[] = [
    ['a moment after one that was taken back at its deadline', { ...failed, reason: 'DeadlineExceeded' }, 0, 1, false],
    ['a millisecond before ten minutes are over', failed, RETRY_DELAY_MS - 1, 1, false],
    ['when ten minutes are over', failed, RETRY_DELAY_MS, 1, true],
    ['when the spec has changed', failed, 0, 2, true],
    ['when the last one succeeded', { ...failed, outcome: 'Succeeded' }, 0, 1, true],
    ['when the last one was cancelled', { ...failed, outcome: 'Cancelled' }, 0, 1, true],
    ['when there was none', undefined, 0, 1, true],
    ['when the clock of whoever wrote it was a second ahead', failed, -1_000, 1, false],
    ['when the clock was set back by an hour: nobody waits for that long', failed, -3_600_000, 1, true],
    ['when the time on record is none', { ...failed, finishedAt: 'soon' }, 0, 1, true],
  ];
  for (const [sentence, last, agoMs, generation, isAllowed] of table)
    it(`is ${isAllowed ? '' : 'not '}made ${sentence}`, () => {
      expect(retry(last, agoMs, generation) === undefined).to.equal(isAllowed);
    });
});

describe('the preflight for a node that was told to leave before', () => {
  const view = IDS.map((id) => line(id, { hasPrimaries: id !== 3 }));
  const leaving = (own: NodeRecord['volume']) =>
    seen({
      nodes: four.map((entry) => ({
        ...entry,
        answer: serving(view),
        ...(entry.id === 3 ? { pod: pod(3, { isLeaving: true }), volume: own } : {}),
      })),
      facts: factsOfAll(IDS, { view }),
    });

  it('passes while its volume is being deleted or is gone, since only its removal can help', () => {
    expect(missing(leaving(volume(3, { isTerminating: true })))).to.equal(undefined);
    expect(missing(leaving(undefined))).to.equal(undefined);
  });

  it('waits otherwise until the node has been restarted', () => {
    expect(failing(leaving(volume(3)))).to.equal('nobodyJoining');
  });
});
