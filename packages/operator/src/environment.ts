// Everything outside the operator, which differs between a process on a real cluster and the world that judges it.

import type {
  Clock,
  ControllerHooks,
  EventHooks,
  Grant,
  Logger,
  ReflectorMetrics,
  ReflectorProblem,
  Transport,
} from '@marekvs/runtime';
import type { ContentClient, StoreClient } from '@marekvs/store-client';
import type { NamespacesFrom } from './namespaces/wanted.ts';
import type { Share } from './sharing/share.ts';
import type { RemovalMetrics } from './telemetry/operator-metrics.ts';

export interface Outside {
  /** To the API server; the caller closes it. */
  readonly transport: Transport;
  /** To the members. */
  readonly store: StoreClient;
  readonly contents: ContentClient;
  readonly clock: Clock;
  /** 0 to below 1. */
  readonly random: () => number;
  readonly logger: Logger;
  /** May this process act on a cluster, and on what belongs to it? */
  readonly grant: (clusterKey: string) => Grant | undefined;
  /** The part that this replica manages, when others manage the rest. @default everything */
  readonly share?: Share | undefined;
  /** The managed namespaces: all, a fixed list, or those of a ConfigMap. */
  readonly namespaces: readonly string[] | 'all' | NamespacesFrom;
  /** The permissions that are missing in a namespace, where namespaces come and go. @default asked of the API server */
  readonly missingIn?: (namespace: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Namespace the operator runs in, and its own name there. */
  readonly operatorNamespace: string;
  readonly podName: string;
  /** Keys of taints that mean the same as a cordon of a host. @default none: only cordoned hosts are watched */
  readonly drainTaints?: ReadonlySet<string>;
  readonly onProblem: (problem: ReflectorProblem) => void;
  readonly onReconciled: (clusterKey: string) => void;
  readonly removals: RemovalMetrics;
  readonly concurrency?: number;
  readonly stepTimeoutMs?: number;
  readonly reflectorMetrics?: ReflectorMetrics;
  readonly eventHooks?: EventHooks;
  readonly controllerHooks?: (controller: string) => ControllerHooks;
}
