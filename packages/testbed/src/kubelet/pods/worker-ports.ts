// What the worker of a Pod needs of the kubelet around it, and what its parts share.
import type { Clock } from '@marekvs/runtime';
import type { PodPlacement } from '@marekvs/simulator/scheduling';
import type { HttpGet } from '../containers/http-get.ts';
import type { KubeletApi } from '../objects/kubelet-api.ts';
import type { Claim, Container, Pod } from '../objects/objects.ts';
import type { MemberRunner } from '../runners/member-runner.ts';
import type { Volumes } from '../volumes/volumes.ts';
import type { PodRecord } from './pod-record.ts';
import type { ResizeVerdict } from './pod-resize.ts';
import type { StatusWriter } from './status-writer.ts';

export interface WorkerPorts {
  readonly clock: Clock;
  readonly api: KubeletApi;
  readonly get: HttpGet;
  readonly volumes: Volumes;
  /** Divides every delay of probes, back-off and grace. */
  readonly speed: number;
  readonly isLight: boolean;
  runnerFor(container: Container): MemberRunner;
  place(pod: Pod): PodPlacement;
  /** The host's verdict on the resources that the running Pod asks for. */
  judgeResize(pod: Pod, nodeName: string): ResizeVerdict;
  hostIpOf(nodeName: string): string;
  takeAddress(): string;
  giveBackAddress(address: string): void;
  findClaim(namespace: string, name: string): Claim | undefined;
  resolveName(name: string, namespace: string): readonly string[] | undefined;
  /** Address, readiness or placement changed. */
  onChanged(): void;
  onProblem(what: string, err: unknown): void;
}

/** What the parts of one worker share. */
export interface WorkerParts {
  readonly ports: WorkerPorts;
  readonly container: Container;
  readonly record: PodRecord;
  readonly writer: StatusWriter;
  /** RFC 3339, whole seconds. */
  readonly now: () => string;
  /** The newest version of the Pod. */
  readonly pod: () => Pod;
}

export const RETRY_MS = 2_000;
/** Within this time of a change the status is written. */
export const SETTLE_MS = 20;
/** A hollow member is ready within this time of its start, so that one status write reports both. */
const LIGHT_SETTLE_MS = 1500;

export function settleMs(isLight: boolean): number {
  return isLight ? LIGHT_SETTLE_MS : SETTLE_MS;
}
