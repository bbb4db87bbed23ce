// Answers: which members, generations and placement does a proof rest on? One short text that changes with any of them.

import type { NodeRecord } from '../observation/node-record.ts';
import { type ViewLine, viewKey } from '../values/view-line.ts';
import { ShownPlacements } from './shown-placements.ts';

export interface Topology {
  readonly hash: string;
  /** Boot generation by node id. */
  readonly generations: Readonly<Record<string, string>>;
}

/** 16 hex digits: FNV-1a-64 over the list of members and the digest of the whole answer, slot ranges included. */
export function topologyHash(lines: readonly ViewLine[], digest: string): string {
  return fnv1a64(`${viewKey(lines)}\n${digest}`);
}

/** What all members' last answers say; undefined unless every node serves and all agree, digest included. The others
 *  speak for a member whose door is closed. */
export function presentTopology(all: readonly NodeRecord[]): Topology | undefined {
  const nodes = all.filter(({ answer }) => answer.kind !== 'sealed');
  const [first] = nodes;
  if (first?.answer.kind !== 'serving') return undefined;
  const { view } = first.answer;
  const key = viewKey(view);
  const placements = new ShownPlacements();
  for (const node of nodes) {
    const { answer } = node;
    if (answer.kind !== 'serving' || viewKey(answer.view) !== key) return undefined;
    if (placements.add(node, answer.digest) !== undefined) return undefined;
  }
  return { hash: topologyHash(view, placements.digest()), generations: generationsOf(view) };
}

export function generationsOf(view: readonly ViewLine[]): Readonly<Record<string, string>> {
  return Object.fromEntries(view.map((line) => [String(line.id), String(line.generation)]));
}

/** The prime is 2^40 + 0x1b3, so that a product is two small ones and a shift. 32-bit halves, since BigInt costs 50
 *  times more. */
function fnv1a64(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let i = 0; i < text.length; i += 1) {
    low = (low ^ text.charCodeAt(i)) >>> 0;
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}
