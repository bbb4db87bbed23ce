// Answers: what differs in the Pod of a member whose door is closed? Its process takes commands on an address that only
// the Pod itself reaches, with a password that nobody is told; its host drains it again after every start of its
// container; and it is put back on the host that it was on (docs/design/server.md#closed-door).

import type { NodeScheduling } from '@marekvs/api';
import type { Node } from '@marekvs/runtime';
import type { INodeAffinity, IPodSpec, IToleration } from 'kubernetes-models/v1';
import { podAffinity } from './zones.ts';

/** What a port-forward still reaches, for a person who has the right to it. */
export const LOOPBACK = '127.0.0.1';

export interface SealedPod {
  readonly password: string;
  /** The host it was on; undefined when that is not known, or it is gone. */
  readonly host: SealedHost | undefined;
}

export interface SealedHost {
  readonly name: string;
  /** Those that keep Pods off the host at this moment; none where hosts may not be read. */
  readonly taints: readonly HostTaint[];
}

export interface HostTaint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: string;
}

/** A probe of `/drain` answers 200 and tells the member to leave. A process that its host restarts is drained within a
 *  second, whether or not an operator runs. */
export function drainingProbes(port: number) {
  const drain = { httpGet: { path: '/drain', port }, periodSeconds: 1, timeoutSeconds: 3 };
  return { startupProbe: { ...drain, failureThreshold: 300 }, readinessProbe: { ...drain, failureThreshold: 3 } };
}

/** A host that is being drained takes no other Pod, and this one has to be there: it tolerates exactly what is on that
 *  host, and may be on no other. Anywhere else ordinary scheduling decides, with a preference for its host. */
export function onItsHost(
  { host }: SealedPod,
  { scheduling, clusterName }: { readonly scheduling: NodeScheduling; readonly clusterName: string },
): Pick<IPodSpec, 'affinity' | 'tolerations'> {
  if (host === undefined) return {};
  const { affinity } = podAffinity(clusterName, scheduling);
  const isHost: HostTerm = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [host.name] }] };
  const { nodeAffinity = {} } = affinity ?? {};
  if (host.taints.length === 0) return { affinity: { ...affinity, nodeAffinity: preferring(nodeAffinity, isHost) } };
  const tolerations = [...((scheduling.tolerations ?? []) as IToleration[]), ...host.taints.map(tolerationOf)];
  return { affinity: { ...affinity, nodeAffinity: requiring(nodeAffinity, isHost) }, tolerations };
}

/** What keeps Pods off the host now. A cordon counts at once: the control plane adds its taint a moment later, and a Pod
 *  that was made in between would have no place for ever. */
export function taintsOf({ spec }: Pick<Node, 'spec'>): readonly HostTaint[] {
  const hard = (spec?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
  const isMarked = spec?.unschedulable !== true || hard.some(({ key }) => key === CORDON.key);
  return isMarked ? hard : [...hard, CORDON];
}

const CORDON: HostTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

type HostTerm = NonNullable<
  INodeAffinity['requiredDuringSchedulingIgnoredDuringExecution']
>['nodeSelectorTerms'][number];

/** The largest weight there is, so that this host comes before every other preference. */
const MAX_WEIGHT = 100;

function preferring(nodeAffinity: INodeAffinity, preference: HostTerm): INodeAffinity {
  const theirs = nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return {
    ...nodeAffinity,
    preferredDuringSchedulingIgnoredDuringExecution: [...theirs, { weight: MAX_WEIGHT, preference }],
  };
}

/** Terms are alternatives, so that each of them has to name the host. */
function requiring(nodeAffinity: INodeAffinity, { matchFields = [] }: HostTerm): INodeAffinity {
  const terms = nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}];
  const nodeSelectorTerms = terms.map((term) => ({
    ...term,
    matchFields: [...(term.matchFields ?? []), ...matchFields],
  }));
  return { ...nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
}

function tolerationOf({ key, value, effect }: HostTaint): IToleration {
  const toleration = value === undefined || value === '' ? { operator: 'Exists' } : { operator: 'Equal', value };
  return { key, effect: effect as NonNullable<IToleration['effect']>, ...toleration } as IToleration;
}
