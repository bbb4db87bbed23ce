// What the local kubelet is started with, what it shows of its Pods, and the faults that it causes for tests.
import type { Clock, Transport } from '@marekvs/runtime';
import type { MemberRunner } from './runners/member-runner.ts';

export interface KubeletOptions {
  readonly transport: Transport;
  readonly dir: string;
  /** The second octet of all addresses: Pods get 127.<octet>.0.1 and on. */
  readonly octet: number;
  readonly runner: MemberRunner;
  readonly hostsFile: string;
  /** Folder of the control plane's certificates, with which logs are served; undefined: no logs. */
  readonly certificates?: string;
  /** Divides probe, back-off and grace times; default 1. */
  readonly speed?: number;
  /** Number of fake Nodes, default 5: `host-0` and on. */
  readonly nodeCount?: number;
  readonly clock?: Clock;
  readonly onProblem?: (what: string, err: unknown) => void;
}

export interface PodState {
  readonly key: string;
  readonly uid: string;
  readonly ip: string | undefined;
  readonly pid: number | undefined;
  readonly nodeName: string | undefined;
  readonly isReady: boolean;
  readonly restartCount: number;
}

/** Pods are named `namespace/name`. @throws TestbedError from every fault when there is no such Pod */
export interface Kubelet {
  /** Pods known now, by key. */
  pods(): readonly PodState[];
  pod(key: string): PodState | undefined;
  /** SIGSTOP and SIGCONT: the member neither answers nor dies. */
  freeze(key: string): void;
  thaw(key: string): void;
  kill(key: string, signal?: NodeJS.Signals): void;
  setNeverReady(key: string, isNeverReady: boolean): void;
  /** The Pod stays Terminating after its member has ended, until released. */
  holdTermination(key: string): void;
  releaseTermination(key: string): void;
  /** Phase Failed, reason `Evicted` unless another is given; the object stays. */
  evict(key: string, reason?: string): Promise<void>;
  /** Pods for which this returns true stay Pending as unschedulable; undefined lets all through again. */
  holdScheduling(
    isUnscheduled: ((pod: { readonly namespace: string; readonly name: string }) => boolean) | undefined,
  ): void;
  /** The verdict of every host on resizes of Pods for which this returns one, whatever room it has; undefined leaves
   *  resizes to the hosts again. */
  holdResizes(holdOf: ((pod: { readonly namespace: string; readonly name: string }) => ResizeHold) | undefined): void;
  /** The Node object is deleted, its members die, its Pods stay as they were and nobody reports on them. */
  vanishHost(nodeName: string): Promise<void>;
  /** The machine is off, and the control plane has noticed: its Node and its Pods are not ready. */
  failHost(nodeName: string): Promise<void>;
  /** Makes the volume of a claim a disk of that host; undefined: a volume that says that it can be on any host. */
  tieVolume(namespace: string, name: string, nodeName: string | undefined): Promise<void>;
  /** The folder behind a claim; undefined when there is no such claim. */
  claimFolder(namespace: string, name: string): string | undefined;
  stop(): Promise<void>;
}

/** `undefined`: the host decides. */
export type ResizeHold = 'Deferred' | 'Infeasible' | undefined;
