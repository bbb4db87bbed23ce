// The two answers made of `key:value` lines: CLUSTER INFO and INFO <section>.

/** What CLUSTER INFO says beyond constants (marekvs.md 3). */
export interface ClusterInfo {
  /** Members in the view: joining, leaving and self included. */
  readonly knownNodes: number;
  /** Members whose phase is Active. */
  readonly size: number;
  /** Counts view changes of this process; not comparable between members. */
  readonly currentEpoch: number;
  /** Generation of the answering process, unix seconds. */
  readonly myEpoch: number;
}

/** @throws StoreProtocolError a field is missing, twice, or not a number */
export function parseClusterInfo(_text: string | Uint8Array): ClusterInfo {
  throw new Error('parseClusterInfo: not yet');
}

/** The `key:value` lines of an INFO answer; `# Section` headings are skipped.
 *  @throws StoreProtocolError a line without a colon, a key twice, or no line at all */
export function parseInfo(_text: string | Uint8Array): ReadonlyMap<string, string> {
  throw new Error('parseInfo: not yet');
}
