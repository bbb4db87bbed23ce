// A life as data: how a cluster begins, and what happens to it when. The plan contains every choice, so leaving out one
// step does not change the others, and a failing life can shrink.

export interface Plan {
  /** Seed of the world: delays, names, the members' own random numbers. */
  readonly seed: number;
  readonly first: Beginning;
  /** In any order; each at its own time. */
  readonly steps: readonly Step[];
}

export interface Beginning {
  /** As the user writes it; may be below the floor. */
  readonly nodes: number;
  /** The same throughout a life. */
  readonly replicationFactor: number;
  readonly whenDeleted: Retention;
  /** When the steps begin. `rested`: once the cluster has taken writes and is at rest. `at once`: on its creation. */
  readonly begins: 'rested' | 'at once';
  /** Milliseconds between the death of an operator and its next process. */
  readonly restartMs: number;
}

export interface Step {
  /** Virtual milliseconds since the story began. */
  readonly atMs: number;
  readonly act: Act;
}

export type Retention = 'Retain' | 'Delete';
export type WriteEnd = 'crashBefore' | 'crashAfter' | 'lose' | 'late' | 'conflict' | 'unavailable';

/** `node`: the nth node at that moment, modulo their number. `forMs`: how long it lasts. */
export type Act =
  // ---- what users ask of the cluster
  | { readonly kind: 'size'; readonly nodes: number }
  | { readonly kind: 'image'; readonly image: string }
  | { readonly kind: 'labels'; readonly team: string }
  | { readonly kind: 'memory'; readonly memory: string }
  | {
      readonly kind: 'update';
      readonly type: string;
      readonly canaryNodes: number;
      readonly rollbackOnFailure: boolean;
    }
  | { readonly kind: 'rollout'; readonly order: 'pause' | 'resume' | 'retry' | 'approve' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'hibernate' }
  | { readonly kind: 'wake' }
  | { readonly kind: 'deadline'; readonly seconds: number }
  | { readonly kind: 'retention'; readonly whenScaled: Retention }
  | { readonly kind: 'protection'; readonly isOn: boolean }
  | { readonly kind: 'deleteCluster' }
  | { readonly kind: 'createCluster'; readonly nodes: number; readonly whenDeleted: Retention }
  // ---- what people do by hand
  | { readonly kind: 'deleteNode'; readonly node: number }
  | { readonly kind: 'takeFinalizer'; readonly node: number }
  | { readonly kind: 'deletePod'; readonly node: number }
  | { readonly kind: 'deleteClaim'; readonly node: number }
  | { readonly kind: 'deleteService' }
  | { readonly kind: 'removeFirst'; readonly node: number }
  | { readonly kind: 'force'; readonly node: number; readonly isRightUid: boolean }
  | { readonly kind: 'clients'; readonly writesPerSecond: number; readonly forMs: number }
  // ---- faults
  | { readonly kind: 'kill'; readonly node: number }
  | { readonly kind: 'freeze'; readonly node: number; readonly forMs: number }
  | {
      readonly kind: 'metrics';
      readonly node: number;
      readonly how: 'hang' | 'error' | 'garbage';
      readonly forMs: number;
    }
  | { readonly kind: 'cut'; readonly node: number; readonly from: number; readonly forMs: number }
  | { readonly kind: 'operatorKilled' }
  | { readonly kind: 'secondOperator'; readonly forMs: number }
  | { readonly kind: 'lag'; readonly resource: string; readonly ms: number; readonly forMs: number }
  /** The nth write of any operator from now on. */
  | { readonly kind: 'write'; readonly nth: number; readonly end: WriteEnd };

export type ActKind = Act['kind'];

/** In the order in which they happen. */
export function inOrder(plan: Plan): readonly Step[] {
  return [...plan.steps].sort((a, b) => a.atMs - b.atMs);
}
