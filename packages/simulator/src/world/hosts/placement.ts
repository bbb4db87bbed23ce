// Which host takes a Pod, or why none does, with the scheduler's message. Pure. Resources, node selectors and affinity,
// taints, Pod affinity, hard spread and hosts of volumes are judged as by the real scheduler. Of preferences only those
// for hosts count, and these before all others.

import { tryParseQuantity } from '@marekvs/api';
import type { Resources } from '../api-server/api-resize.ts';
import { type Labels, matches, type Selector } from '../api-server/selectors.ts';
import { CORDON_TAINT, type Taint } from '../controllers/cordon-taint.ts';
import type { HostRoom } from './pod-resize.ts';

/** A Pod or a host, stored in memory or by a real API server. */
export interface Schedulable {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly labels?: Labels;
  };
  readonly spec?: object | undefined;
  readonly status?: object | undefined;
}

export interface Placed {
  readonly pod: Schedulable;
  readonly host: string;
}

interface PodTerm {
  readonly topologyKey: string;
  readonly labelSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly namespaces?: readonly string[];
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

interface PodTerms {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodTerm[];
}

interface HostTerm {
  readonly matchExpressions?: Selector['matchExpressions'];
  readonly matchFields?: Selector['matchExpressions'];
}

interface SchedulingSpec {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly {
    readonly key?: string;
    readonly operator?: string;
    readonly value?: string;
    readonly effect?: string;
  }[];
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms: readonly HostTerm[] };
      readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
        readonly weight: number;
        readonly preference: HostTerm;
      }[];
    };
    readonly podAffinity?: PodTerms;
    readonly podAntiAffinity?: PodTerms;
  };
  readonly topologySpreadConstraints?: readonly (Pick<PodTerm, 'topologyKey' | 'labelSelector' | 'matchLabelKeys'> & {
    readonly maxSkew: number;
    readonly whenUnsatisfiable: string;
    readonly minDomains?: number;
    readonly nodeAffinityPolicy?: string;
    readonly nodeTaintsPolicy?: string;
  })[];
  readonly containers?: readonly { readonly resources?: { readonly requests?: Readonly<Record<string, string>> } }[];
}

/** Why this host does not take the Pod; undefined when it does. */
export function refusalOf(
  pod: Schedulable,
  host: Schedulable,
  hosts: readonly Schedulable[],
  placed: readonly Placed[],
): string | undefined {
  for (const resource of ['cpu', 'memory'])
    if (!hasRoom(resource, pod, host, placed)) return `Insufficient ${resource}`;
  return ruleBroken(pod, host, hosts, placed);
}

/** The rule of the Pod, of the host or of another Pod that this placement breaks; undefined when it breaks none. */
export function ruleBroken(
  pod: Schedulable,
  host: Schedulable,
  hosts: readonly Schedulable[],
  placed: readonly Placed[],
): string | undefined {
  const { unschedulable } = (host.spec ?? {}) as { readonly unschedulable?: boolean };
  if (unschedulable === true && !tolerates(pod, CORDON_TAINT)) return 'node(s) were unschedulable';
  if (!fitsNodeRules(pod, host)) return "node(s) didn't match Pod's node affinity/selector";
  if (!toleratesTaints(pod, host)) return 'node(s) had untolerated taint(s)';
  const { affinity } = schedulingOf(pod);
  const placesOf = (term: PodTerm) =>
    placed.filter((other) => isMeant(term, pod, other.pod) && inSamePlace(term, host, other, hosts));
  const wanted = affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (!wanted.every((term) => isJoinable(term, pod, host, placed, placesOf(term))))
    return "node(s) didn't match pod affinity rules";
  const unwanted = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (unwanted.some((term) => placesOf(term).length > 0)) return "node(s) didn't match pod anti-affinity rules";
  // Anti-affinity of Pods already placed applies to the new Pod too.
  const repelling = placed.filter((other) =>
    (schedulingOf(other.pod).affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(
      (term) => isMeant(term, other.pod, pod) && inSamePlace(term, host, other, hosts),
    ),
  );
  if (repelling.length > 0) return "node(s) didn't satisfy existing pods anti-affinity rules";
  return breaksSpread(pod, host, hosts, placed) ? "node(s) didn't match pod topology spread constraints" : undefined;
}

/** How much the Pod prefers this host to others. */
export function preferenceFor(pod: Schedulable, host: Schedulable): number {
  const { preferredDuringSchedulingIgnoredDuringExecution: wishes = [] } =
    schedulingOf(pod).affinity?.nodeAffinity ?? {};
  return wishes.reduce((sum, { weight, preference }) => sum + (isMatched(preference, host) ? weight : 0), 0);
}

/** A local volume can be mounted only on its host. */
export function canMount(volume: Schedulable | undefined, host: Schedulable): boolean {
  const { nodeAffinity } = (volume?.spec ?? {}) as {
    readonly nodeAffinity?: { readonly required: { readonly nodeSelectorTerms: readonly Selector[] } };
  };
  return nodeAffinity?.required.nodeSelectorTerms.some((term) => matches(term, host.metadata.labels)) ?? true;
}

/** Whether a host has room for a Pod that asks for `wanted`, with the kubelet's message. */
export function roomOn(host: Schedulable, wanted: Resources, others: readonly Resources[]): HostRoom {
  const { allocatable } = (host.status ?? {}) as { readonly allocatable?: Readonly<Record<string, string>> };
  const requested = (name: string, { requests }: Resources) => amount(requests?.[name]) ?? 0;
  for (const name of ['cpu', 'memory']) {
    const capacity = amount(allocatable?.[name]);
    if (capacity === undefined) continue;
    const own = requested(name, wanted);
    if (own > capacity)
      return {
        kind: 'small',
        message: `Node didn't have enough capacity: ${name}, requested: ${own}, capacity: ${capacity}`,
      };
    const used = others.reduce((sum, one) => sum + requested(name, one), 0);
    if (own + used > capacity)
      return {
        kind: 'full',
        message: `Node didn't have enough resource: ${name}, requested: ${own}, used: ${used}, capacity: ${capacity}`,
      };
  }
  return { kind: 'fits' };
}

function schedulingOf({ spec }: Schedulable): SchedulingSpec {
  return (spec ?? {}) as SchedulingSpec;
}

function hasRoom(resource: string, pod: Schedulable, host: Schedulable, placed: readonly Placed[]): boolean {
  const { allocatable } = (host.status ?? {}) as { readonly allocatable?: Readonly<Record<string, string>> };
  const room = amount(allocatable?.[resource]);
  if (room === undefined) return true;
  const others = placed.filter((one) => one.host === host.metadata.name).map((one) => one.pod);
  const asked = [pod, ...others].map(
    (one) => amount(schedulingOf(one).containers?.[0]?.resources?.requests?.[resource]) ?? 0,
  );
  return asked.reduce((sum, one) => sum + one, 0) <= room;
}

function amount(text: string | undefined): number | undefined {
  const parsed = text === undefined ? undefined : tryParseQuantity(text);
  return parsed === undefined ? undefined : Number(parsed.millis);
}

function fitsNodeRules(pod: Schedulable, host: Schedulable): boolean {
  const { nodeSelector, affinity } = schedulingOf(pod);
  if (!matches({ matchLabels: nodeSelector ?? {} }, host.metadata.labels)) return false;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => isMatched(term, host));
}

/** An empty term matches no host. */
function isMatched({ matchExpressions = [], matchFields = [] }: HostTerm, { metadata }: Schedulable): boolean {
  return (
    matchExpressions.length + matchFields.length > 0 &&
    matches({ matchExpressions }, metadata.labels) &&
    matches({ matchExpressions: matchFields }, { 'metadata.name': metadata.name })
  );
}

function toleratesTaints(pod: Schedulable, host: Schedulable): boolean {
  const { taints = [] } = (host.spec ?? {}) as { readonly taints?: readonly Taint[] };
  return taints.every((taint) => taint.effect === 'PreferNoSchedule' || tolerates(pod, taint));
}

function tolerates(pod: Schedulable, taint: Taint): boolean {
  const { tolerations = [] } = schedulingOf(pod);
  return tolerations.some(({ key = '', operator, value = '', effect = taint.effect }) => {
    if (effect !== taint.effect) return false;
    return operator === 'Exists' ? key === '' || key === taint.key : key === taint.key && value === (taint.value ?? '');
  });
}

function isMeant(term: PodTerm, pod: Schedulable, other: Schedulable): boolean {
  const { namespace = '', labels } = pod.metadata;
  const theirs = other.metadata.namespace ?? '';
  const isNamed = term.namespaces?.includes(theirs) ?? (term.namespaceSelector === undefined && theirs === namespace);
  const isSelected =
    term.namespaceSelector !== undefined && matches(term.namespaceSelector, { 'kubernetes.io/metadata.name': theirs });
  return (
    (isNamed || isSelected) && term.labelSelector !== undefined && matches(widened(term, labels), other.metadata.labels)
  );
}

/** The selector extended by the incoming Pod's own values for its matchLabelKeys and mismatchLabelKeys. */
function widened(
  { labelSelector = {}, matchLabelKeys = [], mismatchLabelKeys = [] }: PodTerm,
  labels: Labels,
): Selector {
  const entry = (operator: string) => (key: string) => {
    const value = labels?.[key];
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  };
  const more = [...matchLabelKeys.flatMap(entry('In')), ...mismatchLabelKeys.flatMap(entry('NotIn'))];
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...more] };
}

function placeOf(key: string, host: Schedulable | undefined): string | undefined {
  return host?.metadata.labels?.[key];
}

function inSamePlace(
  { topologyKey }: PodTerm,
  host: Schedulable,
  other: Placed,
  hosts: readonly Schedulable[],
): boolean {
  const place = placeOf(topologyKey, host);
  return (
    place !== undefined &&
    place ===
      placeOf(
        topologyKey,
        hosts.find((one) => one.metadata.name === other.host),
      )
  );
}

/** The first Pod of a group with affinity to itself may go anywhere: no Pod of the group is placed yet. */
function isJoinable(
  term: PodTerm,
  pod: Schedulable,
  host: Schedulable,
  placed: readonly Placed[],
  here: readonly Placed[],
): boolean {
  if (placeOf(term.topologyKey, host) === undefined) return false;
  if (here.length > 0) return true;
  return isMeant(term, pod, pod) && !placed.some((other) => isMeant(term, pod, other.pod));
}

function breaksSpread(
  pod: Schedulable,
  host: Schedulable,
  hosts: readonly Schedulable[],
  placed: readonly Placed[],
): boolean {
  const hard = (schedulingOf(pod).topologySpreadConstraints ?? []).filter(
    (one) => one.whenUnsatisfiable === 'DoNotSchedule',
  );
  return hard.some((constraint) => {
    const { topologyKey, maxSkew, minDomains = 1 } = constraint;
    const place = placeOf(topologyKey, host);
    if (place === undefined) return true;
    const selector = constraint.labelSelector === undefined ? undefined : widened(constraint, pod.metadata.labels);
    const eligible = hosts.filter(
      (one) =>
        placeOf(topologyKey, one) !== undefined &&
        (constraint.nodeAffinityPolicy === 'Ignore' || fitsNodeRules(pod, one)) &&
        (constraint.nodeTaintsPolicy !== 'Honor' || toleratesTaints(pod, one)),
    );
    const counts = new Map(eligible.map((one) => [placeOf(topologyKey, one), 0]));
    for (const other of placed) {
      const there = placeOf(
        topologyKey,
        hosts.find((one) => one.metadata.name === other.host),
      );
      if (other.pod.metadata.namespace !== pod.metadata.namespace) continue;
      if (selector === undefined || !matches(selector, other.pod.metadata.labels)) continue;
      if (counts.has(there)) counts.set(there, (counts.get(there) ?? 0) + 1);
    }
    const least = counts.size < minDomains ? 0 : Math.min(...counts.values());
    const isSelf = selector !== undefined && matches(selector, pod.metadata.labels) ? 1 : 0;
    return (counts.get(place) ?? 0) + isSelf - least > maxSkew;
  });
}
