// What chance has in store for one life: every choice a scenario makes, every fault and how often it struck. The same
// seed is the same fate, whatever the world draws for itself. A fault that lasts is taken back in its time, and all of
// them when faults stop.

import type { MemberWorld } from '../world/member-world.ts';

/** Everything that is done to a life that did not ask for it. */
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
  /** Called when the scenario has made its cluster and the story begins. */
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
  /** Where the story begins in the transcript, and when in virtual milliseconds. */
  beganAt = { line: 0, ms: 0 };

  constructor(options: FateOptions) {
    this.#options = options;
    this.random = options.random;
  }

  /** The cluster is made; from here on things may happen to it. */
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

  /** Faults have stopped: what remains is to come to rest. */
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

  /** A whole number of `from` to `to`, both included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[Math.floor(this.random() * choices.length)];
    if (chosen === undefined) throw new Error('nothing to choose from');
    return chosen;
  }

  /** Takes a fault back after `ms`, or when faults stop. */
  undoAfter(ms: number, undo: () => void): void {
    const once = (): void => {
      if (this.#undos.delete(once)) undo();
    };
    this.#undos.add(once);
    this.#options.world.kube.clock.after(ms, once);
  }

  /** From here on nothing at all happens to the world. */
  rest(): void {
    this.#writesBeforeRest = this.#options.world.writes.length;
  }

  /** Writes of operators before that; undefined before. */
  get writesBeforeRest(): number | undefined {
    return this.#writesBeforeRest;
  }

  /** No fault begins any more, and those under way end. */
  stop(): void {
    this.#isOver = true;
    for (const undo of [...this.#undos]) undo();
  }
}
