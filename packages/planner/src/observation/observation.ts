// What the planner sees: plain values gathered by the operator, with the time they were gathered at.
// Nothing here does I/O, reads a clock, or changes after it was built. Unknown is `undefined` or a kind of its own,
// never 0.

import type { AutoscaleSeen } from '../autoscale/seen.ts';
import type { ComparisonReport } from '../contents/request.ts';
import type { ClusterRecord, RevisionRecord } from './cluster-record.ts';
import type { HostFinding } from './host-finding.ts';
import type { MemberFacts } from './member-facts.ts';
import type { NodeRecord } from './node-record.ts';
import type { SelectedHosts } from './selected-hosts.ts';
import type { VolumeRecord } from './volume-record.ts';

/** Whether the API server lets the resources of a running Pod be changed. `unknown`: an answer is on its way. */
export type ResizeSupport = 'offered' | 'absent' | 'unknown';

/** What is known of the Kubernetes Node a Pod runs on. `notAsked`: an answer is on its way; `unknown`: the read was
 *  forbidden or failed. */
export type HostState = 'schedulable' | 'draining' | 'gone' | 'unknown' | 'notAsked';

/** How long the members' answers have had their present shape, as the operator's sampler saw it. */
export interface ViewHistory {
  /** Milliseconds since all answers last became equal; undefined while they differ. */
  readonly agreedForMs: number | undefined;
  /** Milliseconds since they last became different; undefined while equal. */
  readonly differForMs: number | undefined;
}

export interface ClusterObservation {
  /** Wall clock: for times that are shown or stored. */
  readonly nowMs: number;
  /** Monotonic: the time scale of every sample. */
  readonly monotonicMs: number;
  readonly cluster: ClusterRecord;
  /** Every MarekvsNode of this cluster (api: ownership.ts), by id. */
  readonly nodes: readonly NodeRecord[];
  /** Those that name this cluster and are not its own: their names in its own namespace, in order, and whether there
   *  are any elsewhere. They are shown, and enter no decision. */
  readonly foreignNodes: { readonly names: readonly string[]; readonly areElsewhere: boolean };
  /** Every volume that carries this cluster's name, attached or not, by id. */
  readonly volumes: readonly VolumeRecord[];
  /** The templates that are stored for this cluster. */
  readonly revisions: readonly RevisionRecord[];
  readonly history: ViewHistory;
  /** What every followed member's process has shown up to now. */
  readonly facts: readonly MemberFacts[];
  /** Progress of the comparison that was requested last; undefined when none is under way. */
  readonly comparison: ComparisonReport | undefined;
  /** Monotonic: when this process last knew the contents to be covered, or when it started. Comparisons at rest are due
   *  from then on. */
  readonly verifiedAtMs: number;
  /** Monotonic: since when the target of the operation under way has been told to leave and out of the client Service,
   *  as this process saw it; undefined while it is not. Whether its clients are gone is known from the members'
   *  figures. */
  readonly isolatedSinceMs: number | undefined;
  /** Monotonic: since when, while an operation is under way, members have counted too few mesh connections without a
   *  break, as this process saw it; undefined while none does. */
  readonly unmeshedSinceMs: number | undefined;
  /** For a cluster whose size follows its load; undefined otherwise, and before its members were followed. */
  readonly autoscale: AutoscaleSeen | undefined;
  /** By host name; only filled while a node may have to be removed. */
  readonly hosts: ReadonlyMap<string, HostState>;
  /** Drained hosts of any member, and since when this process has seen them drained (wall clock). */
  readonly drainedHosts: ReadonlyMap<string, number>;
  /** Whether `drainedHosts` is complete. `notYet`: this process has not read them yet; `forbidden`: it may not, and the
   *  map is empty. */
  readonly drainsSeen: 'known' | 'notYet' | 'forbidden';
  /** The hosts that spec.hosts.onePerHost selects; undefined without it, and while they are read for the first time. */
  readonly selectedHosts: SelectedHosts | undefined;
  /** How long there have been fewer selected hosts than the size, without a break; undefined while enough. */
  readonly fewerHostsForMs: number | undefined;
  /** What is known of the hosts of members that do not answer or are to be moved, by UID of the node. */
  readonly hostFindings: ReadonlyMap<string, HostFinding>;
  /** Only probed while a member has other resources than the spec asks for. */
  readonly resizeSupport: ResizeSupport;
  /** Turns wait for other clusters: this process restarts members of only a few clusters at a time. */
  readonly isInLine: boolean;
  /** This process has made a proof for the operation under way, so the times in it are of our clock. */
  readonly isProvenHere: boolean;
}
