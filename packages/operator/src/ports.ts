// What the two reconcilers are given. Everything outside is behind one of these.

import type { Clock, EventRecorder, KubeClient } from '@marekvs/runtime';
import type { AutoscaleMemory } from './cluster/autoscale-memory.ts';
import type { AutoscalersAsked } from './cluster/autoscalers-asked.ts';
import type { TurnPlaces } from './cluster/turn-places.ts';
import type { MemberCommands } from './members/commands.ts';
import type { Comparisons } from './members/comparisons.ts';
import type { DrainedHosts } from './members/drained-hosts.ts';
import type { HostFindings } from './members/host-findings.ts';
import type { HostZones } from './members/host-zones.ts';
import type { Hosts } from './members/hosts.ts';
import type { MemberPasswords } from './members/member-passwords.ts';
import type { Passwords } from './members/passwords.ts';
import type { ResizeSupportAsked } from './members/resize-support.ts';
import type { Sampler } from './members/sampler.ts';
import type { SecretWatches } from './members/secret-watches.ts';
import type { SecretsAsked } from './members/secrets-asked.ts';
import type { SelectedHostsWatch } from './members/selected-hosts.ts';
import type { ViewHistories } from './members/view-history.ts';
import type { Caches } from './observation/caches.ts';
import type { ProvenHere } from './proven-here.ts';
import type { RemovalMetrics } from './telemetry/operator-metrics.ts';

export interface Ports {
  readonly client: KubeClient;
  readonly caches: Caches;
  readonly sampler: Sampler;
  /** Comparisons of the members' contents, for removals and at rest. */
  readonly comparisons: Comparisons;
  /** State of Kubernetes Nodes, read only when a member has to go. */
  readonly hosts: Hosts;
  /** Hosts that are being drained. */
  readonly drainedHosts: DrainedHosts;
  /** Hosts that are to have one member each. */
  readonly selectedHosts: SelectedHostsWatch;
  /** The hosts of members that do not answer, and where else their volumes could be. */
  readonly hostFindings: HostFindings;
  /** Zones of hosts, read only for Pods that do not show theirs. */
  readonly hostZones: HostZones;
  /** Whether the API server can resize running Pods, asked only when one might be. */
  readonly resizing: ResizeSupportAsked;
  /** Which clusters may restart members now. */
  readonly turns: TurnPlaces;
  /** Operations whose proof was made by this process and its clock. */
  readonly provenHere: ProvenHere;
  readonly passwords: Passwords;
  /** The passwords that a member is asked with. */
  readonly memberPasswords: MemberPasswords;
  /** Whether the Secrets with passwords are there. */
  readonly secrets: SecretsAsked;
  /** Watches for changes of these Secrets. */
  readonly secretWatches: SecretWatches;
  /** Whether a HorizontalPodAutoscaler also wants to decide the size. */
  readonly autoscalers: AutoscalersAsked;
  /** Commands to a member, as opposed to questions. */
  readonly members: MemberCommands;
  readonly histories: ViewHistories;
  /** Since when sizes and loads have been as they are. */
  readonly sizes: AutoscaleMemory;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly removals: RemovalMetrics;
  /** A pass over the cluster has ended: everything was known, done and reported. */
  readonly onReconciled: (clusterKey: string) => void;
  readonly settings: Settings;
}

export interface Settings {
  /** Namespace the operator runs in. */
  readonly operatorNamespace: string;
}
