// Answers: do two sets of compute resources mean the same, and does a Pod really have what it asks for? Quantities are
// compared by value, since the API server writes `1024Mi` as `1Gi`.

import { tryParseQuantity } from '@marekvs/api';

/** Of a template. CPU is a request, memory is both request and limit. */
export interface ComputeResources {
  readonly cpu: string;
  readonly memory: string;
}

/** Of a container; undefined where it sets none. */
export interface ContainerResources {
  readonly cpuRequest: string | undefined;
  readonly memoryRequest: string | undefined;
  readonly memoryLimit: string | undefined;
}

/** What is known of the resources of a running Pod. */
export interface PodResources {
  /** What its container asks for. */
  readonly asked: ContainerResources;
  /** What its container has, as its host reports; undefined where the host does not report it. */
  readonly effective: ContainerResources | undefined;
  /** What the host reports of a change that is not done yet; undefined when there is none. */
  readonly change:
    | { readonly state: 'Deferred' | 'Infeasible' | 'InProgress' | 'Failing'; readonly message: string }
    | undefined;
  /** The host's report is about the Pod as it is now. A host that does not say which Pod it means is believed. */
  readonly isObserved: boolean;
}

/** How far a CPU request may be off after a runtime has turned it into a weight and back. */
const CPU_ROUNDING_PERCENT = 10n;

/** The container asks for these. */
export function isAskedFor({ asked }: PodResources, { cpu, memory }: ComputeResources): boolean {
  return isEqual(asked.cpuRequest, cpu) && isEqual(asked.memoryRequest, memory) && isEqual(asked.memoryLimit, memory);
}

/** The container has these, and its host has nothing left to do. */
export function isInForce(resources: PodResources, wanted: ComputeResources): boolean {
  const { effective, change, isObserved } = resources;
  if (effective === undefined || change !== undefined || !isObserved || !isAskedFor(resources, wanted)) return false;
  const { cpu, memory } = wanted;
  return isNear(effective.cpuRequest, cpu) && isEqual(effective.memoryLimit, memory);
}

/** True when the container may have more memory than is wanted: a process that uses it would be killed. */
export function mayTakeMemory({ effective }: PodResources, { memory }: ComputeResources): boolean {
  const has = millisOf(effective?.memoryLimit);
  const wanted = millisOf(memory);
  return has === undefined || wanted === undefined || wanted < has;
}

function isEqual(a: string | undefined, b: string): boolean {
  const value = millisOf(a);
  return value !== undefined && value === millisOf(b);
}

function isNear(a: string | undefined, b: string): boolean {
  const value = millisOf(a);
  const wanted = millisOf(b);
  if (value === undefined || wanted === undefined) return false;
  const apart = value > wanted ? value - wanted : wanted - value;
  return apart * 100n <= wanted * CPU_ROUNDING_PERCENT;
}

function millisOf(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : tryParseQuantity(text)?.millis;
}
