// How a cluster without data starts: all nodes at once, no clients before all members agree, and a restart with seeds
// for members that show only themselves.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { FORMING_DEADLINE_MS, LONELY_MEMBER_MS, type NodeRecord, planCluster } from '../src/index.ts';
import {
  CREATED_MS,
  freshNode,
  freshPod,
  joining,
  line,
  node,
  notAsked,
  observation,
  pod,
  serving,
  silent,
  views,
  volume,
} from './support/builders.ts';

/** A node without clients so far, with a ready Pod and an Active member that shows `view`. */
function candidate(id: number, view = views(3), change: Partial<NodeRecord> = {}): NodeRecord {
  const labels = { 'marekvs.io/node-id': String(id) };
  return node(id, { serving: false, answer: serving(view), pod: pod(id, { labels }), ...change });
}

const unformed = { isFormed: false, highestNodeId: -1 };
/** One second into the life of the cluster, so that no deadline is near. */
const early = { nowMs: CREATED_MS + 1_000 };

function forming(nodes: readonly NodeRecord[], change: Parameters<typeof observation>[0] = {}) {
  return observation({
    ...early,
    nodes,
    history: { agreedForMs: undefined, differForMs: undefined },
    ...change,
    cluster: { ...unformed, ...change.cluster },
  });
}

const idsOf = (plan: ReturnType<typeof planCluster>) =>
  plan.steps.flatMap((step) => (step.kind === 'createNode' ? [step.id] : []));

describe('a cluster that is being formed', () => {
  it('creates all nodes in one pass', () => {
    const plan = planCluster(forming([]));
    expect(plan.steps).to.deep.equal([0, 1, 2].map((id) => ({ kind: 'createNode', id, why: 'Forming' })));
    expect(plan.mayLatchFormed).to.equal(false);
  });

  it('creates only the missing node when two of three exist', () => {
    expect(idsOf(planCluster(forming([freshNode(0), freshNode(2)])))).to.deep.equal([3]);
  });

  it('takes up every volume that an earlier cluster of the same name left, also beyond the wanted size', () => {
    const volumes = [0, 1, 2, 3, 4].map((id) => volume(id));
    expect(idsOf(planCluster(forming([], { volumes })))).to.deep.equal([0, 1, 2, 3, 4]);
  });

  it('gets new ids only above those of the volumes that were left', () => {
    expect(idsOf(planCluster(forming([], { volumes: [volume(4)] })))).to.deep.equal([4, 5, 6]);
  });

  it('gets a new id for a node that lost its volume before it was formed, and forms with the others', () => {
    const lost = node(0, { volume: undefined, pod: undefined, answer: notAsked, serving: false });
    expect(idsOf(planCluster(forming([lost, freshNode(1), freshNode(2)])))).to.deep.equal([3]);
    const view = [line(1), line(2), line(3)];
    const rest = [1, 2, 3].map((id) => candidate(id, view));
    expect(planCluster(forming([lost, ...rest])).mayLatchFormed).to.equal(true);
  });

  it('may be marked as formed when all three members are Active in all three views', () => {
    const plan = planCluster(forming([0, 1, 2].map((id) => candidate(id))));
    expect(plan).to.deep.include({ mayLatchFormed: true, steps: [], holds: [] });
  });

  const incomplete: readonly { readonly name: string; readonly nodes: readonly NodeRecord[] }[] = [
    {
      name: 'one member is joining',
      nodes: [candidate(0), candidate(1), candidate(2, [], { answer: joining, pod: pod(2, { isReady: false }) })],
    },
    { name: 'one member is silent', nodes: [candidate(0), candidate(1), candidate(2, [], { answer: silent })] },
    { name: 'one member was not asked', nodes: [candidate(0), candidate(1), candidate(2, [], { answer: notAsked })] },
    {
      name: 'one member has no primaries',
      nodes: [0, 1, 2].map((id) => candidate(id, [line(0), line(1), line(2, { hasPrimaries: false })])),
    },
    { name: 'all show only two of the three', nodes: [0, 1, 2].map((id) => candidate(id, views(2))) },
    { name: 'all show a fourth member that is nobody’s', nodes: [0, 1, 2].map((id) => candidate(id, views(4))) },
    {
      name: 'the status of one node names no volume yet',
      nodes: [candidate(0), candidate(1), candidate(2, views(3), { recordedVolumeUid: undefined })],
    },
    { name: 'one shows itself only', nodes: [candidate(0), candidate(1), candidate(2, [line(2)])] },
  ];
  for (const { name, nodes } of incomplete) {
    it(`is not marked as formed and lets in no clients while ${name}`, () => {
      const plan = planCluster(forming(nodes));
      expect(plan.mayLatchFormed).to.equal(false);
      expect(plan.steps).to.deep.equal([]);
    });
  }

  it('is marked as formed only when all place keys alike, so that it need not be compared, or after its deadline', () => {
    const other = { ...serving(views(3)), digest: 'other ranges' };
    const apart = [0, 1, 2].map((id) => candidate(id, views(3), id === 0 ? { answer: other } : {}));
    expect(planCluster(forming(apart))).to.deep.include({ mayLatchFormed: false, steps: [] });
    expect(planCluster(forming(apart, { nowMs: CREATED_MS + FORMING_DEADLINE_MS - 1 })).mayLatchFormed).to.equal(false);
    expect(planCluster(forming(apart, { nowMs: CREATED_MS + FORMING_DEADLINE_MS })).mayLatchFormed).to.equal(true);
  });

  it('lets in no clients before it is marked as formed, even when all agree', () => {
    const plan = planCluster(forming([0, 1, 2].map((id) => candidate(id))));
    expect(plan.steps.filter((step) => step.kind === 'setServing')).to.deep.equal([]);
  });
});

describe('a lonely member while forming', () => {
  const apart = [candidate(0, views(2)), candidate(1, views(2)), candidate(2, [line(2)])];
  const differ = (differForMs: number) => ({ history: { agreedForMs: undefined, differForMs } });

  it(`is left alone until the views have differed for ${LONELY_MEMBER_MS} ms, and looked at exactly then`, () => {
    const plan = planCluster(forming(apart, differ(LONELY_MEMBER_MS - 1)));
    expect(plan.steps).to.deep.equal([]);
    expect(plan.requeueAfterMs).to.equal(1);
  });

  it('gets the gossip addresses of the largest group as seeds after that', () => {
    const plan = planCluster(forming(apart, differ(LONELY_MEMBER_MS)));
    expect(plan.steps).to.deep.equal([{ kind: 'setSeeds', node: apart[2], seeds: ['10.0.0.1:7946', '10.0.0.2:7946'] }]);
  });

  it('is not given the same seeds twice', () => {
    const told = [...apart.slice(0, 2), candidate(2, [line(2)], { seeds: ['10.0.0.1:7946', '10.0.0.2:7946'] })];
    expect(planCluster(forming(told, differ(LONELY_MEMBER_MS))).steps).to.deep.equal([]);
  });

  it('gets the lowest id as its seed when all are alone', () => {
    const alone = [0, 1, 2].map((id) => candidate(id, [line(id)]));
    const plan = planCluster(forming(alone, differ(LONELY_MEMBER_MS)));
    expect(plan.steps).to.deep.equal([
      { kind: 'setSeeds', node: alone[1], seeds: ['10.0.0.1:7946'] },
      { kind: 'setSeeds', node: alone[2], seeds: ['10.0.0.1:7946'] },
    ]);
  });

  it('is not restarted when it shows a member of the largest group, since gossip will bring the rest', () => {
    const partly = [candidate(0), candidate(1), candidate(2, [line(1), line(2)])];
    expect(planCluster(forming(partly, differ(60_000))).steps).to.deep.equal([]);
  });

  it('is not restarted while it is only joining', () => {
    const late = [candidate(0, views(2)), candidate(1, views(2)), candidate(2, [], { answer: joining })];
    expect(planCluster(forming(late, differ(60_000))).steps).to.deep.equal([]);
  });
});

describe('the forming deadline', () => {
  const starting = [0, 1, 2].map((id) => freshNode(id, { pod: freshPod(id), volume: volume(id) }));

  it('causes no report one millisecond before it, and a requeue exactly at it', () => {
    const plan = planCluster(forming(starting, { nowMs: CREATED_MS + FORMING_DEADLINE_MS - 1 }));
    expect(plan.holds).to.deep.equal([]);
    expect(plan.requeueAfterMs).to.equal(1);
  });

  it('leads to a report of the members that do not serve, for which nobody need act', () => {
    const plan = planCluster(forming(starting, { nowMs: CREATED_MS + FORMING_DEADLINE_MS }));
    expect(plan.holds).to.deep.equal([
      {
        reason: 'FormingTimedOut',
        message: 'not formed 180 s after creation: demo-0, demo-1, demo-2 do not serve yet',
        needsPerson: false,
      },
    ]);
  });

  it('names nodes whose status names no volume yet, when all members serve', () => {
    const unnamed = [0, 1, 2].map((id) => candidate(id, views(3), id === 1 ? { recordedVolumeUid: undefined } : {}));
    expect(planCluster(forming(unnamed, { nowMs: CREATED_MS + FORMING_DEADLINE_MS })).holds).to.deep.equal([
      {
        reason: 'FormingTimedOut',
        message: 'not formed 180 s after creation: the status of demo-1 names no volume yet',
        needsPerson: false,
      },
    ]);
  });

  it('leads to the same report an hour later', () => {
    const at = (ms: number) => planCluster(forming(starting, { nowMs: CREATED_MS + FORMING_DEADLINE_MS + ms })).holds;
    expect(at(3_600_000)).to.deep.equal(at(0));
  });
});
