// The live view as lines of text: the cluster, its nodes, the last events. Pure.
import type { ClusterRow, EventRow, NodeRow } from './rows.ts';

export interface Snapshot {
  readonly clusters: readonly ClusterRow[];
  readonly nodes: readonly NodeRow[];
  readonly events: readonly EventRow[];
}

const SHOWN_EVENTS = 6;

/** All of it, for a terminal that is drawn again and again. @param width columns; longer lines are cut */
export function renderScreen(snapshot: Snapshot, nowMs: number, width: number): string[] {
  const nodes = sortNodes(snapshot.nodes);
  const events = snapshot.events.toSorted((a, b) => a.atMs - b.atMs).slice(-SHOWN_EVENTS);
  const lines = [
    ...renderTable(CLUSTER_HEAD, snapshot.clusters.map(clusterCells)),
    ...snapshot.clusters.filter((one) => one.message !== '').map((one) => `  ${one.name}: ${one.message}`),
    '',
    ...renderTable(
      [...NODE_HEAD, 'AGE'],
      nodes.map((one) => [...nodeCells(one), formatAge(nowMs - one.createdAtMs)]),
    ),
    '',
    ...(events.length === 0
      ? ['no events yet']
      : renderTable(
          EVENT_HEAD,
          events.map((one) => eventCells(one, nowMs)),
        )),
  ];
  return lines.map((line) => (line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line));
}

/** One line per thing, without ages: what a log wants. The key tells which thing a line is about. */
export function renderLines(snapshot: Snapshot): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  for (const one of snapshot.clusters) {
    const [name, desired, ready, underreplicated, ops, phase] = clusterCells(one);
    const message = one.message === '' ? '' : ` · ${one.message}`;
    lines.set(
      `cluster/${name}`,
      `cluster ${name}: DESIRED ${desired} READY ${ready} UNDERREP ${underreplicated} OPS/S ${ops} PHASE ${phase}${message}`,
    );
  }
  for (const one of sortNodes(snapshot.nodes)) {
    const key = `${one.cluster}-${one.id}`;
    lines.set(
      `node/${key}`,
      `node ${key}: PHASE ${one.phase} SEENBY ${one.seenBy} READY ${one.ready} HOST ${one.host} VOLUME ${one.volume}`,
    );
  }
  for (const one of snapshot.events.toSorted((a, b) => a.atMs - b.atMs)) {
    lines.set(`event/${one.uid}`, `event ${one.type} ${one.about} ${one.reason}: ${one.note}`);
  }
  return lines;
}

/** The lines that are new or different; what is gone gets a line of its own. */
export function changedLines(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const changed = [...after].filter(([key, line]) => before.get(key) !== line).map(([, line]) => line);
  const gone = [...before.keys()].filter((key) => !key.startsWith('event/') && !after.has(key));
  return [...changed, ...gone.map((key) => `${key.replace('/', ' ')}: gone`)];
}

/** `45s`, `12m`, `3h`, `2d`, as kubectl shows ages. */
export function formatAge(ms: number): string {
  if (!Number.isFinite(ms)) return '-';
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

const CLUSTER_HEAD = ['NAME', 'DESIRED', 'READY', 'UNDERREP', 'OPS/S', 'PHASE'];
const NODE_HEAD = ['CLUSTER', 'ID', 'PHASE', 'SEENBY', 'READY', 'HOST', 'VOLUME'];
const EVENT_HEAD = ['LAST SEEN', 'TYPE', 'ABOUT', 'REASON', 'NOTE'];

function clusterCells(row: ClusterRow): string[] {
  return [row.name, row.desired, row.ready, row.underreplicated, row.opsPerSecond, row.phase];
}

function nodeCells(row: NodeRow): string[] {
  return [row.cluster, String(row.id), row.phase, row.seenBy, row.ready, row.host, row.volume];
}

function eventCells(row: EventRow, nowMs: number): string[] {
  return [formatAge(nowMs - row.atMs), row.type, row.about, row.reason, row.note];
}

function sortNodes(nodes: readonly NodeRow[]): NodeRow[] {
  return nodes.toSorted((a, b) => (a.cluster === b.cluster ? a.id - b.id : a.cluster < b.cluster ? -1 : 1));
}

/** Three spaces between columns, as kubectl prints. */
function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + 3)))
      .join('')
      .trimEnd(),
  );
}
