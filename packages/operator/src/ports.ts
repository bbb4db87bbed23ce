// What the two reconcilers are given. Everything that touches the outside is behind one of these.

import type { Clock, EventRecorder, KubeClient } from '@marekvs/runtime';
import type { Sampler } from './members/sampler.ts';
import type { ViewHistories } from './members/view-history.ts';
import type { Caches } from './observation/caches.ts';

export interface Ports {
  readonly client: KubeClient;
  readonly caches: Caches;
  readonly sampler: Sampler;
  readonly histories: ViewHistories;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  /** A cluster pass came to its end: everything was known, done and reported. */
  readonly onLooked: (clusterKey: string) => void;
  readonly settings: Settings;
}

export interface Settings {
  /** Namespace the operator runs in. */
  readonly operatorNamespace: string;
}
