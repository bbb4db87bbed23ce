// Answers: what differs in the Pod of a member whose door is closed? Its process takes commands on an address that only
// the Pod itself reaches, with a password that nobody is told; its host drains it again after every start of its
// container; and it is put back on the host that it was on (docs/design/server.md#closed-door).

import type { NodeScheduling } from '@marekvs/api';
import type { Node } from '@marekvs/runtime';
import type { INodeAffinity, IPodSpec, IToleration } from 'kubernetes-models/v1';
import { podAffinity } from './pod-affinity.ts';

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

interface Placing {
  readonly scheduling: NodeScheduling;
  readonly clusterName: string;
  readonly nodeSelector: Readonly<Record<string, string>> | undefined;
}

/** It may be on the host that it was on, whatever labels that has lost since, or where its rules allow. A host that is
 *  tainted takes no other Pod, and this one has to be there: it tolerates exactly what is on that host, and may be on
 *  no other. It is there for a minute, so that nobody counts how its cluster is spread meanwhile. */
export function onItsHost(host: SealedHost, placing: Placing): Pick<IPodSpec, 'affinity' | 'tolerations'> {
  const { scheduling, clusterName } = placing;
  const { affinity } = podAffinity(clusterName, scheduling);
  const isHost: HostTerm = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [host.name] }] };
  const isTainted = host.taints.length > 0;
  const own = affinity?.nodeAffinity ?? {};
  const terms = isTainted ? [] : allowedTerms(own, placing);
  const nodeAffinity = {
    ...(isTainted ? {} : preferring(own, isHost)),
    ...(isTainted || terms.length > 0 ? requiring([isHost, ...terms]) : {}),
  };
  const tolerations = [...((scheduling.tolerations ?? []) as IToleration[]), ...host.taints.map(tolerationOf)];
  return { affinity: { ...affinity, nodeAffinity }, ...(tolerations.length === 0 ? {} : { tolerations }) };
}

/** What keeps Pods off the host now. A cordon counts at once: the control plane adds its taint a moment later, and a
 *  Pod that was made in between would have no place for ever. */
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
  return { preferredDuringSchedulingIgnoredDuringExecution: [...theirs, { weight: MAX_WEIGHT, preference }] };
}

/** Terms are alternatives. */
function requiring(nodeSelectorTerms: HostTerm[]): INodeAffinity {
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
}

/** The hosts that the node selector and the required affinity allow, as alternatives; none when both allow every
 *  one. */
function allowedTerms(own: INodeAffinity, { nodeSelector = {} }: Placing): HostTerm[] {
  const selected = Object.entries(nodeSelector).map(([key, value]) => ({
    key,
    operator: 'In' as const,
    values: [value],
  }));
  const terms = own.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (terms === undefined && selected.length === 0) return [];
  return (terms ?? [{}]).map((term) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), ...selected],
  }));
}

function tolerationOf({ key, value, effect }: HostTaint): IToleration {
  const toleration = value === undefined || value === '' ? { operator: 'Exists' } : { operator: 'Equal', value };
  return { key, effect: effect as NonNullable<IToleration['effect']>, ...toleration } as IToleration;
}
