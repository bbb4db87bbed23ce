// How the planner asks for a comparison of contents and learns its progress. The operator reads the members;
// comparison.ts decides what follows from the answers.

/** One life of a member that takes part. */
export interface ComparedMember {
  readonly nodeId: number;
  readonly podUid: string;
  readonly ip: string;
  /** Unix seconds at its boot, as all members show it. */
  readonly generation: number;
}

/** What a comparison is for, the most urgent first. `removal`: every record of the target is on its other homes.
 *  `settling`: the survivors of a removal cover each other. `asked`: a person wants to know. `change`: the members or
 *  their generations have changed. `routine`: the daily comparison at rest. */
export const COMPARISON_PURPOSES = ['removal', 'settling', 'asked', 'change', 'routine'] as const;
export type ComparisonPurpose = (typeof COMPARISON_PURPOSES)[number];

/** What is to be compared now. Equal requests are one piece of work, however often and by whom it is requested. */
export interface ComparisonRequest {
  readonly purpose: ComparisonPurpose;
  /** Tells two pieces of work of one purpose apart: the id of the operation, or what a person asked for. */
  readonly id: string;
  /** All members that may hold records or are homes of them, by id. */
  readonly members: readonly ComparedMember[];
  /** Ids of the members whose records have to be on every other home of their partition: the target alone, or all. */
  readonly sources: readonly number[];
  readonly replicationFactor: number;
  /** Monotonic: answers over a connection opened before count for nothing. */
  readonly sinceMs: number;
  /** Goes on after it is complete: what has changed since is asked for again, so that `coveredAtMs` stays recent. */
  readonly isKeptFresh: boolean;
}

/** Records of one member that were not seen at one of their homes. */
export interface MissingRecords {
  readonly sourceId: number;
  readonly homeId: number;
  readonly partitions: number;
  /** Those known by now: a lower bound. */
  readonly records: number;
}

/** HyperLogLog registers of which the homes hold different ranks, which the server never reconciles. */
export interface DivergingRegisters {
  readonly registers: number;
  /** Of how many keys they are. */
  readonly keys: number;
}

/** Progress of a comparison. A report belongs to the request it carries and to no other. */
export interface ComparisonReport {
  readonly request: ComparisonRequest;
  /** `waiting`: other comparisons come first. `running`: something is not known, or is missing. `complete`: all of it
   *  was covered. */
  readonly state: 'waiting' | 'running' | 'complete';
  /** Monotonic: when the connections were opened; undefined while waiting. */
  readonly startedAtMs: number | undefined;
  /** Monotonic: whatever the sources held at this moment was seen on every other home. Undefined until complete. */
  readonly coveredAtMs: number | undefined;
  /** Monotonic: when the sweep that showed it ended, since busy members answer late; when it began, if it had to wait
   *  for something that was missing. Undefined until complete. */
  readonly sweptAtMs: number | undefined;
  /** Partitions of the sources that are covered, of all: 4096 for each source. */
  readonly partitionsDone: number;
  readonly partitionsTotal: number;
  /** By source and home, most records first. */
  readonly missing: readonly MissingRecords[];
  /** Not missing, and never in the way of `complete`. Before a removal those of the target that no other home has. */
  readonly diverging: DivergingRegisters;
  /** An estimate of how many records each source holds, from how many of its buckets are empty; undefined while not all
   *  of its partitions were scanned. */
  readonly records: ReadonlyMap<number, number>;
  /** Monotonic: when the last partition of the sources was scanned for the first time; undefined before. */
  readonly scannedAtMs: number | undefined;
  /** Monotonic: when a partition was last covered, or a record last seen where it had been missing. */
  readonly movedAtMs: number;
  /** Why contents could not be read at the last try; undefined while all members answer. */
  readonly problem: { readonly nodeId: number; readonly error: string } | undefined;
}

/** True for the same work: every pass makes a new object. A later `sinceMs` makes no difference; whether earlier work
 *  still counts follows from `startedAtMs`. */
export function isSameComparison(a: ComparisonRequest, b: ComparisonRequest): boolean {
  return (
    a === b ||
    (a.purpose === b.purpose &&
      a.id === b.id &&
      a.replicationFactor === b.replicationFactor &&
      a.isKeptFresh === b.isKeptFresh &&
      a.sources.length === b.sources.length &&
      a.sources.every((id, i) => id === b.sources[i]) &&
      a.members.length === b.members.length &&
      a.members.every((member, i) => isSameMember(member, b.members[i])))
  );
}

function isSameMember(a: ComparedMember, b: ComparedMember | undefined): boolean {
  return a.nodeId === b?.nodeId && a.podUid === b.podUid && a.ip === b.ip && a.generation === b.generation;
}
