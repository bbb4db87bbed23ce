// Each type of operation and each of its phases, one row: what everybody may know of it who does not plan it. The
// schema takes its values from here, in this order. What decides about them is in planner/src/operations.

/** What a phase means for everything else: all can be undone (before), the DELETE may have been sent (deleting), the
 *  target of a removal is gone (after), a member takes its place back (back), members are restarted and compared when
 *  they are back (away), they stop with what was seen on them (stopped), nobody is away (inPlace). */
export type OperationStage = 'before' | 'deleting' | 'after' | 'back' | 'away' | 'stopped' | 'inPlace';

interface PhaseRow {
  readonly stage: OperationStage;
  /** What a person reads meanwhile, of the member that it is about. */
  readonly text: string;
}

const PHASES = {
  Claimed: { stage: 'before', text: 'its clients move to the other members, and every copy is proven to be there' },
  Isolating: { stage: 'before', text: 'its clients move to the other members' },
  Sealing: {
    stage: 'before',
    text: 'it is restarted with its door closed, so that nothing can be written to it any more',
  },
  Proving: { stage: 'before', text: 'proving that every copy is on another member' },
  Deleting: { stage: 'deleting', text: 'proven, its MarekvsNode is being deleted' },
  Departing: { stage: 'deleting', text: 'its member ends and the others forget it' },
  Settling: { stage: 'after', text: 'proving that the others have every copy again' },
  Reclaiming: { stage: 'after', text: 'its volume is being deleted' },
  Closed: { stage: 'after', text: 'done' },
  Cancelling: { stage: 'back', text: 'it comes back' },
  Restarting: { stage: 'away', text: 'its Pod is made again with the changed template' },
  CatchingUp: { stage: 'away', text: 'it gets what it has missed' },
  RollingBack: { stage: 'away', text: 'it goes back to the template it had' },
  Resizing: { stage: 'inPlace', text: 'its Pod gets other resources where it runs, and nobody is restarted' },
  Stopping: { stage: 'stopped', text: 'its Pod ends, and its volume is kept' },
  Suspended: { stage: 'away', text: 'it is stopped, and its volume is kept' },
  Hibernated: { stage: 'stopped', text: 'all members are stopped, and their volumes are kept' },
  Waking: { stage: 'away', text: 'all members start together' },
} as const satisfies Readonly<Record<string, PhaseRow>>;

type Phase = keyof typeof PHASES;

/** What an operation does with its members: one goes, one is back within seconds, or they are away until a person wants
 *  them back. */
export type OperationKind = 'removal' | 'turn' | 'sleep';

interface OperationRow {
  readonly kind: OperationKind;
  /** The action of its events. */
  readonly action: string;
  /** What a removal does, before the name of its node. */
  readonly doing?: string;
  /** The phases of one that nothing interrupts. */
  readonly phases: readonly Phase[];
  /** Where what a person reads is not that of the phase. */
  readonly texts?: Readonly<Partial<Record<Phase, string>>>;
}

const REMOVAL = {
  kind: 'removal',
  action: 'Remove',
  doing: 'removing',
  phases: ['Claimed', 'Isolating', 'Sealing', 'Proving', 'Deleting', 'Departing', 'Settling', 'Reclaiming'],
} as const satisfies OperationRow;

const TURN = {
  kind: 'turn',
  action: 'Roll',
  phases: ['Claimed', 'Isolating', 'Proving', 'Restarting', 'CatchingUp'],
  texts: { Claimed: 'it is taken out of the clients’ way and restarted' },
} as const satisfies OperationRow;

const OPERATIONS = {
  Remove: REMOVAL,
  Replace: { ...REMOVAL, doing: 'replacing' },
  Roll: TURN,
  // No version has written it.
  Resize: TURN,
  Suspend: {
    ...TURN,
    kind: 'sleep',
    action: 'Suspend',
    phases: ['Claimed', 'Isolating', 'Proving', 'Stopping', 'Suspended', 'Restarting', 'CatchingUp'],
  },
  Hibernate: {
    ...TURN,
    kind: 'sleep',
    action: 'Hibernate',
    phases: ['Claimed', 'Isolating', 'Proving', 'Stopping', 'Hibernated', 'Waking'],
  },
} as const satisfies Readonly<Record<string, OperationRow>>;

interface Recorded {
  readonly type: string;
  readonly phase: string;
}

/** Undefined while none is under way, and for one that only another version knows; so are the others. */
export function rowOf(operation: Pick<Recorded, 'type'> | undefined): OperationRow | undefined {
  return operation === undefined ? undefined : (OPERATIONS as Readonly<Record<string, OperationRow>>)[operation.type];
}

export function kindOf(operation: Pick<Recorded, 'type'> | undefined): OperationKind | undefined {
  return rowOf(operation)?.kind;
}

export function stageOf(operation: Pick<Recorded, 'phase'> | undefined): OperationStage | undefined {
  return operation === undefined ? undefined : phaseRow(operation)?.stage;
}

/** What a person reads while it is in its phase. */
export function phaseText(operation: Recorded): string {
  return rowOf(operation)?.texts?.[operation.phase as Phase] ?? phaseRow(operation)?.text ?? operation.phase;
}

function phaseRow({ phase }: Pick<Recorded, 'phase'>): PhaseRow | undefined {
  return (PHASES as Readonly<Record<string, PhaseRow>>)[phase];
}

export const OPERATION_TYPES = Object.keys(OPERATIONS) as readonly (keyof typeof OPERATIONS)[];
export const OPERATION_PHASES = Object.keys(PHASES) as readonly Phase[];
