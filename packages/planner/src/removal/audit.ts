// The words in which the planner asks for test keys ("canaries", marekvs.md 5.8) and is told what became of them.
// Who writes and reads them is the operator's business; which ones there are follows from the operation alone.

/** A member's process that takes part. */
export interface AuditMember {
  readonly nodeId: number;
  readonly podUid: string;
  readonly ip: string;
}

/** `write`: one test key per partition, through the target. `readBefore`: on every other home of each, the target still being one.
 *  `readAfter`: on every home of each, the target gone. `clean`: delete them, through one home each. */
export type AuditKind = 'write' | 'readBefore' | 'readAfter' | 'clean';

/** What is to be done now. Equal requests are one piece of work, whoever asks how often. */
export interface AuditRequest {
  readonly operationId: string;
  readonly kind: AuditKind;
  readonly replicationFactor: number;
  /** Id of the member that leaves. */
  readonly targetId: number;
  /** Every member the work needs, by id: for `write` the target alone, for `readBefore` all, afterwards the survivors. */
  readonly members: readonly AuditMember[];
  /** The partitions that have a test key, ascending. */
  readonly partitions: readonly number[];
}

/** How far the work is. A report belongs to the request it carries and to no other. */
export interface AuditReport {
  readonly request: AuditRequest;
  /** `running`: not one attempt has ended yet. `incomplete`: the last attempt ended and something is missing; it goes on by itself.
   *  `complete`: everything asked for was seen, or done, at `doneAtMs`. */
  readonly state: 'running' | 'incomplete' | 'complete';
  /** Monotonic time at which the attempt that completed it ended. */
  readonly doneAtMs: number | undefined;
  /** Where a key is missing, at most ten. */
  readonly missing: readonly { readonly partition: number; readonly nodeId: number }[];
  readonly missingCount: number;
  /** What stopped the last attempt, such as a member that did not answer. */
  readonly error: string | undefined;
}

/** The same work, whoever asks: every look makes a new object. */
export function isSameRequest(a: AuditRequest, b: AuditRequest): boolean {
  return (
    a === b ||
    (a.operationId === b.operationId &&
      a.kind === b.kind &&
      a.replicationFactor === b.replicationFactor &&
      a.targetId === b.targetId &&
      a.members.length === b.members.length &&
      a.members.every((member, i) => isSameMember(member, b.members[i])) &&
      isSameList(a.partitions, b.partitions))
  );
}

/** Of one placement it is the same array (canaries.ts). */
function isSameList(a: readonly number[], b: readonly number[]): boolean {
  return a === b || (a.length === b.length && a.every((partition, i) => partition === b[i]));
}

function isSameMember(a: AuditMember, b: AuditMember | undefined): boolean {
  return a.nodeId === b?.nodeId && a.podUid === b.podUid && a.ip === b.ip;
}
