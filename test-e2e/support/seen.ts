// The parts of objects that journeys read, as JSON on the wire, so that times are texts.

import type { MarekvsCluster } from '@marekvs/api';

/** What can be waited for. */
export interface Seen {
  readonly metadata: SeenMetadata;
}

export interface SeenMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly creationTimestamp?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
}

export interface ConditionSeen {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export interface PodSeen extends Seen {
  readonly spec: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly env?: readonly { readonly name: string; readonly value?: string }[] }[];
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly conditions?: readonly ConditionSeen[];
    readonly containerStatuses?: readonly {
      readonly restartCount: number;
      readonly state?: { readonly waiting?: { readonly reason?: string } };
    }[];
  };
}

export interface ClaimSeen extends Seen {
  readonly status?: { readonly phase?: string };
}

/** events.k8s.io/v1 */
export interface EventSeen extends Seen {
  readonly type: string;
  readonly reason: string;
  readonly note?: string;
  readonly action?: string;
  readonly regarding: { readonly kind: string; readonly name: string };
}

export function isPodReady(pod: PodSeen): boolean {
  return conditionOf(pod.status, 'Ready')?.status === 'True';
}

/** Whether the Pod is ready on any host but this one, by the Pod itself, because what the kubelet runs may differ at
 *  that moment. */
export function isReadyElsewhere(pod: PodSeen, host: string): boolean {
  return isPodReady(pod) && pod.spec.nodeName !== undefined && pod.spec.nodeName !== host;
}

/** The condition of a type in a status, undefined when it is not there. */
export function conditionOf(
  status: { readonly conditions?: readonly ConditionSeen[] | undefined } | undefined,
  type: string,
): ConditionSeen | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Whether the condition has this status, and this reason if one is given. */
export function says(
  object: { readonly status?: { readonly conditions?: readonly ConditionSeen[] | undefined } | undefined },
  type: string,
  status: string,
  reason?: string,
): boolean {
  const condition = conditionOf(object.status, type);
  return condition?.status === status && (reason === undefined || condition.reason === reason);
}

/** How often the kubelet has started the Pod's first container again. */
export function restartsOf(pod: PodSeen): number {
  return pod.status?.containerStatuses?.[0]?.restartCount ?? 0;
}

/** Whether every member has the template of the spec, and no operation is under way. */
export function isRolledOut(seen: MarekvsCluster): boolean {
  const { status, metadata } = seen;
  const isSeen = status?.observedGeneration === metadata.generation && status?.operation === undefined;
  return isSeen && says(seen, 'RollingOut', 'False', 'TemplateCurrent');
}
