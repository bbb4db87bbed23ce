// What replicas cost for the clusters they manage, and where the limit of one replica is, from the recorded figures.

import { clustersAt, fitLine, type Line } from '../scale/line.ts';
import type { OperatorAtRest, RecordedRow, ScaleRow, Spread } from '../scale/record.ts';
import { page, table } from '../text/markdown.ts';

/** The limit of config/base/manager. */
const MEMORY_LIMIT_MIB = 512;
/** Half of a core at rest leaves the other half for work. */
const BUSY_SECONDS_PER_MINUTE = 30;
/** How long a fleet may be unobserved after a start. A standby replica has its caches already. */
const RESTART_SECONDS = 10;
/** Memory of a small control plane, for API server and etcd together. */
const CONTROL_PLANE_MIB = 8_192;
const EXAMPLE = 10_000;

/** Requests a minute for one cluster, as docs/comparison.md has them. */
const EXISTING = { idle: 28, busy: [2_500, 4_200], residentMiB: 32 } as const;

export function scalePage(rows: readonly RecordedRow[]): string {
  return page({
    title: 'How far one replica goes',
    source: 'docs/scale.json',
    blocks: [
      `These are fleets of clusters with three hollow members each: they answer the operator as real ones do, but serve no clients. The operator, the API server, etcd, the members and the measuring programs share two cores. \`npm run bench:scale\` prints the figures, and \`-- --record\` writes them here.`,
      '## At rest',
      atRest(rows),
      'Measured for a minute, beginning 100 s after the last cluster became Healthy, or after the replicas found the clusters there. `unrelated`: Services on the same API server that do not belong to any cluster. With several replicas in mode `ring`, RSS and heap are those of the largest replica, CPU and requests those of all together.',
      ...shares(rows.filter(({ replicas }) => replicas > 1)),
      '## At work',
      atWork(rows),
      '`created`: from the first request until all are Healthy; most of that is the API server and the stand-in for kubelets. `restart`: from the start of the process until every cluster has had a pass, best of three, and the requests besides watches. `taken over`: from the end of a replica, by SIGTERM and by SIGKILL, until others have its clusters. Wait and pass: upper bounds of the 50th and 99th percentile while up to 100 clusters a second are edited.',
      '## Where one replica ends',
      ...ends(rows.filter(({ unrelated, replicas }) => unrelated === 0 && replicas === 1)),
    ],
  });
}

function atRest(rows: readonly RecordedRow[]): string {
  const head = [
    'clusters',
    'replicas',
    'unrelated',
    'RSS',
    'heap',
    'CPU',
    'requests',
    'API server: CPU, RSS',
    'etcd: CPU, RSS',
    'measured',
  ];
  return table(
    head,
    rows.map(({ clusters, replicas, unrelated, operators, requestsPerMinute, apiServer, etcd, commit, date, note }) => [
      count(clusters),
      count(replicas),
      count(unrelated),
      `${largest(operators, ({ residentMiB }) => residentMiB)} MiB`,
      `${largest(operators, ({ heapMiB }) => heapMiB)} MiB`,
      `${allCpu(operators)} s/min`,
      `${requestsPerMinute} /min`,
      `${apiServer.cpuSecondsPerMinute} s/min, ${apiServer.residentMiB} MiB`,
      `${etcd.cpuSecondsPerMinute} s/min, ${etcd.residentMiB} MiB`,
      [date, commit, ...(note === undefined ? [] : [note])].join(', '),
    ]),
  );
}

/** How evenly several replicas share the clusters. */
function shares(rows: readonly ScaleRow[]): readonly string[] {
  if (rows.length === 0) return [];
  const head = ['clusters', 'replicas', 'clusters of each', 'RSS of each', 'CPU of each'];
  const each = (of: readonly OperatorAtRest[], value: (one: OperatorAtRest) => number): string =>
    of.map((one) => count(value(one))).join(', ');
  return [
    table(
      head,
      rows.map(({ clusters, replicas, operators }) => [
        count(clusters),
        count(replicas),
        each(operators, (one) => one.clusters),
        `${each(operators, ({ residentMiB }) => residentMiB)} MiB`,
        `${each(operators, ({ cpuSecondsPerMinute }) => cpuSecondsPerMinute)} s/min`,
      ]),
    ),
  ];
}

function largest(operators: readonly OperatorAtRest[], of: (one: OperatorAtRest) => number): number {
  return Math.max(...operators.map(of));
}

function allCpu(operators: readonly OperatorAtRest[]): number {
  const sum = operators.reduce((total, { cpuSecondsPerMinute }) => total + cpuSecondsPerMinute, 0);
  return Math.round(sum * 100) / 100;
}

function atWork(rows: readonly ScaleRow[]): string {
  const head = ['clusters', 'replicas', 'unrelated', 'created', 'restart', 'taken over', 'wait for a pass', 'pass'];
  return table(
    head,
    rows.map(({ clusters, replicas, unrelated, createdSeconds, restart, failover, queueWait, pass }) => [
      count(clusters),
      count(replicas),
      count(unrelated),
      createdSeconds === undefined ? '' : `${createdSeconds} s`,
      restart === undefined ? '' : `${restart.seconds} s, ${restart.requests}`,
      failover === undefined ? '' : `${failover.plannedSeconds} s, ${failover.crashSeconds} s`,
      spread(queueWait),
      spread(pass),
    ]),
  );
}

function ends(rows: readonly ScaleRow[]): readonly string[] {
  // Any two points make a line, even if both are accidents.
  if (new Set(rows.map(({ clusters }) => clusters)).size < 3)
    return ['At least three sizes have to be recorded to fit a line.'];
  const line = (of: (row: ScaleRow) => number) => fitLine(rows.map((row) => [row.clusters, of(row)]));
  const memory = line(({ operators }) => largest(operators, ({ residentMiB }) => residentMiB));
  const cpu = line(({ operators }) => allCpu(operators));
  const restart = fitLine(
    rows.flatMap(({ clusters, restart }) => (restart === undefined ? [] : [[clusters, restart.seconds]])),
  );
  const controlPlane = line(({ apiServer, etcd }) => apiServer.residentMiB + etcd.residentMiB);
  const lines: readonly (readonly [string, Line, string, number, string])[] = [
    ['RSS', memory, 'MiB', MEMORY_LIMIT_MIB, `the memory limit of config/base/manager, ${MEMORY_LIMIT_MIB} MiB`],
    ['CPU at rest', cpu, 's/min', BUSY_SECONDS_PER_MINUTE, 'half of the one core that JavaScript runs on'],
    ['restart', restart, 's', RESTART_SECONDS, `${RESTART_SECONDS} s without observation after a start`],
    [
      'API server and etcd, RSS',
      controlPlane,
      'MiB',
      CONTROL_PLANE_MIB,
      `${count(CONTROL_PLANE_MIB)} MiB for both, if nothing else in the Kubernetes cluster needs them`,
    ],
  ];
  return [
    'Straight lines through the rows without unrelated objects (least squares of the relative errors), and where they meet a bound. They rest on two assumptions: that clusters beyond the largest row cost as much as those before it, and that they are idle. A cluster that serves is queried three times as often; one that changes also costs passes.',
    table(
      ['figure', 'none', 'each cluster more', `${count(EXAMPLE)} clusters`, 'bound', 'reached at'],
      lines.map(([name, fitted, unit, bound, what]) => [
        name,
        `${digits(fitted.base)} ${unit}`,
        `${digits(fitted.each)} ${unit}`,
        `${digits(fitted.base + EXAMPLE * fitted.each)} ${unit}`,
        what,
        `${count(clustersAt(fitted, bound))} clusters`,
      ]),
    ),
    'Beyond the first of these bounds, add memory or replicas. The API server sees only the watches and the lease of an idle operator, whatever its size. What it keeps in memory are the objects, fourteen for a cluster of three, whichever operator manages them.',
    '## For comparison: the existing operator',
    existing(rows),
  ];
}

/** The existing operator is not run here: its figures are those of the comparison. */
function existing(rows: readonly ScaleRow[]): string {
  const own = rows.find(({ clusters }) => clusters === 100);
  const [from, to] = EXISTING.busy;
  const each = (perMinute: number): string => count(Math.round((100 * perMinute) / 60));
  const memory =
    own === undefined ? '' : `, where this one takes ${largest(own.operators, ({ residentMiB }) => residentMiB)} MiB`;
  return `Measured once, on the same kind of API server ([comparison](comparison.md)), and not run by the benchmark: ${EXISTING.idle} requests a minute for an idle cluster, ${count(from)} to ${count(to)} for a busy one, ${EXISTING.residentMiB} MiB with 100 clusters${memory}. So 100 idle clusters mean ${each(EXISTING.idle)} requests a second all the time, and 100 busy ones would mean ${each(from)} to ${each(to)}, more than one process can send: its limit is below 100 busy clusters, because of requests and not of memory.`;
}

function spread({ p50, p99 }: Spread): string {
  return `${p50} ms, ${p99} ms`;
}

function digits(value: number): string {
  return value >= 100 ? count(Math.round(value)) : String(Number(value.toPrecision(2)));
}

/** 12,345 */
function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
