import type { MarekvsCluster } from '@marekvs/api';
import { CLUSTER_KIND as clusterKind } from '@marekvs/api/crd';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { lastError } from '../src/testbed/operator-process.ts';
import { changedLines, formatAge, renderLines, renderScreen, type Snapshot } from '../src/view/render.ts';
import { type ClusterRow, clusterRow, healthOf } from '../src/view/rows.ts';

const snapshot: Snapshot = {
  clusters: [
    {
      namespace: 'default',
      name: 'demo',
      desired: '3',
      ready: '2',
      underreplicated: '0',
      opsPerSecond: '120',
      data: 'Whole',
      phase: 'Reconciling',
      blocked: '',
      message: 'demo-1 is joining',
    },
  ],
  nodes: [
    {
      namespace: 'default',
      name: 'demo-10',
      cluster: 'demo',
      id: 10,
      phase: 'Active',
      seenBy: '3/3',
      ready: 'True',
      host: 'host-1',
      volume: 'data-demo-10',
      createdAtMs: 0,
    },
    {
      namespace: 'default',
      name: 'demo-2',
      cluster: 'demo',
      id: 2,
      phase: 'Joining',
      seenBy: '1/3',
      ready: 'False',
      host: 'host-0',
      volume: 'data-demo-2',
      createdAtMs: 30_000,
    },
  ],
  events: [
    {
      uid: 'e1',
      atMs: 10_000,
      type: 'Normal',
      namespace: 'default',
      about: 'demo',
      reason: 'PodCreated',
      note: 'created Pod demo-2',
    },
  ],
};

function one(): ClusterRow {
  const [row] = snapshot.clusters;
  if (row === undefined) throw new Error('the snapshot has no cluster');
  return row;
}

describe('the live view', () => {
  it('shows the cluster row, the nodes in order of id, and the events with their age', () => {
    expect(renderScreen(snapshot, 60_000, { columns: 200, rows: 40 })).to.deep.equal([
      'NAMESPACE   NAME   DESIRED   READY   UNDERREP   OPS/S   DATA    PHASE         BLOCKED',
      'default     demo   3         2       0          120     Whole   Reconciling',
      '  demo: demo-1 is joining',
      '',
      'NAMESPACE   NAME      PHASE     SEENBY   READY   HOST     VOLUME         AGE',
      'default     demo-2    Joining   1/3      False   host-0   data-demo-2    30s',
      'default     demo-10   Active    3/3      True    host-1   data-demo-10   60s',
      '',
      'LAST SEEN   TYPE     NAMESPACE   ABOUT   REASON       NOTE',
      '50s         Normal   default     demo    PodCreated   created Pod demo-2',
    ]);
  });

  it('has the columns of kubectl get mkv, in their order', () => {
    const shipped = clusterKind.columns.filter(({ priority }) => priority === undefined);
    const [head = ''] = renderScreen(snapshot, 60_000, { columns: 200, rows: 40 });
    const names = ['NAMESPACE', 'NAME', ...shipped.map(({ name }) => name.toUpperCase())];
    expect(head.split(/ +/)).to.deep.equal(names);
  });

  it('drops columns such as UNDERREP and DESIRED before DATA and BLOCKED when there is no room for all', () => {
    const stuck = {
      ...snapshot,
      clusters: [{ ...one(), data: 'Lost', phase: 'Blocked', blocked: 'ContentsUnreadable' }],
    };
    const [head, row] = renderScreen(stuck, 60_000, { columns: 72, rows: 40 });
    expect([head, row]).to.deep.equal([
      'NAMESPACE   NAME   DESIRED   READY   DATA   PHASE     BLOCKED',
      'default     demo   3         2       Lost   Blocked   ContentsUnreadable',
    ]);
    const [narrow = '', cut = ''] = renderScreen(stuck, 60_000, { columns: 60, rows: 40 });
    expect(`${narrow}\n${cut}`).to.include('DATA').and.include('ContentsUnreadable').and.not.include('DESIRED');
  });

  it('has BLOCKED in a log only while the cluster is blocked', () => {
    const lineOf = (given: Partial<ClusterRow>) =>
      renderLines({ clusters: [{ ...one(), ...given }], nodes: [], events: [] }).get('cluster/default/demo');
    expect(lineOf({})).to.include('OPS/S 120 DATA Whole PHASE Reconciling · demo-1');
    expect(lineOf({ phase: '-', blocked: '-' })).to.not.include('BLOCKED');
    expect(lineOf({ phase: 'Blocked', blocked: 'MemberSilent' })).to.include('PHASE Blocked BLOCKED MemberSilent ·');
  });

  it('cuts lines to the width of the terminal', () => {
    for (const line of renderScreen(snapshot, 60_000, { columns: 20, rows: 40 })) expect(line.length).to.be.at.most(20);
  });

  it('counts the rows that do not fit, and never has more lines than the terminal', () => {
    const [node] = snapshot.nodes;
    const [one] = snapshot.clusters;
    const [event] = snapshot.events;
    if (node === undefined || one === undefined || event === undefined) throw new Error('the snapshot has no rows');
    const many: Snapshot = {
      clusters: ['a', 'b', 'c'].map((name) => ({ ...one, name })),
      nodes: Array.from({ length: 30 }, (_, id) => ({ ...node, id, name: `demo-${id}` })),
      events: Array.from({ length: 9 }, (_, index) => ({ ...event, uid: `e${index}`, atMs: index })),
    };
    const lines = renderScreen(many, 60_000, { columns: 120, rows: 22 });
    expect(lines).to.have.length.at.most(22);
    const shown = lines.filter((line) => /^default +demo-/.test(line)).length;
    expect(lines).to.include(`  … and ${30 - shown} more nodes`);
    const crowd = { ...many, clusters: Array.from({ length: 30 }, (_, index) => ({ ...one, name: `c${index}` })) };
    const crowded = renderScreen(crowd, 60_000, { columns: 120, rows: 22 });
    expect(crowded).to.have.length.at.most(22);
    expect(crowded.join('\n'))
      .to.match(/… and \d+ more clusters/)
      .and.match(/… and 30 more nodes/);
    expect(renderScreen(many, 60_000, { columns: 120, rows: 60 }).join('\n')).to.not.include('more');
  });

  it('distinguishes two clusters of one name in two namespaces', () => {
    const both = snapshot.clusters.flatMap((one) => [one, { ...one, namespace: 'team-b' }]);
    expect([...renderLines({ ...snapshot, clusters: both, nodes: [], events: [] }).keys()]).to.have.lengthOf(2);
  });

  it('prints only what is new, changed or gone when there is no terminal', () => {
    const before = renderLines(snapshot);
    const [first, second] = snapshot.nodes;
    const later = first === undefined || second === undefined ? [] : [{ ...second, phase: 'Active' }];
    expect(changedLines(new Map(), before)).to.have.length(4);
    expect(changedLines(before, before)).to.deep.equal([]);
    expect(changedLines(before, renderLines({ ...snapshot, nodes: later }))).to.deep.equal([
      'node default/demo-2: PHASE Active SEENBY 1/3 READY False HOST host-0 VOLUME data-demo-2',
      'node default/demo-10: gone',
    ]);
  });

  it('shows a dash for a missing figure, never 0', () => {
    expect(clusterRow(cluster({}))).to.include({
      ready: '-',
      underreplicated: '-',
      opsPerSecond: '-',
      phase: '-',
      data: '-',
    });
    expect(clusterRow(cluster({}))).to.include({ blocked: '-' });
    expect(clusterRow(cluster({ phase: 'Healthy' }))).to.include({ blocked: '' });
  });

  it('shows ages as kubectl does', () => {
    expect([0, 119_000, 120_000, 7_200_000, 172_800_000, Number.NaN].map(formatAge)).to.deep.equal([
      '0s',
      '119s',
      '2m',
      '2h',
      '2d',
      '-',
    ]);
  });
});

function cluster(status: Partial<NonNullable<MarekvsCluster['status']>>): MarekvsCluster {
  return {
    apiVersion: 'marekvs.io/v1alpha1',
    kind: 'MarekvsCluster',
    metadata: {
      name: 'demo',
      namespace: 'default',
      uid: 'u1',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      generation: 2,
    },
    spec: { image: 'marekvs:1' },
    status,
  };
}

function ready(
  status: 'True' | 'False',
  observedGeneration = 2,
): NonNullable<NonNullable<MarekvsCluster['status']>['conditions']> {
  return [
    {
      type: 'Ready',
      status,
      reason: 'Forming',
      message: '1 of 3 members is joining',
      observedGeneration,
      lastTransitionTime: '',
    },
  ];
}

describe('Healthy, as npm start waits for it,', () => {
  it('is reached when the operator reports it for the newest spec', () => {
    expect(healthOf(cluster({ phase: 'Healthy', conditions: ready('True') }))).to.deep.equal({ kind: 'healthy' });
  });

  it('is not reached when the operator reported it for an older spec', () => {
    expect(healthOf(cluster({ phase: 'Healthy', conditions: ready('True', 1) }))).to.have.property(
      'why',
      'the operator has not seen the newest spec yet',
    );
  });

  it('is not reached before the operator has reported anything, and otherwise gets its reason', () => {
    expect(healthOf(undefined)).to.have.property('why', 'the cluster does not exist');
    expect(healthOf(cluster({}))).to.have.property('why', 'the operator has not reported yet');
    expect(healthOf(cluster({ conditions: ready('False') }))).to.have.property(
      'why',
      'Forming: 1 of 3 members is joining',
    );
  });
});

describe('why the operator ended', () => {
  it('is the message of the last line with an error', () => {
    const line = (message: string): string =>
      JSON.stringify({ level: 'error', msg: 'Stopped', err: { name: 'ExitError', message, stack: 's' } });
    const log = [line('first'), line('missing permissions: get "pods"'), '{"level":"info","msg":"bye"}', ''].join('\n');
    expect(lastError(log)).to.equal('missing permissions: get "pods"');
    expect(lastError('Segmentation fault')).to.equal(undefined);
  });
});
