// A member that was Active before, or has lost its volume, and joins for ever: a person is told what to type, and a
// correction reaches it.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { restartPreflight } from '../src/evidence/preflight/preflight.ts';
import { type ClusterObservation, type NodeRecord, planCluster, planNode } from '../src/index.ts';
import {
  HASH,
  joining,
  keptRevisions,
  NOW_MS,
  nodeObservation,
  nodes,
  notAsked,
  observation,
  pod,
  withNode,
} from './support/builders.ts';
import { factsOfAll } from './support/facts.ts';

const BAD = 'bbbbbbbbbbbbbbbb';
const CORRECTED = 'cccccccccccccccc';
const ID = '3-turn';
const four = nodes(4);
const deadlineMs = observation().cluster.spec.update.progressDeadlineSeconds * 1_000;

/** demo-3 has been joining for so long with the bad template. */
const stuck = (ms: number, change: Partial<NodeRecord> = {}): Partial<NodeRecord> => ({
  wasActive: true,
  templateHash: BAD,
  answer: joining,
  pod: pod(3, { uid: 'pod-uid-new', templateHash: BAD, isReady: false, createdAtMs: NOW_MS - ms }),
  ...change,
});
type Cluster = NonNullable<Parameters<typeof observation>[0]>['cluster'];
const seen = (own: Partial<NodeRecord>, cluster: Cluster = {}): ClusterObservation =>
  observation({
    nodes: withNode(four, 3, own),
    facts: factsOfAll([0, 1, 2, 3]),
    revisions: keptRevisions([HASH, BAD, CORRECTED]),
    cluster: { templateHash: BAD, ...cluster, spec: { nodes: 4, ...cluster?.spec } },
  });

describe('a member that was Active before and is joining again', () => {
  const words = (o: ClusterObservation) =>
    planCluster(o).holds.flatMap(({ reason, needsPerson, message }) =>
      reason === 'MemberJoining' && needsPerson ? [message] : [],
    );

  it('is reported to a person after the time that a turn may take, with what to type', () => {
    expect(words(seen(stuck(deadlineMs)))).to.deep.equal([]);
    const [message = ''] = words(seen(stuck(deadlineMs + 1)));
    expect(message).to.match(/^demo-3 was Active before and has not joined again within [0-9]+ s/);
    expect(message).to.include('kubectl delete pod demo-3 -n ');
    expect(message).to.include('marekvs.io/force-remove=node-uid-3/<reason>');
  });
  it('is not to be restarted by that person when its node was deleted: without a process it would go unproven', () => {
    const [message = ''] = words(seen(stuck(deadlineMs + 1, { isDeleting: true })));
    expect(message).to.include('force-remove').and.not.to.include('delete pod').and.not.to.include('template');
  });
  it('is not to be restarted while its volume is being deleted: the volume would go with the Pod', () => {
    const volume = { ...four[3]?.volume, isTerminating: true } as NonNullable<NodeRecord['volume']>;
    const [message = ''] = words(seen(stuck(deadlineMs + 1, { volume })));
    expect(message).to.include('its volume is being deleted').and.to.include('force-remove');
    expect(message).to.not.include('delete pod').and.not.to.include('template');
  });
  it('is not reported while it copies for the first time, in its own turn, or when it is not joining', () => {
    for (const change of [{ wasActive: false, serving: false }, { removalMark: ID }, { answer: notAsked }])
      expect(words(seen(stuck(deadlineMs + 1, change)))).to.deep.equal([]);
  });
});

describe('a member that has lost its volume, and joins for ever', () => {
  const lost = { wasActive: false, serving: false, volume: undefined };

  it('is reported to a person, who is not told to restart it: its process is all that is left of it', () => {
    const words = (o: ClusterObservation) => planCluster(o).holds.filter(({ needsPerson }) => needsPerson);
    expect(words(seen(stuck(deadlineMs, lost)))).to.deep.equal([]);
    const [told, ...others] = words(seen(stuck(deadlineMs + 1, lost)));
    expect(others).to.deep.equal([]);
    expect(told?.reason).to.equal('MemberJoining');
    expect(told?.message).to.match(/^demo-3 has not joined within [0-9]+ s, see its log, and its volume is gone/);
    expect(told?.message).to.include('marekvs.io/force-remove=node-uid-3/<reason>').and.not.to.include('delete pod');
  });
  it('goes when that person forces it out', () => {
    const own = stuck(deadlineMs + 1, { ...lost, forceRemove: 'node-uid-3/it never joined' });
    const o = seen(own, { spec: { nodes: 3 } });
    const { operation } = planCluster(o).removal;
    expect(operation).to.include({ basis: 'Forced' });
    expect(operation?.target).to.include({ uid: 'node-uid-3' });
  });
});

describe('a member that is held out and joins for ever, when another template is asked for', () => {
  const begins = (own: Partial<NodeRecord>, zero: Partial<NodeRecord>) => {
    const o = seen(own, { templateHash: CORRECTED, spec: { nodes: 3 } });
    return planCluster({ ...o, nodes: withNode(o.nodes, 0, zero) }).removal.operation?.roll?.name;
  };
  const deleted = { isDeleting: true, deletedAtMs: NOW_MS };
  const heldOut = stuck(10_000, { serving: false });

  it('has its turn before a deleted node goes, which waits for it', () => {
    expect(begins(heldOut, deleted)).to.equal('demo-3');
    const runs = { ...four[3], serving: false, wasActive: true, templateHash: BAD };
    expect(begins(runs, deleted)).to.equal(undefined);
  });
  it('waits like any other when it has joined: it may be what the deleted node needs to go', () => {
    const others = (own: Partial<NodeRecord>) => {
      const o = seen(own);
      return { ...o, nodes: withNode(o.nodes, 0, deleted) };
    };
    const waits = (own: Partial<NodeRecord>) => {
      const o = others(own);
      return o.nodes.map((one) => restartPreflight(o, one, 'Turn')?.message)[3];
    };
    expect(waits(heldOut)).to.equal(undefined);
    expect(waits({ serving: false, wasActive: true, templateHash: BAD })).to.equal('demo-0 is replaced first');
  });
  it('has it before one that has lost its volume is replaced', () => {
    const lost = { volume: undefined };
    expect(begins(heldOut, lost)).to.equal('demo-3');
    const runs = { ...four[3], serving: false, wasActive: true, templateHash: BAD };
    expect(begins(runs, lost)).to.equal(undefined);
  });
});

describe('a member whose node was deleted in its turn, and that does not come back with the template of that', () => {
  const roll = { name: 'demo-3', uid: 'node-uid-3', nodeId: 3, podUID: 'pod-uid-3', previous: HASH };
  const operation: NonNullable<ClusterObservation['cluster']['operation']> = {
    id: ID,
    type: 'Roll',
    roll,
    specGeneration: 1,
    phase: 'Cancelling',
    startedAt: new Date(NOW_MS - 1_000_000).toISOString(),
    timeline: [{ phase: 'Cancelling', at: new Date(NOW_MS - 900_000).toISOString() }],
    cancel: { reason: 'Repairing', message: 'it has to go' },
  };
  const gone = { isDeleting: true, deletedAtMs: NOW_MS - 900_000 };
  const back = (own: Partial<NodeRecord>, templateHash = CORRECTED) => seen(own, { operation, templateHash });
  const given = (o: ClusterObservation) =>
    planCluster(o).steps.flatMap((step) => (step.kind === 'restartNode' ? [step.revision] : []));

  it('gets a corrected one, when it has been joining for long or its Pod cannot run', () => {
    expect(given(back(stuck(deadlineMs, gone)))).to.deep.equal([]);
    expect(given(back(stuck(deadlineMs + 1, gone)))).to.deep.equal([CORRECTED]);
    expect(given(back(stuck(deadlineMs + 1, gone), BAD))).to.deep.equal([]);
    const waiting = { reason: 'ImagePullBackOff', message: 'no' };
    const noImage = pod(3, { templateHash: BAD, isReady: false, phase: 'Pending', waiting });
    expect(given(back(stuck(0, { ...gone, answer: notAsked, pod: noImage })))).to.deep.equal([CORRECTED]);
  });
  it('is not given one while its Pod ends or was told to leave: what it has may be on no other member', () => {
    const { pod: late } = stuck(deadlineMs + 1);
    for (const change of [{ isTerminating: true }, { isLeaving: true }])
      expect(given(back(stuck(0, { ...gone, pod: late && { ...late, ...change } })))).to.deep.equal([]);
  });
  it('is restarted for it, and keeps its mark until then', () => {
    const marked = { ...gone, serving: false, removalMark: ID, templateHash: CORRECTED };
    const o = back(stuck(deadlineMs + 1, marked));
    expect(planCluster(o).steps).to.deep.equal([]);
    const [last] = o.nodes.slice(-1);
    if (last === undefined) throw new Error('no demo-3');
    const { step } = planNode(nodeObservation(last, { siblings: o.nodes, operation, isClusterFormed: true }));
    expect(step).to.include({ kind: 'deletePod', why: 'RollingOut' });
    const started = pod(3, { uid: 'pod-uid-3rd', templateHash: CORRECTED, isReady: false });
    const after = planCluster(back(stuck(0, { ...marked, pod: started })));
    expect(after.steps.map(({ kind }) => kind)).to.deep.equal(['reinstate']);
  });
  it('keeps its operation, in which it never counts as dead, until a person forces it out', () => {
    expect(planCluster(back(stuck(deadlineMs * 9, gone), BAD)).removal.ended).to.equal(undefined);
    const forced = { ...gone, forceRemove: 'node-uid-3/hopeless' };
    const { ended } = planCluster(back(stuck(deadlineMs + 1, forced), BAD)).removal;
    expect(ended).to.include({ outcome: 'Cancelled', reason: 'Forced' });
    expect(ended?.message).to.include('could not come back');
  });
});
