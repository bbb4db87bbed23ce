// The order of one cluster pass, and what a formed cluster creates, repairs and never touches.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ClusterPlan, GHOST_MEMBER_MS, type NodeRecord, planCluster, presentTopology } from '../src/index.ts';
import {
  CLUSTER_UID,
  CREATED_MS,
  freshNode,
  HASH,
  joining,
  keptRevisions,
  line,
  NOW_MS,
  node,
  nodes,
  notAsked,
  observation,
  pod,
  sealedNode,
  serving,
  silent,
  views,
  volume,
  withNode,
} from './support/builders.ts';

const reasons = (plan: ClusterPlan) => plan.holds.map((hold) => hold.reason);
const lostVolume = { volume: undefined, pod: undefined, answer: notAsked } satisfies Partial<NodeRecord>;

describe('a formed, healthy cluster', () => {
  it('needs nothing: no step, no hold, no requeue', () => {
    const topology = presentTopology(nodes(3))?.hash ?? '';
    const verification = { state: 'Covered', topology, at: '2026-01-01T00:00:00Z' } as const;
    const spec = { verification: { intervalSeconds: 0 } };
    expect(planCluster(observation({ cluster: { verification, spec } }))).to.deep.equal({
      steps: [],
      holds: [],
      membership: { kind: 'agreed', lines: views(3) },
      desiredNodes: 3,
      mayLatchFormed: false,
      requeueAfterMs: undefined,
      removal: {
        operation: undefined,
        ended: undefined,
        isUrgent: false,
        steps: [],
        waits: undefined,
        contents: undefined,
      },
      contents: undefined,
      update: { revision: 'aaaaaaaaaaaaaaaa', updated: 3, total: 3 },
      outdated: [],
      turnWaits: undefined,
      autoscale: {
        status: undefined,
        isDecided: false,
        needsSharpLoad: false,
        verdict: undefined,
        requeueAfterMs: undefined,
      },
      release: { stored: undefined, isTurn: false, isOver: false },
      resting: undefined,
      verification,
    });
  });
});

describe('the order of a cluster pass', () => {
  const needy = { nodes: nodes(2) };

  it('plans nothing for a cluster that is being deleted, even paused and with an invalid spec', () => {
    const problems = [{ path: 'spec.image', message: 'spec.image must name an image' }];
    const plan = planCluster(
      observation({ ...needy, cluster: { isDeleting: true, problems, spec: { paused: true } } }),
    );
    expect(plan).to.deep.include({ steps: [], holds: [] });
  });

  it('writes nothing while paused and reports what waits', () => {
    const plan = planCluster(observation({ ...needy, cluster: { spec: { paused: true, nodes: 5 } } }));
    expect(plan.steps).to.deep.equal([]);
    expect(plan.holds).to.deep.equal([
      { reason: 'Paused', message: 'spec.paused is true: 3 nodes are to be added', needsPerson: false },
    ]);
  });

  it('reports how many nodes are surplus while paused', () => {
    const plan = planCluster(observation({ nodes: nodes(5), cluster: { spec: { paused: true } } }));
    expect(plan.holds[0]?.message).to.equal('spec.paused is true: 2 nodes are to be removed');
    expect(reasons(plan)).to.deep.equal(['Paused']);
  });

  it('reports that nothing waits when nothing does while paused', () => {
    expect(planCluster(observation({ cluster: { spec: { paused: true } } })).holds[0]?.message).to.equal(
      'spec.paused is true',
    );
  });

  it('does not form a paused cluster', () => {
    const plan = planCluster(observation({ nodes: [], cluster: { isFormed: false, spec: { paused: true } } }));
    expect(plan.steps).to.deep.equal([]);
    expect(plan.mayLatchFormed).to.equal(false);
  });

  const problems = [
    { path: 'spec.nodes', message: 'spec.nodes must be 1 to 1000' },
    { path: 'spec.image', message: 'spec.image must name an image' },
  ];
  it('acts on no spec that breaks a rule and names every invalid field (F16)', () => {
    const plan = planCluster(observation({ ...needy, cluster: { problems } }));
    expect(plan.steps).to.deep.equal([]);
    expect(plan.holds).to.deep.equal([
      {
        reason: 'InvalidSpec',
        message: 'spec.nodes: spec.nodes must be 1 to 1000; spec.image: spec.image must name an image',
        needsPerson: true,
      },
    ]);
  });

  it('reports the pause before the problems of a paused cluster with an invalid spec', () => {
    const plan = planCluster(observation({ ...needy, cluster: { problems, spec: { paused: true } } }));
    expect(plan.steps).to.deep.equal([]);
    expect(reasons(plan)).to.deep.equal(['Paused', 'InvalidSpec']);
  });

  it('does not form a cluster again whose nodes and volumes are all gone, but reports a total loss to a person', () => {
    const plan = planCluster(observation({ nodes: [] }));
    expect(plan.steps).to.deep.equal([]);
    expect(plan.holds).to.deep.include({
      reason: 'TotalLoss',
      message: 'no volume of the formed cluster demo is left: it is not formed a second time by itself',
      needsPerson: true,
    });
  });

  it('reports a total loss when the nodes exist and every volume is gone', () => {
    const plan = planCluster(observation({ nodes: nodes(3).map((entry) => ({ ...entry, ...lostVolume })) }));
    expect(plan.steps).to.deep.equal([]);
    expect(reasons(plan)).to.include('TotalLoss');
  });

  describe('for a cluster whose volumes are lost one after the other', () => {
    const lost = nodes(3).map((entry) => ({ ...entry, ...lostVolume }));
    const newcomer = (change: Partial<NodeRecord> = {}) =>
      node(3, {
        serving: false,
        createdAtMs: NOW_MS - 20_000,
        volume: volume(3, { createdAtMs: NOW_MS - 20_000 }),
        answer: serving([line(3)]),
        ...change,
      });

    it('keeps clients away from the replacement of the first lost node, which is empty', () => {
      const plan = planCluster(observation({ nodes: [...lost, newcomer()] }));
      expect(plan.steps).to.deep.equal([]);
      expect(reasons(plan)).to.include('TotalLoss');
    });

    it('reports a total loss while the last claim is still being deleted, since no Pod starts on it again', () => {
      const going = node(2, { pod: undefined, answer: notAsked, volume: volume(2, { isTerminating: true }) });
      expect(reasons(planCluster(observation({ nodes: [...lost.slice(0, 2), going, newcomer()] })))).to.include(
        'TotalLoss',
      );
    });

    const others = {
      'that clients were let in to': newcomer({ serving: true }),
      'on a volume that is older than it': newcomer({ volume: volume(3, { createdAtMs: CREATED_MS }) }),
      'on a volume that was kept': newcomer({
        volume: volume(3, { createdAtMs: NOW_MS, detachedAtMs: NOW_MS - 60_000 }),
      }),
    };
    for (const [which, other] of Object.entries(others))
      it(`reports no total loss while there is a node ${which}`, () => {
        expect(reasons(planCluster(observation({ nodes: [...lost, other] })))).to.not.include('TotalLoss');
      });

    it('reports no total loss while the process of one node still runs, but replaces that node', () => {
      const alive = node(0, { volume: undefined });
      const plan = planCluster(observation({ nodes: [alive, ...lost.slice(1)] }));
      expect(reasons(plan)).to.not.include('TotalLoss');
      expect(plan.steps).to.not.deep.equal([]);
    });

    it('reports no total loss, but grows, when no clients were ever let in', () => {
      const unused = lost.map((entry) => ({ ...entry, serving: false }));
      expect(reasons(planCluster(observation({ nodes: [...unused, newcomer()] })))).to.not.include('TotalLoss');
    });
  });

  it('reports no total loss while one volume is left, but starts its node first', () => {
    const plan = planCluster(observation({ nodes: [], volumes: [volume(1, { lastActiveAtMs: NOW_MS - 60_000 })] }));
    expect(plan.steps[0]).to.deep.include({ kind: 'createNode', id: 1 });
    expect(plan.holds).to.deep.equal([]);
  });
});

describe('a member without a MarekvsNode', () => {
  const shown = views(4);
  const three = nodes(3).map((entry) => ({ ...entry, answer: serving(shown) }));
  const volumes = [0, 1, 2, 3].map((id) => volume(id));
  const agreedFor = (agreedForMs: number | undefined) => ({
    volumes,
    history: { agreedForMs, differForMs: undefined },
  });

  it('gets no node when its volume is gone, since the node would start empty under a used id (H2)', () => {
    const plan = planCluster(
      observation({ nodes: three, history: { agreedForMs: GHOST_MEMBER_MS, differForMs: undefined } }),
    );
    expect(plan.steps).to.deep.equal([]);
  });

  it('gets no node until the members have shown it for long enough, and a requeue exactly then', () => {
    const plan = planCluster(observation({ nodes: three, ...agreedFor(GHOST_MEMBER_MS - 1) }));
    expect(plan.steps).to.deep.equal([]);
    expect(plan.requeueAfterMs).to.equal(1);
  });

  it('gets a node with its own id once they have', () => {
    const plan = planCluster(observation({ nodes: three, ...agreedFor(GHOST_MEMBER_MS) }));
    expect(plan.steps).to.deep.equal([{ kind: 'createNode', id: 3, why: 'MemberWithoutNode' }]);
  });

  it('gets no node that soon when the answers are older, since it may have ended after them', () => {
    const answer = { ...serving(shown), atMs: NOW_MS - 10_000 } as const;
    const asked = { nodes: withNode(three, 1, { answer }) };
    const early = planCluster(observation({ ...asked, ...agreedFor(GHOST_MEMBER_MS + 9_999) }));
    expect([early.steps, early.requeueAfterMs]).to.deep.equal([[], 1]);
    const later = planCluster(observation({ ...asked, ...agreedFor(GHOST_MEMBER_MS + 10_000) }));
    expect(later.steps).to.have.lengthOf(1);
  });

  it('gets no node while it is unknown how long the members have agreed', () => {
    expect(planCluster(observation({ nodes: three, ...agreedFor(undefined) })).steps).to.deep.equal([]);
  });

  it('gets no node but a hold while the members disagree or one is silent (F46)', () => {
    for (const answer of [serving(views(3)), silent, notAsked]) {
      const plan = planCluster(observation({ nodes: withNode(three, 1, { answer }), ...agreedFor(GHOST_MEMBER_MS) }));
      expect(plan.steps, answer.kind).to.deep.equal([]);
      expect(plan.holds, answer.kind).to.have.lengthOf(1);
    }
  });

  it('gets no node under an id that no MarekvsNode can have', () => {
    const strange = nodes(3).map((entry) => ({ ...entry, answer: serving([...views(3), line(65_535)]) }));
    expect(planCluster(observation({ nodes: strange })).steps).to.deep.equal([]);
  });

  it('gets its node before the cluster grows', () => {
    const plan = planCluster(observation({ nodes: three, volumes, cluster: { spec: { nodes: 6 } } }));
    expect(plan.steps.map((step) => step.kind === 'createNode' && step.why)).to.deep.equal(['MemberWithoutNode']);
  });
});

describe('a growing cluster', () => {
  it('creates all missing nodes in one step', () => {
    const plan = planCluster(observation({ cluster: { spec: { nodes: 6 } } }));
    expect(plan.steps).to.deep.equal([3, 4, 5].map((id) => ({ kind: 'createNode', id, why: 'ScalingUp' })));
    expect(plan.desiredNodes).to.equal(6);
  });

  it('creates nodes also while a member is silent', () => {
    const list = withNode(nodes(3), 1, { answer: silent });
    const plan = planCluster(observation({ nodes: list, cluster: { spec: { nodes: 4 } } }));
    expect(plan.steps).to.deep.equal([{ kind: 'createNode', id: 3, why: 'ScalingUp' }]);
    expect(reasons(plan)).to.deep.equal(['MemberSilent']);
  });

  it('keeps the floor of replicationFactor + 1 and reports it', () => {
    const plan = planCluster(observation({ nodes: nodes(2), cluster: { spec: { nodes: 1 } } }));
    expect(plan.steps[0]).to.deep.equal({ kind: 'createNode', id: 3, why: 'ScalingUp' });
    // Id 2 was used, and its claim is gone.
    expect(plan.steps.slice(1).map(({ kind }) => kind)).to.deep.equal(['rememberId']);
    expect(reasons(plan)).to.deep.equal(['BelowFloor']);
  });

  it('raises the floor when replicationFactor exceeds the number of members, and adds those nodes before any turn', () => {
    const next = 'bbbbbbbbbbbbbbbb';
    const spec = { nodes: 3, replicationFactor: 5 };
    const plan = planCluster(
      observation({ cluster: { spec, templateHash: next }, revisions: keptRevisions([HASH, next]) }),
    );
    const made = plan.steps.flatMap((step) => (step.kind === 'createNode' ? [step.id] : []));
    expect([made, plan.desiredNodes, plan.removal.operation]).to.deep.equal([[3, 4, 5], 6, undefined]);
    expect(reasons(plan)).to.include('BelowFloor');
  });

  it('lets clients in to a new member once every member shows it with primaries, and not before', () => {
    const all = views(4);
    const added = (answer: NodeRecord['answer']) => node(3, { serving: false, answer });
    const olds = (view = all) => nodes(3).map((entry) => ({ ...entry, answer: serving(view) }));
    const plan = (list: readonly NodeRecord[]) =>
      planCluster(observation({ nodes: list, cluster: { spec: { nodes: 4 } } })).steps;
    const ready = added(serving(all));
    expect(plan([...olds(), ready])).to.deep.equal([{ kind: 'setServing', node: ready, serving: true }]);
    const half = all.map((entry) => (entry.id === 3 ? line(3, { hasPrimaries: false }) : entry));
    expect(plan([...olds(half), added(serving(half))]), 'without primaries').to.deep.equal([]);
    expect(plan([...olds(half), ready]), 'in its own view only').to.deep.equal([]);
    expect(
      plan([...olds(), node(3, { serving: false, pod: pod(3, { isReady: false }), answer: joining })]),
    ).to.deep.equal([]);
  });

  it('lets no clients in to a node that is being deleted', () => {
    const all = views(4);
    const list = nodes(4).map((entry) => (entry.id === 3 ? { ...entry, serving: false, isDeleting: true } : entry));
    const plan = planCluster(observation({ nodes: list, cluster: { spec: { nodes: 4 } } }));
    expect(plan.membership).to.deep.equal({ kind: 'agreed', lines: all });
    expect(plan.steps.filter((step) => step.kind === 'setServing')).to.deep.equal([]);
  });
});

describe('a cluster with surplus nodes', () => {
  const shrinking = (change: Parameters<typeof observation>[0] = {}) => observation({ nodes: nodes(6), ...change });

  it('is not changed before its members have been watched for long enough, and gets a requeue', () => {
    const plan = planCluster(shrinking());
    expect(plan.steps).to.deep.equal([]);
    expect(plan.removal.operation).to.equal(undefined);
    expect(plan.holds.map(({ message }) => message)).to.have.lengthOf(1);
    expect(plan.holds[0]?.message).to.match(/^removing demo-5 waits: /);
    expect(plan.requeueAfterMs).to.equal(1_000);
  });

  it('has no hold once the size is right', () => {
    expect(planCluster(observation()).holds).to.deep.equal([]);
  });

  it('keeps the serving label on a surplus node until the operation is stored', () => {
    const plan = planCluster(observation({ nodes: nodes(4) }));
    expect(plan.steps).to.deep.equal([]);
  });

  it('begins no removal while a host has yet to be asked about', () => {
    const plan = planCluster(shrinking({ hosts: new Map([['host-0', 'notAsked']]) }));
    expect(plan.removal).to.deep.include({ operation: undefined, waits: undefined });
  });
});

describe('a node that a person deleted', () => {
  it('is replaced before it goes, by one new node, however many were deleted (F44)', () => {
    const list = withNode(withNode(nodes(3), 0, { isDeleting: true }), 1, { isDeleting: true });
    const plan = planCluster(observation({ nodes: list }));
    expect(plan.steps).to.deep.equal([{ kind: 'createNode', id: 3, why: 'Replacement' }]);
  });

  it('gets no second replacement while the first one joins', () => {
    const list = [...withNode(nodes(3), 1, { isDeleting: true }), freshNode(3)];
    expect(planCluster(observation({ nodes: list })).steps).to.deep.equal([]);
  });

  it('gets no replacement when there is a surplus node anyway', () => {
    const list = nodes(4).map((entry) => (entry.id === 1 ? { ...entry, isDeleting: true } : entry));
    expect(planCluster(observation({ nodes: list })).steps).to.deep.equal([]);
  });
});

describe('a node that was told to leave by an unknown operation', () => {
  it('is taken back, never obeyed', () => {
    const stray = node(1, { serving: false, intent: 'Leaving', removalMark: 'old' });
    const plan = planCluster(observation({ nodes: withNode(nodes(3), 1, stray) }));
    expect(plan.steps).to.deep.equal([{ kind: 'reinstate', node: { ...nodes(3)[1], ...stray } }]);
  });

  it('is taken back also when only its intent was edited, whatever its Pod is', () => {
    for (const intent of ['Leaving', 'Sealed'] as const) {
      const plan = planCluster(observation({ nodes: withNode(nodes(3), 1, { intent }) }));
      expect(
        plan.steps.map(({ kind }) => kind),
        intent,
      ).to.deep.equal(['reinstate']);
    }
    const sealed = planCluster(observation({ nodes: withNode(nodes(3), 1, sealedNode(1)) }));
    expect(sealed.steps.map(({ kind }) => kind)).to.deep.equal(['reinstate']);
  });
});

describe('the volumes of a cluster', () => {
  const kept = { clusterUid: CLUSTER_UID };

  it('belong to the cluster, attached or not, when they are to be deleted with it', () => {
    const plan = planCluster(
      observation({
        volumes: [volume(0), volume(7, kept)],
        cluster: { spec: { volumeRetention: { whenDeleted: 'Delete' } } },
      }),
    );
    const steps = plan.steps.map((step) => step.kind === 'ownVolume' && [step.volume.nodeId, step.isOwned]);
    expect(steps).to.deep.equal([
      [0, true],
      [7, true],
    ]);
  });

  it('no longer belong to the cluster when they are to be kept', () => {
    const plan = planCluster(observation({ volumes: [volume(0, { ownerUids: [CLUSTER_UID] })] }));
    expect(plan.steps.map((step) => step.kind === 'ownVolume' && step.isOwned)).to.deep.equal([false]);
  });

  it('are left alone when they belong to another cluster of this name', () => {
    const spec = { volumeRetention: { whenDeleted: 'Delete' }, deletionProtection: true } as const;
    const foreign = volume(7, { clusterUid: 'earlier' });
    const plan = planCluster(
      observation({
        volumes: [foreign],
        nodes: nodes(3).map((entry) => ({ ...entry, isProtected: true })),
        cluster: { spec },
      }),
    );
    expect(plan.steps).to.deep.equal([]);
  });

  it('get the mark of deletion protection from an earlier cluster of this name while a node uses them', () => {
    const nodesOnKept = nodes(3).map((entry) => ({
      ...entry,
      isProtected: true,
      volume: volume(entry.id, { clusterUid: 'earlier' }),
    }));
    const plan = planCluster(observation({ nodes: nodesOnKept, cluster: { spec: { deletionProtection: true } } }));
    expect(plan.steps.map((step) => step.kind === 'protectVolume' && step.volume.nodeId)).to.deep.equal([0, 1, 2]);
  });

  it('lose the mark with the protection also when their node has gone', () => {
    const marked = volume(7, { clusterUid: 'earlier', isProtected: true });
    const plan = planCluster(observation({ volumes: [...[0, 1, 2].map((id) => volume(id)), marked] }));
    expect(plan.steps).to.deep.equal([{ kind: 'protectVolume', volume: marked, isProtected: false }]);
  });

  it('get a note of the highest id once its claim is gone, on the claim with the lowest id, in one write', () => {
    const volumes = [0, 1, 2].map((id) => volume(id));
    const plan = planCluster(observation({ volumes, cluster: { highestNodeId: 7 } }));
    expect(plan.steps).to.deep.equal([{ kind: 'rememberId', volume: volumes[0], id: 7 }]);
    const noted = volumes.map((one) => (one.nodeId === 0 ? { ...one, highestNodeId: 7 } : one));
    expect(planCluster(observation({ volumes: noted, cluster: { highestNodeId: 7 } })).steps).to.deep.equal([]);
  });

  it('get no note while the highest id has its claim, or a node whose claim may be on its way', () => {
    const volumes = [0, 1, 2].map((id) => volume(id));
    const kept = [...volumes, volume(7, { detachedAtMs: NOW_MS - 1_000, lastActiveAtMs: NOW_MS - 2_000 })];
    expect(planCluster(observation({ volumes: kept, cluster: { highestNodeId: 7 } })).steps).to.deep.equal([]);
    const fresh = node(3, { volume: undefined, recordedVolumeUid: undefined });
    const growing = planCluster(observation({ nodes: [...nodes(3), fresh], volumes, cluster: { spec: { nodes: 4 } } }));
    expect(growing.steps.map(({ kind }) => kind)).to.not.include('rememberId');
  });

  it('tell a cluster that is created again which ids were used', () => {
    const volumes = [0, 1, 2].map((id) =>
      volume(id, {
        clusterUid: 'earlier',
        lastActiveAtMs: NOW_MS - 60_000,
        highestNodeId: id === 0 ? 3 : undefined,
      }),
    );
    const plan = planCluster(
      observation({ nodes: [], volumes, cluster: { isFormed: false, highestNodeId: -1, spec: { nodes: 4 } } }),
    );
    expect(plan.steps.flatMap((step) => (step.kind === 'createNode' ? [step.id] : []))).to.deep.equal([0, 1, 2, 4]);
  });

  it('get the mark of deletion protection, like the nodes, and lose it with the protection', () => {
    const on = planCluster(observation({ cluster: { spec: { deletionProtection: true } } }));
    expect(on.steps.map(({ kind }) => kind).sort()).to.deep.equal([
      ...Array(3).fill('protectNode'),
      ...Array(3).fill('protectVolume'),
    ]);
    const marked = nodes(3).map((entry) => ({
      ...entry,
      isProtected: true,
      volume: volume(entry.id, { isProtected: true }),
    }));
    const off = planCluster(observation({ nodes: marked }));
    expect(off.steps.every((step) => 'isProtected' in step && !step.isProtected)).to.equal(true);
    expect(off.steps).to.have.lengthOf(6);
  });
});

describe('a lost volume', () => {
  const two = nodes(3).map((entry) => ({ ...entry, answer: serving([line(0), line(2)]) }));
  const lost = withNode(two, 1, lostVolume);

  it('leads to a node with a new id, never the old one (H2)', () => {
    const plan = planCluster(observation({ nodes: lost }));
    expect(plan.steps).to.deep.equal([{ kind: 'createNode', id: 3, why: 'VolumeLost' }]);
    expect(reasons(plan)).to.deep.equal(['VolumeLost']);
  });

  it('leads to no second node while the replacement exists', () => {
    const plan = planCluster(observation({ nodes: [...lost, freshNode(3)] }));
    expect(plan.steps).to.deep.equal([]);
    expect(reasons(plan)).to.deep.equal(['VolumeLost', 'WaitingForReplacement']);
  });

  it('makes its node no surplus, and removes it once its replacement is there', () => {
    const view = serving([line(0), line(2), line(3)]);
    const list = [
      ...lost.map((entry) => (entry.pod === undefined ? entry : { ...entry, answer: view })),
      node(3, { answer: view }),
    ];
    expect(planCluster(observation({ nodes: list })).holds.map(({ message }) => message)).to.deep.equal([
      'the volume of demo-1 is gone: its id is not used again and a new node takes its place',
      'removing demo-1 waits: the figures of demo-0 are not known yet',
    ]);
  });

  it('leads to nodes with new ids also when every volume is lost and the processes still run: they have the data', () => {
    const list = nodes(3).map((entry) => ({ ...entry, volume: undefined }));
    const plan = planCluster(observation({ nodes: list }));
    expect(plan.steps.map((step) => 'id' in step && step.id)).to.deep.equal([3, 4, 5]);
    expect(reasons(plan)).to.deep.equal(['VolumeLost', 'VolumeLost', 'VolumeLost']);
    const silentOnes = list.map((entry) => ({ ...entry, answer: silent }));
    expect(reasons(planCluster(observation({ nodes: silentOnes })))).to.include('TotalLoss');
  });

  it('is only reported while paused, with the node that is to be added', () => {
    const plan = planCluster(observation({ nodes: lost, cluster: { spec: { paused: true } } }));
    expect(plan.steps).to.deep.equal([]);
    expect(reasons(plan)).to.deep.equal(['Paused', 'VolumeLost']);
    expect(plan.holds[0]?.message).to.equal('spec.paused is true: 1 node is to be added');
  });
});

describe('an unknown membership', () => {
  it('is reported once, and lets clients in to no node', () => {
    const list = withNode(nodes(3), 2, { serving: false, answer: silent });
    const plan = planCluster(observation({ nodes: list }));
    expect(plan.steps).to.deep.equal([]);
    expect(plan.holds).to.deep.equal([
      { reason: 'MemberSilent', message: 'demo-2 of 3 members did not answer: timed out', needsPerson: false },
    ]);
  });

  it('is reported with the same message an hour later', () => {
    const list = withNode(nodes(3), 2, { answer: silent });
    const at = (ms: number) => planCluster({ ...observation({ nodes: list }), nowMs: ms }).holds;
    expect(at(observation().nowMs + 3_600_000)).to.deep.equal(at(observation().nowMs));
  });
});

describe('a cluster that must not be changed otherwise', () => {
  const kept = { ownerUids: [CLUSTER_UID], isProtected: false };
  const problems = [{ path: 'spec.nodes', message: 'spec.nodes must be 1 to 1000' }];
  const UNTOUCHED = [
    { what: 'paused', spec: { paused: true }, problems: [] },
    { what: 'of an invalid spec', spec: {}, problems },
  ];
  for (const { what, spec, problems: found } of UNTOUCHED) {
    const cluster = { problems: found, spec: { ...spec, deletionProtection: true } };

    it(`gives up its volumes while it is ${what} when Retain was asked for`, () => {
      const o = observation({ nodes: nodes(3), volumes: [volume(0, kept)], cluster });
      const own = planCluster(o).steps.filter((step) => step.kind === 'ownVolume');
      expect(own).to.have.lengthOf(1);
      expect(own[0]).to.deep.include({ isOwned: false });
      expect(planCluster(o).steps.map(({ kind }) => kind)).to.include.members(['protectVolume', 'protectNode']);
    });

    it(`does not take over volumes nor remove protection while it is ${what}`, () => {
      const loose = { ...cluster.spec, deletionProtection: false, volumeRetention: { whenDeleted: 'Delete' as const } };
      const guarded = volume(0, { ownerUids: [], isProtected: true });
      const o = observation({ nodes: nodes(3), volumes: [guarded], cluster: { problems: found, spec: loose } });
      expect(planCluster(o).steps).to.deep.equal([]);
    });
  }
});
