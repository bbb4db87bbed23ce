// What a cache reports: why it does not follow the API server, and, for the metrics, why its streams ended.

/** Why a cache does not follow the API server, or what a handler or projection threw. */
export interface ReflectorProblem {
  readonly kind: 'forbidden' | 'not-found' | 'unreachable' | 'refused' | 'handler' | 'projection';
  /** `pods`, `marekvsnodes.marekvs.io` */
  readonly resource: string;
  /** Undefined = all namespaces. */
  readonly namespace: string | undefined;
  readonly error: unknown;
  /** Milliseconds until the next attempt; undefined when there is none. */
  readonly retryInMs: number | undefined;
}

/** Why a stream ended or a list was read again; the `reason` label of the metrics. */
export type RestartReason =
  | 'end'
  | 'idle'
  | 'reset'
  | 'expired'
  | 'throttled'
  | 'truncated'
  | 'error'
  | 'forbidden'
  | 'not-found'
  | 'regressed'
  | 'unsupported';

export interface ReflectorMetrics {
  watchRestarted?(resource: string, reason: RestartReason): void;
  /** A full list after the first one. */
  relisted?(resource: string): void;
  eventReceived?(resource: string, type: string): void;
}
