// What the two reconcilers are given. Everything outside is behind one of these.

import type { Clock, EventRecorder, KubeClient } from '@marekvs/runtime';
import type { ResizeSupportAsked } from '../api-server/resize-support.ts';
import type { Caches } from '../caches/caches.ts';
import type { Comparisons } from '../comparisons/comparisons.ts';
import type { DrainedHosts } from '../hosts/drained-hosts.ts';
import type { HostFindings } from '../hosts/host-findings.ts';
import type { HostZones } from '../hosts/host-zones.ts';
import type { Hosts } from '../hosts/hosts.ts';
import type { SelectedHostsWatch } from '../hosts/selected-hosts.ts';
import type { MemberCommands } from '../members/member-commands.ts';
import type { Sampler } from '../members/sampler.ts';
import type { ViewHistories } from '../members/view-history.ts';
import type { ProvenHere } from '../operations/proven-here.ts';
import type { TurnPlaces } from '../operations/turn-places.ts';
import type { MemberPasswords } from '../secrets/member-passwords.ts';
import type { Passwords } from '../secrets/passwords.ts';
import type { SecretWatches } from '../secrets/secret-watches.ts';
import type { SecretsAsked } from '../secrets/secrets-asked.ts';
import type { AutoscaleMemory } from '../sizing/autoscale-memory.ts';
import type { AutoscalersAsked } from '../sizing/autoscalers-asked.ts';
import type { RemovalMetrics } from '../telemetry/operator-metrics.ts';

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
