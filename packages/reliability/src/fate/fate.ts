// All randomness of one life: the choices a scenario makes, the faults, and how often each took effect. The same seed
// gives the same fate, whatever the world draws for itself. A lasting fault is undone after its time, and all of them
// when faults stop.

import type { MemberWorld } from '../world/member-world.ts';

/** All kinds of disturbance in a life. */
export const FAULTS = [
  'crashBeforeWrite',
  'crashAfterWrite',
  'lostReply',
  'lateWrite',
  'conflict',
  'unavailable',
  'operatorKilled',
  'twoOperators',
  'watchLag',
  'timeTravel',
  'serverBehind',
  'streamsCut',
  'memberKilled',
  'memberFrozen',
  'metricsHang',
  'metricsError',
  'metricsGarbage',
  'networkCut',
  'meshPortSpoilt',
  'secondObserver',
  'pushesLost',
  'repairsLate',
  'podDeleted',
  'nodeDeleted',
  'volumeDeleted',
  'volumeSwapped',
  'clusterDeleted',
  'clusterCreated',
  'clusterReplaced',
  'sizeEdited',
  'imageEdited',
  'edited',
  'forced',
  'paused',
  'load',
  'hostLost',
  'operatorFrozen',
  'leaseLost',
] as const;

export type Fault = (typeof FAULTS)[number];

export interface FateOptions {
  readonly world: MemberWorld;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Called when the scenario has formed its cluster and the story begins. */
  readonly onBegin?: () => void;
}

export class Fate {
  readonly faults = new Map<Fault, number>();
  readonly random: () => number;
  readonly #options: FateOptions;
  readonly #undos = new Set<() => void>();
  readonly #begun: (() => void)[] = [];
  #isOver = false;
  #writesBeforeRest: number | undefined;
  /** Where the story begins: line of the transcript, and virtual milliseconds. */
  beganAt = { line: 0, ms: 0 };

  constructor(options: FateOptions) {
    this.#options = options;
    this.random = options.random;
  }

  /** The cluster is formed; from now on faults may happen. */
  begin(): void {
    const { world, onBegin } = this.#options;
    this.beganAt = { line: world.transcript.length, ms: world.nowMs };
    onBegin?.();
    for (const run of this.#begun) run();
  }

  /** Runs when the story begins. */
  whenBegun(run: () => void): void {
    this.#begun.push(run);
  }

  /** Faults have stopped, and the world should come to rest. */
  get isOver(): boolean {
    return this.#isOver;
  }

  count(fault: Fault): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  between(from: number, to: number): number {
    return from + this.random() * (to - from);
  }

  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[Math.floor(this.random() * choices.length)];
    if (chosen === undefined) throw new Error('nothing to choose from');
    return chosen;
  }

  /** Undoes a fault after `ms`, or when faults stop. */
  undoAfter(ms: number, undo: () => void): void {
    const once = (): void => {
      if (this.#undos.delete(once)) undo();
    };
    this.#undos.add(once);
    this.#options.world.kube.clock.after(ms, once);
  }

  /** From now on nothing disturbs the world. */
  rest(): void {
    this.#writesBeforeRest = this.#options.world.writes.length;
  }

  /** Number of operators' writes before `rest`; undefined until then. */
  get writesBeforeRest(): number | undefined {
    return this.#writesBeforeRest;
  }

  /** No fault begins any more, and those under way are undone. */
  stop(): void {
    this.#isOver = true;
    for (const undo of [...this.#undos]) undo();
  }
}
