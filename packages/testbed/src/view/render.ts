// The live view as lines of text: the cluster, its nodes, the last events. Pure.
import type { ClusterRow, EventRow, NodeRow } from './rows.ts';

export interface Snapshot {
  readonly clusters: readonly ClusterRow[];
  readonly nodes: readonly NodeRow[];
  readonly events: readonly EventRow[];
}

const SHOWN_EVENTS = 6;

/** What a terminal has room for. */
export interface Room {
  readonly columns: number;
  readonly rows: number;
}

/** The whole view, for a terminal that is redrawn. Lines that are too long are cut, and rows that do not fit are
 *  counted: events give way first, then nodes, then clusters. */
export function renderScreen(snapshot: Snapshot, nowMs: number, { columns, rows }: Room): string[] {
  const all = [...snapshot.events].sort((a, b) => a.atMs - b.atMs);
  const wanted = Math.min(SHOWN_EVENTS, all.length);
  const clusters = clusterBlocks(snapshot.clusters);
  const nodes = sortNodes(snapshot.nodes);
  const left = rows - FIXED_LINES - clusters.flat().length - nodes.length;
  const shownEvents = Math.max(1, Math.min(wanted, left));
  const roomForNodes = Math.max(1, rows - FIXED_LINES - clusters.flat().length - shownEvents);
  const roomForClusters = Math.max(1, rows - FIXED_LINES - Math.min(nodes.length, roomForNodes) - shownEvents);
  const clusterRows = snapshot.clusters.map(clusterCells);
  const [clusterHead = '', ...clusterLines] = renderTable(CLUSTER_HEAD, clusterRows, columns, CLUSTER_SPARE);
  const [nodeHead = '', ...nodeLines] = renderTable(
    [...NODE_HEAD, 'AGE'],
    nodes.map((one) => [...nodeCells(one), formatAge(nowMs - one.createdAtMs)]),
    columns,
  );
  const events = all.slice(-shownEvents);
  const lines = [
    clusterHead,
    ...fitting(
      clusterLines.map((line, index) => [line, ...(clusters[index] ?? []).slice(1)]),
      roomForClusters,
      'clusters',
    ),
    '',
    nodeHead,
    ...fitting(
      nodeLines.map((line) => [line]),
      roomForNodes,
      'nodes',
    ),
    '',
    ...(events.length === 0
      ? ['no events yet']
      : renderTable(
          EVENT_HEAD,
          events.map((one) => eventCells(one, nowMs)),
          columns,
        )),
  ];
  return lines.map((line) => (line.length > columns ? `${line.slice(0, Math.max(0, columns - 1))}…` : line));
}

/** Three heads and two blank lines. */
const FIXED_LINES = 5;

/** The row of a cluster and its message belong together. */
function clusterBlocks(clusters: readonly ClusterRow[]): readonly (readonly string[])[] {
  return clusters.map((one) => ['', ...(one.message === '' ? [] : [`  ${one.name}: ${one.message}`])]);
}

/** As many blocks as fit, and a count of the others. */
function fitting(blocks: readonly (readonly string[])[], room: number, what: string): readonly string[] {
  if (blocks.flat().length <= room) return blocks.flat();
  const shown: string[] = [];
  let count = 0;
  // One line is for the count.
  while (count < blocks.length && shown.length + (blocks[count]?.length ?? 0) < room) {
    shown.push(...(blocks[count] ?? []));
    count += 1;
  }
  return [...shown, `  … and ${blocks.length - count} more ${what}`];
}

/** One line per object, without ages, for a log. The key tells which object a line is about. */
export function renderLines(snapshot: Snapshot): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  for (const one of snapshot.clusters) {
    const [namespace, bare, desired, ready, underreplicated, ops, data, phase] = clusterCells(one);
    const name = `${namespace}/${bare}`;
    const blocked = one.phase === 'Blocked' || one.blocked.length > 1 ? ` BLOCKED ${one.blocked}` : '';
    const message = one.message === '' ? '' : ` · ${one.message}`;
    lines.set(
      `cluster/${name}`,
      `cluster ${name}: DESIRED ${desired} READY ${ready} UNDERREP ${underreplicated} OPS/S ${ops} DATA ${data} PHASE ${phase}${blocked}${message}`,
    );
  }
  for (const one of sortNodes(snapshot.nodes)) {
    const key = `${one.namespace}/${one.name}`;
    lines.set(
      `node/${key}`,
      `node ${key}: PHASE ${one.phase} SEENBY ${one.seenBy} READY ${one.ready} HOST ${one.host} VOLUME ${one.volume}`,
    );
  }
  for (const one of snapshot.events.toSorted((a, b) => a.atMs - b.atMs)) {
    lines.set(`event/${one.uid}`, `event ${one.type} ${one.namespace}/${one.about} ${one.reason}: ${one.note}`);
  }
  return lines;
}

/** The lines that are new or different, and one for each object that is gone. */
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

/** After the name, the columns of `kubectl get mkv`. */
const CLUSTER_HEAD = ['NAMESPACE', 'NAME', 'DESIRED', 'READY', 'UNDERREP', 'OPS/S', 'DATA', 'PHASE', 'BLOCKED'];
/** Columns that a narrow terminal leaves out, in this order: the others tell what is wrong. */
const CLUSTER_SPARE = ['UNDERREP', 'OPS/S', 'DESIRED'];
const NODE_HEAD = ['NAMESPACE', 'NAME', 'PHASE', 'SEENBY', 'READY', 'HOST', 'VOLUME'];
const EVENT_HEAD = ['LAST SEEN', 'TYPE', 'NAMESPACE', 'ABOUT', 'REASON', 'NOTE'];

function clusterCells(row: ClusterRow): string[] {
  const figures = [row.desired, row.ready, row.underreplicated, row.opsPerSecond];
  return [row.namespace, row.name, ...figures, row.data, row.phase, row.blocked];
}

function nodeCells(row: NodeRow): string[] {
  return [row.namespace, row.name, row.phase, row.seenBy, row.ready, row.host, row.volume];
}

function eventCells(row: EventRow, nowMs: number): string[] {
  return [formatAge(nowMs - row.atMs), row.type, row.namespace, row.about, row.reason, row.note];
}

function sortNodes(nodes: readonly NodeRow[]): NodeRow[] {
  const keyOf = ({ namespace, cluster }: NodeRow) => `${namespace}/${cluster}`;
  return nodes.toSorted((a, b) => (keyOf(a) === keyOf(b) ? a.id - b.id : keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Spaces between columns, as kubectl prints; fewer on a terminal that would cut the last column otherwise. */
const GAP = 3;
const NARROW_GAP = 2;

/** @param spare columns that are left out, one after the other, for as long as a line does not fit */
function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
  spare: readonly string[] = [],
): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const widthWith = (gap: number) => widths.reduce((sum, width) => sum + width, gap * (head.length - 1));
  const [first, ...others] = spare;
  if (first !== undefined && widthWith(NARROW_GAP) > columns) {
    const at = head.indexOf(first);
    const without = (row: readonly string[]) => row.filter((_, column) => column !== at);
    return renderTable(without(head), rows.map(without), columns, others);
  }
  const gap = widthWith(GAP) > columns ? NARROW_GAP : GAP;
  return all.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + gap)))
      .join('')
      .trimEnd(),
  );
}
