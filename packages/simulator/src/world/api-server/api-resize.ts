// What a resize changes in a Pod: CPU and memory of the named containers, and nothing else. Pure. The host's answer to
// a resize is in pod-life.ts.

import { isDeepStrictEqual } from 'node:util';
import { tryParseQuantity } from '@marekvs/api';
import { type ApiInput, type ApiObject, ApiRefusal } from './api-object.ts';

export type Amounts = Readonly<Record<string, string>>;

export interface Resources {
  readonly requests?: Amounts;
  readonly limits?: Amounts;
}

interface SizedContainer {
  readonly name: string;
  readonly resources?: Resources;
}

/** @throws ApiRefusal 422 when the QoS class of the Pod would change */
export function resized(live: ApiObject, patch: ApiInput): ApiObject {
  const asked = containersOf(patch);
  const containers = containersOf(live).map((container) => {
    const change = asked.find(({ name }) => name === container.name)?.resources;
    return change === undefined ? container : { ...container, resources: merged(container.resources ?? {}, change) };
  });
  const next = { ...live, spec: { ...live.spec, containers } };
  if (serviceClass(next) !== serviceClass(live)) {
    const message = 'Pod QOS Class may not change as a result of resizing';
    const cause = { reason: 'FieldValueInvalid', message, field: 'spec' };
    throw new ApiRefusal(422, 'Invalid', `Pod "${live.metadata.name}" is invalid: spec: ${message}`, [cause]);
  }
  if (isDeepStrictEqual(next.spec, live.spec)) return live;
  return { ...next, metadata: { ...live.metadata, generation: (live.metadata.generation ?? 0) + 1 } };
}

/** Admission compares with the whole host; whether other Pods leave enough room is for its kubelet to judge.
 *  @throws ApiRefusal 403 */
export function refuseBeyond(host: ApiObject, pod: ApiObject): void {
  const { allocatable = {} } = (host.status ?? {}) as { readonly allocatable?: Amounts };
  const { requests = {} } = resourcesOf(pod);
  const short = ['cpu', 'memory'].find((name) => millis(requests[name]) > millis(allocatable[name]));
  if (short === undefined) return;
  const [asked, there] = [requests[short], allocatable[short]].map((amount) => amountText(short, amount));
  const message = `node didn't have enough allocatable resources: ${short}, requested: ${asked}, allocatable: ${there}`;
  const cause = { reason: 'NodeCapacity', message, field: '' };
  throw new ApiRefusal(403, 'Forbidden', `pods "${pod.metadata.name}" is forbidden: ${message}`, [cause]);
}

/** CPU in thousandths, memory in bytes. */
function amountText(name: string, amount: string | undefined): string {
  return String(name === 'cpu' ? millis(amount) : millis(amount) / 1_000n);
}

function millis(amount: string | undefined): bigint {
  return tryParseQuantity(amount ?? '0')?.millis ?? 0n;
}

/** The resources of the first container. */
export function resourcesOf(pod: Pick<ApiObject, 'spec'>): Resources {
  return containersOf(pod)[0]?.resources ?? {};
}

function containersOf({ spec }: { readonly spec?: ApiInput['spec'] | undefined }): readonly SizedContainer[] {
  const { containers = [] }: { readonly containers?: readonly SizedContainer[] } = spec ?? {};
  return containers;
}

/** Amounts that the change does not name stay. */
function merged(before: Resources, change: Resources): Resources {
  const requests = { ...before.requests, ...change.requests };
  const limits = { ...before.limits, ...change.limits };
  return {
    ...(Object.keys(requests).length === 0 ? {} : { requests }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}

function serviceClass(pod: ApiObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const all = containersOf(pod).map(({ resources = {} }) => resources);
  const isNothing = ({ requests = {}, limits = {} }: Resources) =>
    Object.keys(requests).length + Object.keys(limits).length === 0;
  if (all.every(isNothing)) return 'BestEffort';
  const isFixed = ({ requests = {}, limits = {} }: Resources) =>
    ['cpu', 'memory'].every((name) => limits[name] !== undefined && (requests[name] ?? limits[name]) === limits[name]);
  return all.every(isFixed) ? 'Guaranteed' : 'Burstable';
}
