// A size that follows the load, as users see it: measured by the plugin, decided by the planner's own rules, and
// changed by the bounds.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANNOTATIONS, type MarekvsClusterStatus, withDefaults } from '@marekvs/api';
import { nodeStamp } from '@marekvs/operator/projections';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { CLUSTERS, NODES, REF, serverWith } from './support/fake-server.ts';
import { cluster, NOW_MS, pendingChange } from './support/objects.ts';

/** What a real member answered (packages/store-client/test/samples). */
const METRICS =
  readFileSync(join(import.meta.dirname, '../../store-client/test/samples/http_metrics.txt'), 'utf8')
    .split('\r\n\r\n')
    .at(-1) ?? '';

const SPEC = { minNodes: 3, maxNodes: 8, targetOpsPerNode: 5000 };
const ago = (seconds: number) => new Date(NOW_MS - seconds * 1000).toISOString();
type Decision = NonNullable<MarekvsClusterStatus['autoscale']>;

/** A cluster whose size was decided so many seconds ago. */
function sizedServer(
  size: number,
  secondsAgo: number,
  { autoscale = {}, spec = {}, status = {}, decision = {} }: Readonly<Record<string, object>> = {},
) {
  const decided: Decision = {
    size,
    nodes: 3,
    reason: 'LoadAboveTarget',
    message: 'the load of then',
    since: ago(secondsAgo),
    ...decision,
  };
  const change = {
    spec: { nodes: 3, autoscale: { ...SPEC, ...autoscale }, ...spec },
    status: { desiredNodes: size, readyNodes: size, replicas: size, autoscale: decided, ...status },
  };
  const server = serverWith(size, change);
  // As in a cluster without a rolling update: the nodes were made from the spec.
  const { template } = nodeStamp(cluster(change), withDefaults(cluster(change).spec));
  for (let id = 0; id < size; id += 1)
    server.patch(NODES, { namespace: 'default', name: `demo-${id}` }, { spec: { template } });
  return server;
}

/** Members that serve so many commands a second each, without our own; undefined for one that does not answer. */
function serving(...rates: readonly (number | undefined)[]): NonNullable<FakeOptions['lines']> {
  const readings = new Map<string, number>();
  return (path) => {
    const id = /\/pods\/demo-(\d+):9121\/proxy\/metrics/.exec(path)?.[1];
    const rate = rates[Number(id)];
    if (id === undefined || rate === undefined) return undefined;
    const before = readings.get(id) ?? 0;
    readings.set(id, before + 1);
    return METRICS.replace('commands_total{cmd="set"} 628', `commands_total{cmd="set"} ${628 + before * rate * 5}`)
      .replace('commands_total{cmd="ping"} 11', `commands_total{cmd="ping"} ${11 + before * 900}`)
      .split('\n');
  };
}

const run = (line: string, server = serverWith(), more: Partial<FakeOptions> = {}) =>
  runFake(line.split(' '), { server, nowMs: NOW_MS, columns: 'none', ...more });

async function documentOf(server: ReturnType<typeof serverWith>, lines: FakeOptions['lines']) {
  const { out } = await run('autoscale demo -o json', server, lines === undefined ? {} : { lines });
  return JSON.parse(out);
}

describe('kubectl mkv autoscale', () => {
  it('shows what each member serves, the arithmetic, and that the size grows when the cooldown is over', async () => {
    const { code, out } = await run('autoscale demo', sizedServer(3, 20), { lines: serving(8000, 7000, 7000) });
    expect(code, out).to.equal(EXIT.fine);
    expect(out).to.match(/^default\/demo {2}3 nodes, 3 to 8 by load \(5,000 ops\/s a node\)$/m);
    expect(out).to.match(/^demo-0 +8000 +36% +71%$/m);
    expect(out).to.include('load: 22,000 ops/s at 5,000 a node: 5 nodes').and.include('limits: 3 to 8 nodes');
    // 20 s have passed, and 5 s of measuring.
    expect(out).to.include('22,000 ops/s at 5,000 a node: 5 nodes instead of 3, in 35s: 60 s after the last change');
  });

  it('says that the operator grows the cluster as soon as it has measured, once the cooldown is over', async () => {
    const { next, ideal } = await documentOf(sizedServer(3, 55), serving(8000, 7000, 7000));
    expect([ideal, next]).to.deep.equal([5, { nodes: 5, soonestInSeconds: 0, latestInSeconds: 0 }]);
    const { out } = await run('autoscale demo', sizedServer(3, 55), { lines: serving(8000, 7000, 7000) });
    expect(out).to.include('5 nodes instead of 3, as soon as the operator has measured it');
  });

  it('says that it does not know since when the load has been low', async () => {
    const { next, reason } = await documentOf(sizedServer(4, 95), serving(2000, 2000, 2000, 2000));
    expect(reason).to.equal('LoadBelowTarget');
    expect(next).to.deep.equal({ nodes: 3, soonestInSeconds: 200, latestInSeconds: 300 });
    const { out } = await run('autoscale demo', sizedServer(4, 395), { lines: serving(2000, 2000, 2000, 2000) });
    expect(out)
      .to.include('at any moment and in 5m at the latest')
      .and.include('since when it is only the operator knows');
  });

  it('treats the load of a silent member as unknown: the others can make it grow, and it is never low', async () => {
    const server = sizedServer(4, 600);
    const low = await documentOf(server, serving(100, undefined, 100, 100));
    expect([low.reason, low.next.nodes, low.measured.unknownMembers]).to.deep.equal(['NoLoadSignal', 4, ['demo-1']]);
    const high = await documentOf(sizedServer(4, 600), serving(9000, undefined, 9000, 9000));
    expect([high.reason, high.next.nodes]).to.deep.equal(['LoadAboveTarget', 6]);
    const { out } = await run('autoscale demo', server, { lines: serving(100, undefined, 100, 100) });
    expect(out)
      .to.match(/^demo-1 +- +- +-$/m)
      .and.include('load: at least 300 ops/s')
      .and.match(/not read: demo-1 \(.*404.*the operator asks members itself/);
    const none = await documentOf(sizedServer(4, 600), () => undefined);
    expect([none.ideal, none.measured.opsPerSecond]).to.deep.equal([undefined, undefined]);
  });

  it('treats the load of a member that was started between the two readings as unknown', async () => {
    let readings = 0;
    const lines: FakeOptions['lines'] = (path) => {
      if (!path.includes('/pods/demo-')) return undefined;
      readings += 1;
      // The first three answers are the first probe of all members.
      return METRICS.replace(/^(marekvs_uptime_seconds) .*$/m, `$1 ${readings <= 3 ? 900 : 3}`)
        .replace('commands_total{cmd="set"} 628', `commands_total{cmd="set"} ${readings <= 3 ? 628 : 90_000}`)
        .split('\n');
    };
    const { measured } = await documentOf(sizedServer(3, 600), lines);
    expect(measured.unknownMembers).to.deep.equal(['demo-0', 'demo-1', 'demo-2']);
  });

  it('names the member that serves most of the load, and exits with 4 while maxNodes keeps it from growing', async () => {
    const server = sizedServer(3, 600, { autoscale: { maxNodes: 3 }, decision: { reason: 'AtMaxNodes' } });
    const { code, out } = await run('autoscale demo', server, { lines: serving(100, 19_000, 100) });
    expect(code).to.equal(EXIT.blocked);
    expect(out).to.include('AtMaxNodes: 19,000 ops/s at 5,000 a node would need more than 3 nodes');
    expect(out).to.include('demo-1 serves 99 % of it: more nodes do not help a key that many ask for');
  });

  it('sizes by disks like the operator, from 10 points below the target on', async () => {
    // The disks of the sample are 70.6 % full.
    const disks = { targetDiskPercent: 80 };
    const { reason, next, measured } = await documentOf(
      sizedServer(3, 600, { autoscale: disks, decision: { reason: 'AutoscaleBegun' } }),
      serving(1000, 1000, 1000),
    );
    expect([reason, next.nodes, Math.round(measured.diskPercent)]).to.deep.equal(['DiskAboveTarget', 4, 71]);
    const { out } = await run('autoscale demo', sizedServer(3, 600, { autoscale: { targetDiskPercent: 90 } }), {
      lines: serving(1000, 1000, 1000),
    });
    expect(out).to.match(/disks: demo-\d is 71 % full, a node is added from 80 % on/);
  });

  it('says what it waits for: nodes that join, an operation, a pause', async () => {
    const joining = sizedServer(3, 600, { decision: { size: 5 } });
    const waits = await documentOf(joining, serving(9000, 9000, 9000));
    expect(waits.next.waitsFor).to.include({ reason: 'ScalingClusterUp', message: '3 of 5 nodes are there' });
    const paused = sizedServer(3, 600, { spec: { paused: true } });
    const { code, out } = await run('autoscale demo', paused, { lines: serving(9000, 9000, 9000) });
    expect([code, out.includes('waits: Paused, spec.paused is true')]).to.deep.equal([EXIT.blocked, true]);
  });

  it('names a HorizontalPodAutoscaler that aims at the cluster even before the operator has reported it', async () => {
    const server = sizedServer(3, 600);
    const aimed = (name: string, clusterName: string) =>
      server.create('horizontalpodautoscalers.autoscaling', {
        metadata: { name, namespace: 'default' },
        spec: {
          maxReplicas: 9,
          scaleTargetRef: { apiVersion: 'marekvs.io/v1alpha1', kind: 'MarekvsCluster', name: clusterName },
        },
      });
    aimed('other-web', 'other');
    const lines = serving(4000, 4000, 4000);
    expect((await run('autoscale demo', server, { lines })).code).to.equal(EXIT.fine);
    aimed('web', 'demo');
    const { code, out } = await run('autoscale demo', server, { lines });
    expect(code, out).to.equal(EXIT.blocked);
    expect(out.replace(/\s+/g, ' ')).to.include('AutoscaleConflict: HorizontalPodAutoscaler web aims at this cluster');
    expect((await documentOf(server, lines)).autoscalers).to.deep.equal(['web']);
  });

  it('lists the last twenty decisions, the newest first, without those of other clusters', async () => {
    const server = sizedServer(3, 600);
    const tell = (name: string, action: string, minutesAgo: number, note: string) =>
      server.create('events.events.k8s.io', {
        metadata: { name: `e-${name}-${action.toLowerCase()}-${minutesAgo}`, namespace: 'default' },
        ...{
          regarding: { kind: 'MarekvsCluster', name },
          type: 'Normal',
          reason: 'LoadAboveTarget',
          action,
          note,
          eventTime: ago(60 * minutesAgo),
        },
      });
    for (let minute = 1; minute <= 25; minute += 1)
      tell('demo', 'Autoscale', minute, `decision ${minute} (decided at ${ago(60 * minute)})`);
    tell('other', 'Autoscale', 2, 'of another cluster');
    tell('demo', 'CreateNode', 2, 'no decision');
    const { out } = await run('autoscale demo', server, { lines: serving(9, 9, 9) });
    const rows = out.split('\n').filter((line) => / decision \d+$/.test(line));
    expect(rows.map((row) => Number(/\d+$/.exec(row)?.[0]))).to.deep.equal(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(out).to.not.include('another cluster').and.not.include('no decision');
    const { decisions } = await documentOf(server, serving(9, 9, 9));
    expect(decisions).to.have.lengthOf(20);
  });

  it('says that a size is fixed, and asks no member then', async () => {
    const asked: string[] = [];
    const lines = (path: string) => void asked.push(path);
    const { code, out } = await run('autoscale demo', serverWith(), { lines });
    expect([code, asked]).to.deep.equal([EXIT.fine, []]);
    expect(out).to.include('default/demo  3 nodes, a fixed size').and.include('kubectl mkv scale demo');
  });

  it('says how to keep and how to give up a kept size, and exits with 4', async () => {
    const { code, out } = await run('autoscale demo', keptServer());
    expect(code).to.equal(EXIT.blocked);
    expect(out)
      .to.include('5 nodes, kept')
      .and.include('kubectl mkv scale demo 5 -n default keeps it, kubectl mkv scale demo 3 -n default goes back');
  });

  it('says that nothing was decided yet', async () => {
    const server = serverWith(3, { spec: { autoscale: SPEC } });
    expect((await documentOf(server, undefined)).state).to.equal('notBegun');
  });

  it('with -A has a line per cluster, from what is stored', async () => {
    const server = sizedServer(4, 30, { status: { opsPerSecond: 23_000 } });
    const { out } = await run('autoscale -A', server);
    expect(out).to.match(/^NAMESPACE +NAME +MIN +MAX +SIZE +IDEAL +OPS\/S +REASON +SINCE +NEXT$/m);
    expect(out).to.match(/^default +demo +3 +8 +4 +5 +23000 +LoadAboveTarget +30s +5 in 30s$/m);
    expect((await run('autoscale', sizedServer(4, 30, { status: { opsPerSecond: 8_000 } }))).out).to.match(
      /^demo +3 +8 +4 +2 +8000 +LoadAboveTarget +30s +3 in 5m$/m,
    );
    expect((await run('autoscale', serverWith())).out).to.match(/^demo +- +- +3 +- +120 +fixed +- +-$/m);
    expect((await run('autoscale', keptServer())).out).to.match(/^demo +- +- +5 +- +120 +KeptSize +/m);
    const { clusters } = JSON.parse((await run('autoscale -o json', server)).out);
    expect(clusters[0]).to.include({ cluster: 'demo', size: 4, ideal: 5 });
  });
});

/** A cluster with the kept size 5. */
function keptServer() {
  return serverWith(5, {
    spec: { nodes: 3 },
    status: {
      desiredNodes: 5,
      readyNodes: 5,
      replicas: 5,
      autoscale: { size: 5, nodes: 3, reason: 'LoadAboveTarget', message: 'the load of then', since: ago(600) },
      pendingChanges: [pendingChange({ field: 'spec.nodes', asked: '3', effective: '5', reason: 'KeptSize' })],
    },
  });
}

describe('a size that follows the load', () => {
  it('cannot be scaled by hand, and the refusal has the bounds and the patch that does what was wanted', async () => {
    const server = sizedServer(5, 600);
    const { code, err, writes } = await run('scale demo 6', server);
    expect([code, writes]).to.deep.equal([EXIT.blocked, []]);
    expect(err).to.include('minNodes 3 to maxNodes 8, now 5').and.include('{"spec":{"autoscale":{"minNodes":6}}}');
    expect((await run('scale demo 9', server)).err).to.include('{"minNodes":9,"maxNodes":9}');
    expect((await run('scale demo 4', server)).err).to.include('{"maxNodes":4}');
    expect((await run('scale demo 1', sizedServer(5, 600, { autoscale: { minNodes: 4 } }))).err).to.include(
      '{"minNodes":3,"maxNodes":3}',
    );
    const shrunk = await run('remove demo-1 --shrink', server);
    expect([shrunk.code, shrunk.writes]).to.deep.equal([EXIT.blocked, []]);
    expect(shrunk.err).to.include('{"maxNodes":4}');
  });

  it('makes remove point to autoscale for when the marked node goes', async () => {
    const { out } = await run('remove demo-1', sizedServer(4, 600));
    expect(out)
      .to.include('kubectl mkv autoscale demo -n default')
      .and.not.match(/mkv scale/);
  });

  it('makes cancel refuse to keep a node that is leaving, with the patch of the bounds that would keep it', async () => {
    const server = sizedServer(4, 600, { decision: { size: 3 } });
    const { code, err, writes } = await run('cancel demo', server);
    expect([code, writes]).to.deep.equal([EXIT.blocked, []]);
    expect(err).to.include('{"spec":{"autoscale":{"minNodes":4}}}');
  });

  it('is shown with its bounds and its reason in the head of the status', async () => {
    const decision = { opsPerSecond: 22_000, target: 5000 };
    const { out } = await run('status demo', sizedServer(5, 600, { decision }));
    expect(out).to.match(/^ {2}5 nodes \(3 to 8 by load: 22,000 ops\/s at 5,000 a node\), LoadAboveTarget for 10m$/m);
    expect((await run('status demo', keptServer())).out).to.include('5 nodes, kept since spec.autoscale was taken out');
  });

  it('is planned by the load only with --autoscale', async () => {
    const server = sizedServer(3, 600);
    expect((await run('plan demo', server)).out)
      .to.include('3 to 8 by load')
      .and.include('kubectl mkv plan demo -n default --autoscale');
    const { out } = await run('plan demo --autoscale', server, { lines: serving(8000, 7000, 7000) });
    expect(out).to.include('LoadAboveTarget: 22,000 ops/s at 5,000 a node: 5 nodes instead of 3');
    const document = await run('plan demo --autoscale -o json', server, { lines: serving(8000, 7000, 7000) });
    expect(JSON.parse(document.out).size).to.include({ nodes: 3, next: 5, ideal: 5, reason: 'LoadAboveTarget' });
  });
});

describe('a kept size', () => {
  it('is given up for the present spec.nodes by an annotation, after a question', async () => {
    const server = keptServer();
    const refused = await run('scale demo 3', server, { typed: ['n'] });
    expect([refused.code, refused.writes]).to.deep.equal([EXIT.failed, []]);
    const dry = await run('scale demo 3 --dry-run', server);
    expect([dry.code, server.get(CLUSTERS, REF).metadata.annotations?.[ANNOTATIONS.acceptedNodes]]).to.deep.equal([
      EXIT.fine,
      undefined,
    ]);
    const { code, out } = await run('scale demo 3 --yes', server);
    expect([code, out.includes('spec.nodes 3 is confirmed, instead of the 5 nodes')]).to.deep.equal([EXIT.fine, true]);
    expect(server.get(CLUSTERS, REF).metadata.annotations).to.include({
      [ANNOTATIONS.acceptedNodes]: '3/2026-01-01T00:50:00.000Z',
    });
    expect(server.get(CLUSTERS, REF).spec).to.include({ nodes: 3 });
  });

  it('is made fixed by setting spec.nodes to it, and given up by setting another number', async () => {
    const server = keptServer();
    const { out } = await run('scale demo 5', server);
    expect(out).to.include('spec.nodes 3 -> 5').and.include('the 5 nodes stay');
    expect(server.get(CLUSTERS, REF).spec).to.include({ nodes: 5 });
    const smaller = keptServer();
    expect((await run('remove demo-1 --shrink', smaller)).out).to.include('spec.nodes 3 -> 4');
    expect(smaller.get(CLUSTERS, REF).spec).to.include({ nodes: 4 });
  });
});

describe('the bounds of a size that follows the load, offline', () => {
  const notes = async (spec: string) => {
    const head = 'apiVersion: marekvs.io/v1alpha1\nkind: MarekvsCluster\nmetadata: {name: demo}\nspec:\n  image: a\n';
    const files = { 'one.yaml': `${head}${spec}` };
    const { code, out } = await run('validate -f one.yaml', serverWith(), { files });
    return [code, ...out.split('\n').flatMap((line) => line.split('note: ').slice(1))];
  };
  const autoscale = (bounds: string) => `  autoscale: {${bounds}, targetOpsPerNode: 5000}\n`;

  it('get no note when they can be in force as they are', async () => {
    expect(await notes(autoscale('minNodes: 3, maxNodes: 8'))).to.deep.equal([EXIT.fine]);
    expect(await notes(`  nodes: 8\n${autoscale('minNodes: 3, maxNodes: 8')}`)).to.deep.equal([EXIT.fine]);
  });

  const ROWS: readonly (readonly [string, string, string])[] = [
    [
      'a largest size below the floor',
      autoscale('minNodes: 1, maxNodes: 2'),
      'spec.autoscale.maxNodes is 2, below replicationFactor + 1 = 3: the operator keeps 3 nodes',
    ],
    [
      'a smallest size below the floor',
      autoscale('minNodes: 2, maxNodes: 8'),
      'spec.autoscale.minNodes is 2, below replicationFactor + 1 = 3: it never has fewer than 3 nodes',
    ],
    [
      'bounds without room',
      autoscale('minNodes: 4, maxNodes: 4'),
      'spec.autoscale.maxNodes leaves no room: the size is 4 whatever the load is',
    ],
    [
      'a first size above them',
      `  nodes: 9\n${autoscale('minNodes: 3, maxNodes: 8')}`,
      'spec.nodes is 9, and the size stays within 3 to 8: it begins with 8',
    ],
    [
      'a first size below them',
      `  nodes: 4\n${autoscale('minNodes: 5, maxNodes: 8')}`,
      'spec.nodes is 4, and the size stays within 5 to 8: it begins with 5',
    ],
  ];
  for (const [title, spec, said] of ROWS)
    it(`get a note for ${title}`, async () => {
      expect(await notes(spec)).to.deep.equal([EXIT.fine, said]);
    });
});
