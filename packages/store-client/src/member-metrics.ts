// The figures of one member's `/metrics`, typed. Says what was there and nothing else: a figure that is missing or NaN is
// undefined, never zero. What the figures prove is the planner's business (marekvs.md 4 and 5).

/** One reading of `/metrics` (marekvs.md 4). Gauges of the stats task are up to 2 s old; counters restart with the process. */
export interface MemberMetrics {
  /** False before the member's first stats pass (about 2 s after start): its gauges read 0 then and mean nothing. */
  readonly isFresh: boolean;
  /** From `marekvs_info`: which node answered. */
  readonly nodeId: number | undefined;
  readonly version: string | undefined;
  readonly upSeconds: number | undefined;

  /** Anti-entropy rounds *started*. */
  readonly aeRounds: number | undefined;
  /** Records received from anti-entropy repair, useful or not. */
  readonly aeRepairOps: number | undefined;
  readonly aeDigestScans: number | undefined;
  readonly bootstrapsCompleted: number | undefined;
  readonly bootstrapBytesSent: number | undefined;
  /** May stand above 0 for ever on an Active member; only *unchanged* means anything (marekvs.md 11). */
  readonly joinGatePendingPids: number | undefined;
  readonly joinGateTimeouts: number | undefined;
  readonly rejoinActive: number | undefined;
  /** Records this member deleted locally while rejoining. */
  readonly rejoinDroppedRecords: number | undefined;

  readonly replInflightBytes: number | undefined;
  readonly replOpsSent: number | undefined;
  readonly replOpsApplied: number | undefined;
  readonly replSendFailures: number | undefined;
  readonly replWindowStalls: number | undefined;
  readonly meshPeers: number | undefined;
  readonly meshConnTimeouts: number | undefined;
  readonly meshOutputBytes: number | undefined;

  /** Members in this one's view, itself, joining and leaving ones included. */
  readonly clusterMembers: number | undefined;
  /** Only ever 0 or 4096: a count of members, no evidence about data (marekvs.md 5.1). */
  readonly underreplicatedPartitions: number | undefined;
  readonly effectiveRfMin: number | undefined;
  readonly ownedPartitions: number | undefined;

  readonly connectedClients: number | undefined;
  readonly connectionsAccepted: number | undefined;
  readonly connectionsClosed: number | undefined;
  readonly netInputBytes: number | undefined;
  readonly netOutputBytes: number | undefined;
  /** Sum over all commands; the server leaves out what runs inside EXEC and Lua. Undefined until the first command. */
  readonly commandsTotal: number | undefined;
  /** The part of `commandsTotal` that is ours and the probes': CLUSTER, INFO, PING, AUTH, HELLO. */
  readonly housekeepingCommandsTotal: number | undefined;
  readonly commandErrorsTotal: number | undefined;

  readonly diskTotalBytes: number | undefined;
  readonly diskAvailBytes: number | undefined;
  /** SST bytes only, without memtable and WAL. */
  readonly dbTotalBytes: number | undefined;
  /** 1 while client writes are refused. */
  readonly diskWriteStopped: number | undefined;
}

/** Parses one `/metrics` body.
 *  @throws StoreProtocolError not Prometheus text, cut off, the same series twice, or nothing of a marekvs member in it */
export function parseMetricsText(_text: string | Uint8Array): MemberMetrics {
  throw new Error('parseMetricsText: not yet');
}
