// What follows one namespace (or everything) of one kind: what it is told, and what it offers.

import type { Transport } from '../http/transport.ts';
import type { Kind, KubeObject } from '../objects/kinds.ts';
import type { Clock } from '../time/clock.ts';
import type { Projected } from './reflector-events.ts';
import type { ReflectorMetrics, ReflectorProblem } from './reflector-problem.ts';
import type { Identified, Scope, Store } from './store.ts';

/** What is followed, however it is divided into namespaces. */
export interface FollowedSource {
  readonly transport: Transport;
  /** A function is called again for every list and watch. */
  readonly labelSelector?: string | (() => string | undefined) | undefined;
  readonly fieldSelector?: string | undefined;
  /** Called when a scope that had a problem follows again. */
  readonly onRecovered?: (() => void) | undefined;
  readonly metrics?: ReflectorMetrics | undefined;
}

export interface FollowerOptions<V extends Identified> extends FollowedSource {
  readonly kind: Kind<KubeObject>;
  readonly scope: Scope;
  readonly store: Store<V>;
  /** Undefined when the object cannot be projected: its entry in the store stays as it is. */
  readonly project: (o: KubeObject) => Projected<V> | undefined;
  /** Asked again when a list is put in place: the rule may have changed since `project`. */
  readonly keep: (v: V) => boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onProblem: (problem: ReflectorProblem) => void;
  readonly onSynced: () => void;
}

export interface Follower {
  /** Follows until the signal; never throws. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when a list that began after this call is in the store. @throws the signal's reason */
  relist(signal: AbortSignal): Promise<void>;
  readonly problem: ReflectorProblem | undefined;
  /** On `clock.steadyMs`; -Infinity before the first byte. */
  readonly lastSeenAtMs: number;
}
