// What the status of a cluster says: phase, conditions and figures for every state, and how urgent a change is.

import {
  CLUSTER_CONDITION_TYPES,
  type ClusterConditionType,
  findCondition,
  MAX,
  type MarekvsClusterStatus,
  type PendingChange,
} from '@marekvs/api';
import type { ClusterObservation, NodeRecord } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  CREATED_MS,
  freshNode,
  freshPod,
  HASH,
  keptRevisions,
  line,
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
} from '../../planner/test/support/builders.ts';
import { statusChange } from '../src/cluster/status/status-change.ts';
import { FORMED, IDENTITY, statusOf } from './support/objects.ts';

const said = (status: MarekvsClusterStatus, type: ClusterConditionType) => {
  const found = findCondition(status.conditions, type);
  return found === undefined ? 'absent' : `${found.status} ${found.reason}`;
};

const lost = { volume: undefined, pod: undefined, answer: notAsked } satisfies Partial<NodeRecord>;
const two = serving([line(0), line(2)]);
/** demo-1 is away, and the other members have noticed. */
const away = (change: Partial<NodeRecord>) =>
  nodes(3).map((entry) => (entry.id === 1 ? { ...entry, answer: notAsked, ...change } : { ...entry, answer: two }));

interface Row {
  readonly state: string;
  readonly o: ClusterObservation;
  readonly phase: MarekvsClusterStatus['phase'];
  /** Omitted where it depends on how an unknown membership counts. */
  readonly readyNodes?: number;
  readonly conditions: Partial<Readonly<Record<ClusterConditionType, string>>>;
}

const TABLE: readonly Row[] = [
  {
    state: 'healthy',
    o: observation(),
    phase: 'Healthy',
    readyNodes: 3,
    conditions: {
      Ready: 'True AllMembersReady',
      Available: 'True AsExpected',
      FullyReplicated: 'Unknown NotCompared',
      Rescaling: 'False ReplicasMatchSpec',
      RollingOut: 'False TemplateCurrent',
      Reconciling: 'False AsExpected',
      Stalled: 'False AsExpected',
      DataAtRisk: 'False AsExpected',
      Paused: 'False NotPaused',
      PendingChange: 'False AsExpected',
    },
  },
  {
    state: 'just created',
    o: observation({ nodes: [], nowMs: CREATED_MS, cluster: { isFormed: false, highestNodeId: -1 } }),
    phase: 'Reconciling',
    readyNodes: 0,
    conditions: {
      Ready: 'False Forming',
      Available: 'False Forming',
      Rescaling: 'True Forming',
      Reconciling: 'True OperationInProgress',
    },
  },
  {
    state: 'growing',
    o: observation({ nodes: [...nodes(3), freshNode(3)], cluster: { spec: { nodes: 4 } } }),
    phase: 'ScalingUp',
    readyNodes: 3,
    conditions: {
      Ready: 'False ScalingClusterUp',
      Available: 'True AsExpected',
      Rescaling: 'True ScalingClusterUp',
      Stalled: 'False AsExpected',
    },
  },
  {
    state: 'asked to shrink, the figures of its members not known yet',
    o: observation({ nodes: nodes(5) }),
    phase: 'ScalingDown',
    readyNodes: 5,
    conditions: {
      Ready: 'False ScalingClusterDown',
      Available: 'True AsExpected',
      Rescaling: 'True ScalingClusterDown',
      Stalled: 'False AsExpected',
    },
  },
  {
    state: 'raised to the floor',
    o: observation({ cluster: { spec: { nodes: 1 } } }),
    phase: 'Healthy',
    readyNodes: 3,
    conditions: { Ready: 'True AllMembersReady', Stalled: 'False AsExpected' },
  },
  {
    state: 'one Pod gone',
    o: observation({ nodes: away({ pod: undefined }) }),
    phase: 'Reconciling',
    readyNodes: 2,
    conditions: { Ready: 'False Repairing', Available: 'True AsExpected', Rescaling: 'True Repairing' },
  },
  {
    state: 'one Pod crash-looping',
    o: observation({
      nodes: away({ pod: pod(1, { isReady: false, waiting: { reason: 'CrashLoopBackOff', message: '' } }) }),
    }),
    phase: 'Blocked',
    readyNodes: 2,
    conditions: {
      Ready: 'False CrashLooping',
      Stalled: 'True CrashLooping',
      Available: 'True AsExpected',
      Reconciling: 'False AsExpected',
    },
  },
  {
    state: 'one volume lost',
    o: observation({ nodes: withNode(away({}), 1, lost) }),
    phase: 'Reconciling',
    readyNodes: 2,
    conditions: {
      Ready: 'False VolumeLost',
      DataAtRisk: 'True VolumeLost',
      Rescaling: 'True Repairing',
      Stalled: 'False AsExpected',
    },
  },
  {
    state: 'every volume lost',
    o: observation({ nodes: nodes(3).map((entry) => ({ ...entry, ...lost })) }),
    phase: 'Blocked',
    readyNodes: 0,
    conditions: {
      Ready: 'False TotalLoss',
      Stalled: 'True TotalLoss',
      DataAtRisk: 'True TotalLoss',
      Available: 'False MemberMissing',
    },
  },
  {
    state: 'one member silent (F46)',
    o: observation({ nodes: withNode(nodes(3), 1, { answer: silent }) }),
    phase: 'Reconciling',
    conditions: { Ready: 'False MemberSilent', Stalled: 'False AsExpected' },
  },
  {
    state: 'one member that has stopped writes',
    o: observation({ nodes: withNode(nodes(3), 1, { answer: { ...serving(views(3)), isWriteStopped: true } }) }),
    phase: 'Blocked',
    readyNodes: 3,
    conditions: { Ready: 'False DiskFull', Stalled: 'True DiskFull', Available: 'True AsExpected' },
  },
  {
    state: 'members that disagree (F46)',
    o: observation({ nodes: withNode(nodes(3), 1, { answer: serving([line(1)]) }) }),
    phase: 'Reconciling',
    conditions: { Ready: 'False ViewsDisagree' },
  },
  {
    state: 'paused and whole',
    o: observation({ cluster: { spec: { paused: true } } }),
    phase: 'Healthy',
    readyNodes: 3,
    conditions: { Ready: 'True AllMembersReady', Paused: 'True Paused' },
  },
  {
    state: 'paused with nodes to add',
    o: observation({ cluster: { spec: { paused: true, nodes: 5 } } }),
    phase: 'ScalingUp',
    readyNodes: 3,
    conditions: { Ready: 'False ScalingClusterUp', Paused: 'True Paused' },
  },
  {
    state: 'of an invalid spec (F16)',
    o: observation({ cluster: { problems: [{ path: 'spec.image', message: 'spec.image must name an image' }] } }),
    phase: 'Blocked',
    readyNodes: 3,
    conditions: { Ready: 'False InvalidSpec', Stalled: 'True InvalidSpec' },
  },
  {
    state: 'a node deleted by hand',
    o: observation({ nodes: withNode(nodes(3), 1, { isDeleting: true }) }),
    phase: 'Reconciling',
    readyNodes: 3,
    conditions: { Ready: 'False Repairing', Rescaling: 'True Repairing', Stalled: 'False AsExpected' },
  },
];

describe('the status of a cluster', () => {
  for (const { state, o, phase, readyNodes, conditions } of TABLE) {
    it(`${state}: ${phase}, ${Object.entries(conditions)
      .map(([type, text]) => `${type} ${text}`)
      .join(', ')}`, () => {
      const status = statusOf(o);
      const types = Object.keys(conditions) as ClusterConditionType[];
      expect(Object.fromEntries(types.map((type) => [type, said(status, type)]))).to.deep.equal(conditions);
      expect(status.phase).to.equal(phase);
      if (readyNodes !== undefined) expect(status.readyNodes).to.equal(readyNodes);
    });
  }

  for (const { state, o } of TABLE) {
    it(`${state}: every condition has the generation and a message of one line`, () => {
      for (const condition of statusOf(o).conditions ?? []) {
        expect(CLUSTER_CONDITION_TYPES).to.include(condition.type);
        expect(condition.observedGeneration).to.equal(1);
        expect(condition.message).to.match(/^[^\n]{1,1024}$/);
      }
    });

    it(`${state}: is the same an hour later, so that a cluster at rest causes no write`, () => {
      // Both moments are later than every limit; what was reported at the first one stays.
      const settled = { ...o, nowMs: o.nowMs + 3_600_000 };
      const first = statusOf(settled, { cluster: { ...clusterWith(o), status: {} } });
      const later = { ...settled, nowMs: settled.nowMs + 3_600_000 };
      const second = statusOf(later, { cluster: { ...clusterWith(o), status: first } });
      expect(statusChange(first, second)).to.equal('none');
    });
  }

  describe('of a field that is asked for and not in force', () => {
    const factor: PendingChange = {
      field: 'spec.replicationFactor',
      asked: '5',
      effective: '2',
      reason: 'AuthNotInForce',
      why: 'all members have to share it',
      wayOut: 'set it back',
      needsPerson: true,
    };
    const image = { ...factor, field: 'spec.image', asked: 'marekvs:2', effective: 'marekvs:1' };
    const healthy = observation();
    const next = (pending: readonly PendingChange[], before: MarekvsClusterStatus, nowMs = NOW_MS) =>
      statusOf({ ...healthy, nowMs }, { cluster: { ...clusterWith(healthy), status: before } }, pending);

    it('has a condition with both values, the reason and the way out', () => {
      expect(findCondition(statusOf(healthy, {}, [factor]).conditions, 'PendingChange')).to.deep.include({
        status: 'True',
        reason: 'AuthNotInForce',
        message: 'spec.replicationFactor: 5 is asked for and 2 is in force (all members have to share it; set it back)',
      });
    });

    it('is not fine in phase, message, and for kstatus, although its members are ready', () => {
      const status = statusOf(healthy, {}, [factor]);
      expect(status.phase).to.equal('Reconciling');
      expect(status.message).to.equal(
        '3 of 3 members are ready and agree; spec.replicationFactor: 5 is asked for and 2 is in force',
      );
      expect(said(status, 'Reconciling')).to.equal('True AuthNotInForce');
      expect(said(status, 'Ready')).to.equal('True AllMembersReady');
    });

    it('has a time for that field, which an edit of another field does not change', () => {
      const first = next([factor], {});
      const second = next([factor, image], first, NOW_MS + 60_000);
      const again = next([{ ...factor, asked: '4' }, image], second, NOW_MS + 120_000);
      const since = (status: MarekvsClusterStatus) =>
        status.pendingChanges?.map((one) => Date.parse(one.since) - NOW_MS);
      expect([since(first), since(second), since(again)]).to.deep.equal([[0], [0, 60_000], [120_000, 60_000]]);
    });

    it('has nothing left of it once it is in force', () => {
      const after = next([], next([factor], {}));
      expect([said(after, 'PendingChange'), after.pendingChanges, after.phase]).to.deep.equal([
        'False AsExpected',
        undefined,
        'Healthy',
      ]);
    });

    it('is never cut inside a character: stored as another one, it would be written again and again', () => {
      for (const before of ['', 'x']) {
        const why = `${before}${'🚫'.repeat(300)}`;
        const many = Array.from({ length: 8 }, (_, i) => ({ ...factor, field: `spec.f${i}`, asked: why, why }));
        // JSON shows half a character as an escape.
        expect(JSON.stringify(statusOf(healthy, {}, many))).to.not.match(/\\ud[89a-f]/);
      }
    });

    it('is written once and then stays the same', () => {
      const first = next([factor], {});
      expect(statusChange(first, next([factor], first, NOW_MS + 3_600_000))).to.equal('none');
    });
  });

  it('has what the scale subresource reads: replicas and the selector', () => {
    expect(statusOf(observation())).to.deep.include({
      replicas: 3,
      selector: 'app.kubernetes.io/managed-by=marekvs-operator,marekvs.io/cluster=demo',
      desiredNodes: 3,
      instanceNames: ['demo-0', 'demo-1', 'demo-2'],
    });
  });

  it('lists detached volumes and keeps what it recorded about them', () => {
    const status = statusOf(observation({ volumes: [...nodes(3).flatMap((n) => n.volume ?? []), volume(7)] }));
    expect(status.detachedVolumes).to.deep.equal([
      { pvcName: 'data-demo-7', pvcUID: 'volume-uid-7', nodeId: 7, state: 'AgeUnknown' },
    ]);
    expect(status.highestNodeId).to.equal(7);
  });

  it('lists no more detached volumes than the API server accepts, lowest ids first', () => {
    const many = Array.from({ length: MAX.detachedVolumes + 5 }, (_, i) => volume(3 + i));
    const status = statusOf(observation({ volumes: [...nodes(3).flatMap((n) => n.volume ?? []), ...many] }));
    expect(status.detachedVolumes?.map(({ nodeId }) => nodeId)).to.deep.equal(
      many.slice(0, MAX.detachedVolumes).map(({ nodeId }) => nodeId),
    );
  });
});

function clusterWith(o: ClusterObservation) {
  return {
    apiVersion: 'marekvs.io/v1alpha1' as const,
    kind: 'MarekvsCluster' as const,
    metadata: {
      name: 'demo',
      namespace: 'default',
      uid: o.cluster.uid,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { image: 'marekvs:test' },
  };
}

describe('the reported risk for the data', () => {
  const messageOf = (change: Partial<NodeRecord>) =>
    findCondition(statusOf(observation({ nodes: withNode(nodes(3), 1, change) })).conditions, 'DataAtRisk')?.message;

  it('is, for a lost volume whose member still runs, that the process has the only copy, and what not to touch', () => {
    expect(messageOf({ volume: undefined })).to.equal(
      'the volume of demo-1 is gone, and what only it held is in a running process: leave its Pod and host alone until it is replaced',
    );
  });

  it('is, for a lost volume whose member has ended, a loss', () => {
    expect(messageOf(lost)).to.equal('the volume of demo-1 is gone: what only it held is lost');
  });
});

describe('a status that the existing operator wrote', () => {
  /** As it stands in etcd: its rate is a text, and its conditions are others that lack required fields. */
  const theirs = {
    phase: 'Updating',
    message: 'at target 3',
    desiredNodes: 3,
    readyNodes: 3,
    opsPerSecond: '12.3',
    conditions: [
      { type: 'MetricsAvailable', status: 'True', reason: 'AllScraped', message: '3/3', lastTransitionTime: 'x' },
      { type: 'ReconcileSucceeded', status: 'True', reason: 'Reconciled', message: 'y', lastTransitionTime: 'x' },
    ],
  } as unknown as MarekvsClusterStatus;

  it('is not carried over, neither its rate, which is a text, nor its conditions, which are not renewed', () => {
    const adoption = { kind: 'found', isOurs: true, isAsked: false } as const;
    for (const o of [
      observation(),
      observation({ nodes: [], volumes: [], cluster: { isFormed: false, adoption, highestNodeId: -1 } }),
    ]) {
      const status = statusOf(o, { cluster: { ...clusterWith(o), status: theirs } });
      expect(status.opsPerSecond).to.equal(undefined);
      for (const { type, observedGeneration } of status.conditions ?? [])
        expect([CLUSTER_CONDITION_TYPES.includes(type), observedGeneration], type).to.deep.equal([true, 1]);
    }
  });
});

describe('the condition Healthy', () => {
  const sick: readonly { readonly name: string; readonly change: Partial<NodeRecord> }[] = [
    { name: 'the Pod of one node is not ready', change: { pod: pod(1, { isReady: false }) } },
    { name: 'one node is not behind the Service yet', change: { pod: pod(1, { labels: {} }) } },
    { name: 'one node was not let in', change: { serving: false } },
    { name: 'one member is silent', change: { answer: silent } },
    { name: 'one member was not asked', change: { answer: notAsked } },
    { name: 'one member shows another list', change: { answer: serving(views(2)) } },
    { name: 'one Pod is gone', change: { pod: undefined } },
    { name: 'one node lost its volume', change: lost },
    { name: 'one node is being deleted', change: { isDeleting: true } },
  ];
  for (const { name, change } of sick) {
    it(`is not True when ${name}`, () => {
      const status = statusOf(observation({ nodes: withNode(nodes(3), 1, change) }));
      expect(status.phase).to.not.equal('Healthy');
      expect(said(status, 'Ready')).to.match(/^False /);
    });
  }

  it('is not True when one member has no primaries in the agreed lists', () => {
    const view = views(3).map((entry) => (entry.id === 1 ? line(1, { hasPrimaries: false }) : entry));
    const list = nodes(3).map((entry) => ({ ...entry, answer: serving(view) }));
    expect(statusOf(observation({ nodes: list })).phase).to.equal('Reconciling');
  });

  it('is not True for a cluster that is not yet formed, although all is well', () => {
    const o = observation({ cluster: { isFormed: false } });
    const status = statusOf(o);
    expect(status.phase).to.equal('Reconciling');
    expect(status.formed).to.deep.equal({ at: '2026-01-01T00:10:00Z', clusterId: IDENTITY });
  });

  it('is not True when there are fewer nodes than wanted', () => {
    expect(statusOf(observation({ cluster: { spec: { nodes: 4 } } })).phase).to.equal('ScalingUp');
  });
});

describe('the message of a cluster', () => {
  it('counts the ready members', () => {
    expect(statusOf(observation()).message).to.equal('3 of 3 members are ready and agree');
  });
  it('names first what a person has to clear, before what clears itself', () => {
    const list = withNode(withNode(nodes(3), 0, { answer: silent }), 1, {
      pod: freshPod(1, { unschedulable: 'no host fits' }),
    });
    expect(statusOf(observation({ nodes: list })).message).to.equal('Pod demo-1 has no host: no host fits');
  });
});

describe('the figures of a status', () => {
  const withOps = (opsPerSecond: number | undefined, o = observation(), status: MarekvsClusterStatus = FORMED) =>
    statusOf(o, { opsPerSecond, cluster: { ...clusterWith(o), status } });

  it('are rounded to two digits', () => {
    expect(withOps(3_141.59).opsPerSecond).to.equal(3_100);
  });
  it('stay while a new rate is measured', () => {
    expect(withOps(undefined, observation(), { ...FORMED, opsPerSecond: 500 }).opsPerSecond).to.equal(500);
  });
  it('are removed when a member is silent, since they are then unknown', () => {
    const o = observation({ nodes: withNode(nodes(3), 1, { answer: silent }) });
    expect(withOps(undefined, o, { ...FORMED, opsPerSecond: 500 })).to.not.have.property('opsPerSecond');
  });
});

describe('a change of status', () => {
  const base = () => statusOf(observation());

  it('does not exist between equal statuses, whatever the order of their keys', () => {
    const status = base();
    const reversed = Object.fromEntries(Object.entries(status).reverse());
    expect(statusChange(status, reversed)).to.equal('none');
  });
  it('is urgent when there was no status before', () => {
    expect(statusChange(undefined, base())).to.equal('urgent');
  });
  it('is volatile when only the rate or the gauge moved', () => {
    expect(statusChange({ ...base(), opsPerSecond: 10 }, { ...base(), opsPerSecond: 20 })).to.equal('volatile');
    expect(statusChange(base(), { ...base(), underreplicatedPartitions: 4096 })).to.equal('volatile');
  });
  it('is soft when only a message or a count moved', () => {
    expect(statusChange(base(), { ...base(), message: 'another' })).to.equal('soft');
  });
  it('is urgent when Ready changed, a person has to act, the spec changed or the cluster was formed', () => {
    const stalled = statusOf(observation({ nodes: nodes(5) }));
    expect(statusChange(base(), stalled)).to.equal('urgent');
    expect(statusChange({ ...base(), observedGeneration: 0 }, base())).to.equal('urgent');
    const { formed: _none, ...unformed } = base();
    expect(statusChange(unformed, base())).to.equal('urgent');
  });
  it('keeps lastTransitionTime while a condition keeps its status', () => {
    const first = base();
    const o = { ...observation({ cluster: { spec: { nodes: 1 } } }), nowMs: NOW_MS + 60_000 };
    const second = statusOf(o, { cluster: { ...clusterWith(o), status: first } });
    expect(findCondition(second.conditions, 'Ready')?.lastTransitionTime).to.equal('2026-01-01T00:10:00Z');
  });
});

describe('the turn of a member in the status', () => {
  const NEXT = 'bbbbbbbbbbbbbbbb';
  const roll = { name: 'demo-2', uid: 'node-uid-2', nodeId: 2, podUID: 'pod-uid-2', previous: HASH };
  const operation = {
    id: '2-turn',
    type: 'Roll',
    roll,
    specGeneration: 1,
    phase: 'Restarting',
    startedAt: new Date(NOW_MS - 10_000).toISOString(),
    timeline: [],
  } as const;
  /** Its Pod has ended and is made again. */
  const restarting = (replicationFactor: number, others: Partial<NodeRecord> = {}): MarekvsClusterStatus => {
    const gone = { pod: undefined, answer: notAsked, serving: false, removalMark: '2-turn', templateHash: NEXT };
    const list = withNode(withNode(nodes(3), 0, others), 2, gone).map((one) => ({ ...one, replicationFactor }));
    const revisions = keptRevisions([HASH, NEXT]);
    const cluster = { operation, templateHash: NEXT, spec: { replicationFactor, nodes: 3 } };
    return statusOf(observation({ nodes: list, revisions, cluster }));
  };
  const messageOf = (status: MarekvsClusterStatus, type: ClusterConditionType) =>
    findCondition(status.conditions, type)?.message;

  it('is named in the fields that scripts read', () => {
    expect(restarting(2).update).to.include({ revision: NEXT, updated: 0, total: 3, node: 'demo-2' });
  });

  it('leaves Available True, since every key has another home, unless a second member is away', () => {
    expect(said(restarting(2), 'Available')).to.equal('True AsExpected');
    expect(said(restarting(2, { pod: undefined, answer: notAsked }), 'Available')).to.equal('False MemberMissing');
  });

  it('makes Available False at replicationFactor 1, and the messages say why', () => {
    const single = restarting(1);
    expect(said(single, 'Available')).to.equal('False MemberMissing');
    for (const text of [messageOf(single, 'RollingOut'), single.message])
      expect(text).to.include('with replicationFactor 1 the keys of a member are away for the seconds of its turn');
    expect(messageOf(restarting(2), 'RollingOut')).to.not.include('replicationFactor');
  });

  it('affects Available in the same way when the member is suspended', () => {
    const suspended = (replicationFactor: number): MarekvsClusterStatus => {
      const off = {
        pod: undefined,
        answer: notAsked,
        serving: false,
        stopped: 'Suspended',
        removalMark: '2-turn',
      } as const;
      const list = withNode(nodes(3), 2, off).map((one) => ({ ...one, replicationFactor }));
      const asleep = { ...operation, type: 'Suspend', phase: 'Suspended' } as const;
      const cluster = { operation: asleep, spec: { replicationFactor, nodes: 3 } };
      return statusOf(observation({ nodes: list, cluster }));
    };
    expect([2, 1].map((factor) => said(suspended(factor), 'Available'))).to.deep.equal([
      'True AsExpected',
      'False MemberMissing',
    ]);
  });

  it('says which command to type once the update has stopped at it', () => {
    const at = new Date(NOW_MS - 60_000).toISOString();
    const stopped = { node: 'demo-2', nodeUID: roll.uid, reason: 'ImagePullFailed', message: 'no such image', at };
    const update = { revision: NEXT, previous: HASH, updated: 0, total: 3, stopped } as const;
    const revisions = keptRevisions([HASH, NEXT]);
    const status = statusOf(observation({ revisions, cluster: { templateHash: NEXT, update } }));
    expect(said(status, 'RollingOut')).to.equal('False RolloutStopped');
    expect(messageOf(status, 'RollingOut')).to.equal(
      `the update to revision ${NEXT} has stopped at demo-2: no such image; kubectl mkv rollout undo demo -n default takes it back, kubectl mkv rollout retry demo -n default tries it again`,
    );
  });
});

describe('a member that is joining', () => {
  it('leaves the others as ready as before', () => {
    const status = statusOf(
      observation({
        nodes: [...nodes(3), node(3, { serving: false, pod: freshPod(3), answer: notAsked })],
        cluster: { spec: { nodes: 4 } },
      }),
    );
    expect([status.readyNodes, said(status, 'Available')]).to.deep.equal([3, 'True AsExpected']);
  });
});
