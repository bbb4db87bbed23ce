// One member's view of the cluster, from `CLUSTER NODES`. The server prints no phase and no dead member (marekvs.md 3):
// joining and leaving look alike here, both have no slots. Telling them apart is the planner's business.

/** One line of CLUSTER NODES: one member as another (or itself) sees it. */
export interface MemberLine {
  /** Node id, 0..65535. */
  readonly id: number;
  readonly ip: string;
  readonly respPort: number;
  readonly gossipPort: number;
  /** True on the line of the member that answered. */
  readonly myself: boolean;
  /** Unix seconds of the process's start. */
  readonly generation: number;
  /** Slots this member is primary of (0 = joining or leaving). */
  readonly primarySlots: number;
  /** Ranges as printed; adjacent ones are not merged by the server. */
  readonly rangeCount: number;
  /** 16 hex digits over the ranges as printed. The range borders show owner lists too, so equal digests on all members
   *  are strong evidence of one placement. */
  readonly slotsDigest: string;
}

/** Parses the payload of CLUSTER NODES. Lines come in the order of the answer (ids ascending on the real server).
 *  @throws StoreProtocolError anything but complete lines of distinct members with ascending ranges, at most one `myself` */
export function parseClusterNodes(_text: string | Uint8Array): readonly MemberLine[] {
  throw new Error('parseClusterNodes: not yet');
}

/** 16 hex digits over id, generation and slots of all lines, whatever their order and whoever answered: two members whose
 *  digests are equal see the same members, generations and placement. */
export function digestOfNodes(_lines: readonly MemberLine[]): string {
  throw new Error('digestOfNodes: not yet');
}
