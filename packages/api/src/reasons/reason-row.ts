// A reason is a row: its texts, and everything that a program decides by it. Who has to know something about reasons
// reads a field here, and keeps no list of them. What a person reads about it beyond these texts is the paragraph in
// packages/reference, which the operator does not load.

/** What findings follow from, the first causes first: whoever explains a cluster shows them in this order. */
export const CAUSES = [
  'installation',
  'wholeCluster',
  'loss',
  'handover',
  'secret',
  'password',
  // Trouble with the Pod of the failed member follows from it, or is what its message says.
  'update',
  'object',
  // Trouble with the Pod and its volume follows from trouble with the host.
  'host',
  'volume',
  'pod',
  'member',
  'setting',
  'contents',
  'bounds',
  // Nodes join and leave because of these.
  'decision',
  'undone',
] as const;

export interface ReasonRow extends ReasonTraits {
  /** `warning` asks for a person's attention; events have it as their type. */
  readonly severity: 'normal' | 'warning';
  readonly description: string;
  /** What a person does. */
  readonly remedy: string;
}

/** Undefined is the rule, and a value the exception. */
export interface ReasonTraits {
  /** For a person: `blocked` needs somebody, `waiting` goes on by itself, a `note` blocks nothing. Undefined: blocked
   *  if it is a warning, else waiting. */
  readonly kind?: 'blocked' | 'waiting' | 'note';
  /** Undefined comes after all others. */
  readonly cause?: (typeof CAUSES)[number];
  /** Every node has it in its conditions, but it is about the cluster. */
  readonly scope?: 'cluster';
  /** `harmless`: it is reported, and makes no cluster less ready. `informational`: nothing waits for it either, and an
   *  event says it once. */
  readonly weight?: 'harmless' | 'informational';
  /** As the reason of Ready it says no more than that work goes on: always, or while an operation is under way, which
   *  is reported itself. */
  readonly saysLittle?: 'always' | 'duringOperation';
  /** State that a joining or leaving member passes through. */
  readonly isOnTheWay?: true;
  /** State of a node whose Pod is about to be made or has just been: others may wait for it. */
  readonly isOfStart?: true;
  /** The member does not answer, has no Pod, or has a Pod without a host, which cannot be asked. */
  readonly isSilence?: true;
  /** The API server refuses a write: only this `object`, or `everything`, until a person acts; or everything, and it is
   *  `passing`. */
  readonly refusal?: 'object' | 'everything' | 'passing';
  /** Blocks a node's volume or Pod, whether it has a Pod or not: an object of that name belongs to somebody else, or
   *  the node's own objects are in the way. */
  readonly obstacle?: 'foreign' | 'own';
  /** A removal that waits for it lets `restarts` go first: it waits for a time, or for those very restarts. One that
   *  waits for `others` has not had its turn yet, and is never called blocked. */
  readonly goesBefore?: 'restarts' | 'others';
  /** Every healthy removal waits for it: it is progress, of its `proof` or of another part. */
  readonly progressOf?: 'proof' | 'removal';
  /** How an operation ends with it: as it was asked for, or `undone`, and the same fault would undo the next
   *  attempt. */
  readonly ends?: 'asAsked' | 'undone';
  /** Tells how far this is. */
  readonly stateOf?: 'hibernation' | 'suspension' | 'adoption';
  /** Phase of a cluster that works on it. */
  readonly phase?: 'ScalingUp' | 'ScalingDown' | 'Hibernated';
  /** What the size does that is decided for it; `unmet`: load or disks ask for what is not possible, or are unknown. */
  readonly sizing?: 'grows' | 'shrinks' | 'either' | 'unmet';
  /** A person, and nothing else, holds the rolling update. */
  readonly isUpdateHeld?: true;
  /** Which fences stand before a Pod is ended for it; undefined: those of any Pod. */
  readonly podEnd?:
    | 'restartPod'
    | 'restartPodRolled'
    | 'stopPod'
    | 'stopPodAlone'
    | 'deletePodWithCluster'
    | 'deletePodThatEnded';
  /** The end of a Pod for it is part of something that is reported itself: the deletion of the cluster, or an operation
   *  that removes the node or stops its member. */
  readonly isToldElsewhere?: true;
}

export const NOTHING = 'Nothing to do.';

export function normal(description: string, remedy: string, traits: ReasonTraits = {}): ReasonRow {
  return { severity: 'normal', description, remedy, ...traits };
}

export function warning(description: string, remedy: string, traits: ReasonTraits = {}): ReasonRow {
  return { severity: 'warning', description, remedy, ...traits };
}
