// The local kubelet: watches Pods, claims, Services and Nodes, gives each Pod a worker, binds claims, keeps the hosts
// file. It also causes the faults that tests want. One instance stands for all Nodes of the testbed.
import { mkdir } from 'node:fs/promises';
import {
  type Change,
  type Clock,
  createReflector,
  isConflict,
  isNotFound,
  nodes as nodeKind,
  persistentVolumeClaims,
  pods as podKind,
  services as serviceKind,
  systemClock,
  type Transport,
} from '@marekvs/runtime';
import { TestbedError } from '../errors.ts';
import { isMember } from './containers/container-start.ts';
import { httpGet } from './containers/http-get.ts';
import { createAddressPool, loopbackOf } from './network/addresses.ts';
import { type AddressedPod, renderHosts, resolveClusterName } from './network/cluster-dns.ts';
import { createHostsFile } from './network/hosts-file.ts';
import { nodeManifest } from './node-manifest.ts';
import { createKubeletApi, type KubeletApi } from './objects/kubelet-api.ts';
import { type Cached, type Claim, keepPod, keepWhole, type Node, type Pod } from './objects/objects.ts';
import { judgeResize } from './pods/pod-resize.ts';
import { PodWorker } from './pods/pod-worker.ts';
import type { WorkerPorts } from './pods/worker-ports.ts';
import type { MemberRunner } from './runners/member-runner.ts';
import { createPauseRunner } from './runners/runners.ts';
import { taintsToSet } from './scheduling/cordon-taint.ts';
import { placePod } from './scheduling/scheduler.ts';
import { startLogServer } from './server/log-server.ts';
import { createClaimBinder } from './volumes/claim-binder.ts';
import { mountedClaimStatus } from './volumes/claims.ts';
import { createVolumeTies } from './volumes/volume-ties.ts';
import { createVolumes } from './volumes/volumes.ts';

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

const SYNC_LIMIT_MS = 60_000;

/** Resolves when the Nodes are there and all caches are complete. */
export async function startKubelet(options: KubeletOptions): Promise<Kubelet> {
  const clock = options.clock ?? systemClock;
  const onProblem = options.onProblem ?? (() => undefined);
  const api = createKubeletApi(options.transport);
  const volumes = createVolumes(options.dir);
  const addresses = createAddressPool(options.octet);
  const pause = createPauseRunner();
  const workers = new Map<string, PodWorker>();
  const ending = new Set<Promise<void>>();
  const stopped = new AbortController();
  let resizeHold: ((pod: { readonly namespace: string; readonly name: string }) => ResizeHold) | undefined;
  let isUnscheduled: ((pod: { readonly namespace: string; readonly name: string }) => boolean) | undefined;

  await mkdir(options.dir, { recursive: true });
  const nodeNames = Array.from({ length: options.nodeCount ?? 5 }, (_, index) => `host-${index}`);
  await Promise.all(
    nodeNames.map((name) => registerNode(api, name, hostAddress(options.octet, nodeNames.indexOf(name)))),
  );

  const ties = createVolumeTies(api, (key) => claims.store.get(key)?.object);
  const common = {
    transport: options.transport,
    onProblem: (problem: { readonly error: unknown }) => onProblem('watch', problem.error),
  };
  const nodes = createReflector({ ...common, kind: nodeKind, project: keepWhole, onChange: nodeChanged });
  const services = createReflector({ ...common, kind: serviceKind, project: keepWhole, onChange: touchHosts });
  const claims = createReflector({
    ...common,
    kind: persistentVolumeClaims,
    project: keepWhole,
    onChange: claimChanged,
  });
  const pods = createReflector({ ...common, kind: podKind, project: keepPod, onChange: podChanged });

  const ports: WorkerPorts = {
    clock,
    api,
    get: httpGet,
    volumes,
    speed: options.speed ?? 1,
    isLight: options.runner.kind === 'hollow',
    runnerFor: (container) => (isMember(container) ? options.runner : pause),
    place: (pod) => {
      if (isUnscheduled?.(pod.metadata) === true)
        return { kind: 'unschedulable', message: `0/${nodes.store.size} nodes are available: held by the test.` };
      const tied = ties.hostOf(pod);
      const fitting = objectsOf<Node>(nodes.store.values()).filter(
        ({ metadata }) => tied === undefined || metadata.name === tied,
      );
      return placePod(pod, fitting, placedPods());
    },
    judgeResize(pod, nodeName) {
      const holdOf = resizeHold?.(pod.metadata);
      if (holdOf !== undefined) return { kind: holdOf, message: "Node didn't have enough resource: held by the test." };
      const others = [...workers.values()].filter(
        (one) => one.nodeName === nodeName && one.pod.metadata.uid !== pod.metadata.uid,
      );
      return judgeResize(
        pod,
        nodes.store.get(nodeName)?.object,
        others.map(({ allotted }) => allotted),
      );
    },
    hostIpOf: (name) => hostAddress(options.octet, nodeNames.indexOf(name)),
    takeAddress: addresses.take,
    giveBackAddress: addresses.giveBack,
    findClaim: (namespace, name) => claims.store.get(`${namespace}/${name}`)?.object,
    resolveName: (name, namespace) =>
      resolveClusterName(name, namespace, objectsOf(services.store.values()), addressedPods()),
    onChanged: touchHosts,
    onProblem,
  };

  const bindClaim = createClaimBinder({
    api,
    clock,
    namesVolumes: options.runner.kind !== 'hollow',
    find: (key) => claims.store.get(key)?.object,
    onProblem,
  });

  function podChanged(change: Change<Cached<Pod>>): void {
    const { previous, current } = change;
    if (previous !== undefined && previous.uid !== current?.uid) {
      const worker = workers.get(previous.uid);
      workers.delete(previous.uid);
      if (worker !== undefined) track(worker.gone());
      kickAll();
    }
    if (current === undefined) return;
    const known = workers.get(current.uid);
    if (known !== undefined) known.update(current.object);
    else adopt(current.object);
  }

  function adopt(pod: Pod): void {
    const { nodeName } = pod.spec;
    if (nodeName !== undefined && !nodeNames.includes(nodeName)) return;
    finishGrowth(pod);
    const worker = new PodWorker(pod, ports);
    workers.set(pod.metadata.uid, worker);
    worker.update(pod);
  }

  /** Before a Pod starts, the file systems of its volumes take up their size. */
  function finishGrowth({ metadata, spec }: Pod): void {
    for (const { persistentVolumeClaim } of spec.volumes ?? []) {
      const claim = claims.store.get(`${metadata.namespace}/${persistentVolumeClaim?.claimName}`)?.object;
      const status = claim === undefined ? undefined : mountedClaimStatus(claim);
      if (claim === undefined || status === undefined) continue;
      const done = api.patchClaimStatus(claim, status);
      track(done.catch((err) => onProblem(`resize the file system of ${claim.metadata.name}`, err)));
    }
  }

  function claimChanged(change: Change<Cached<Claim>>): void {
    const { previous, current } = change;
    if (previous !== undefined && previous.uid !== current?.uid) {
      track(
        volumes.removeClaim(previous.object).catch((err) => onProblem(`remove the folder of claim ${change.key}`, err)),
      );
    }
    if (current !== undefined) void bindClaim(change.key);
    // Only a Pod that mounts the claim can wait for it: there may be thousands.
    for (const worker of workers.values()) if (mountsClaim(worker.pod, change.key)) worker.kick();
  }

  function nodeChanged({ current }: Change<Cached<Node>>): void {
    kickAll();
    const taints = current === undefined ? undefined : taintsToSet(current.object);
    if (current === undefined || taints === undefined) return;
    const { name, resourceVersion } = current;
    const done = api.patchNode(name, { metadata: { resourceVersion }, spec: { taints } });
    // After a conflict the newer Node is looked at.
    track(done.catch((err) => (isConflict(err) || isNotFound(err) ? undefined : onProblem(`taint host ${name}`, err))));
  }

  function kickAll(): void {
    for (const worker of workers.values()) {
      worker.kick();
      worker.retryPlacement();
    }
  }

  function track(work: Promise<void>): void {
    ending.add(work);
    void work.finally(() => ending.delete(work));
  }

  function placedPods(): { pod: Pod; nodeName: string }[] {
    return [...workers.values()].flatMap(({ pod, nodeName }) => (nodeName === undefined ? [] : [{ pod, nodeName }]));
  }

  function addressedPods(): AddressedPod[] {
    return [...workers.values()].flatMap(({ pod, ip, isReady }) => (ip === undefined ? [] : [{ pod, ip, isReady }]));
  }

  const hosts = createHostsFile(
    options.hostsFile,
    clock,
    () => renderHosts(objectsOf(services.store.values()), addressedPods()),
    (err) => onProblem('write the hosts file', err),
  );

  /** Not for hollow members: they resolve no names, and thousands of them would cause the file to be rendered often. */
  function touchHosts(): void {
    if (!stopped.signal.aborted && options.runner.kind !== 'hollow') hosts.touch();
  }

  await hosts.write();
  const reflectors = [nodes, services, claims, pods];
  const running = reflectors.map((one) => one.run(stopped.signal));
  await Promise.race([
    Promise.all(reflectors.map((one) => one.synced)),
    clock.delay(SYNC_LIMIT_MS, stopped.signal).then(() => {
      throw new TestbedError(`local kubelet: its caches were not complete after ${SYNC_LIMIT_MS / 1000} s`);
    }),
  ]);

  function find(key: string): PodWorker | undefined {
    const found = [...workers.values()].filter((worker) => worker.key === key);
    return found.find((worker) => !worker.isTerminating) ?? found[0];
  }

  function require(key: string): PodWorker {
    const worker = find(key);
    if (worker === undefined) throw new TestbedError(`no Pod ${key} on the local kubelet`);
    return worker;
  }

  const logs =
    options.certificates === undefined
      ? undefined
      : await startLogServer(
          options.certificates,
          nodeNames.map((_, index) => hostAddress(options.octet, index)),
          (namespace, name, isPrevious) => find(`${namespace}/${name}`)?.log(isPrevious),
          (namespace, name) => {
            const ip = find(`${namespace}/${name}`)?.ip;
            return ip === undefined ? [] : [loopbackOf(ip), ip];
          },
        );

  return {
    pods: () => [...workers.values()].map(stateOf),
    pod: (key) => {
      const worker = find(key);
      return worker === undefined ? undefined : stateOf(worker);
    },
    freeze: (key) => require(key).signal('SIGSTOP'),
    thaw: (key) => require(key).signal('SIGCONT'),
    kill: (key, signal = 'SIGKILL') => require(key).signal(signal),
    setNeverReady: (key, isNeverReady) => require(key).setNeverReady(isNeverReady),
    holdTermination: (key) => require(key).holdTermination(),
    releaseTermination: (key) => require(key).releaseTermination(),
    evict: (key, reason = 'Evicted') => require(key).evict(reason, `The node was low on resource: ${reason}.`),
    holdScheduling(held) {
      isUnscheduled = held;
      kickAll();
    },
    holdResizes(holdOf) {
      resizeHold = holdOf;
      kickAll();
    },
    async vanishHost(nodeName) {
      for (const worker of workers.values()) if (worker.nodeName === nodeName) worker.lose();
      await api.removeNode(nodeName);
    },
    async failHost(nodeName) {
      const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      const isNotReady = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionTime };
      const lost = [...workers.values()].filter((worker) => worker.nodeName === nodeName);
      for (const worker of lost) worker.lose();
      await api.patchNodeStatus(nodeName, { conditions: [isNotReady] });
      await api.patchNode(nodeName, {
        spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }] },
      });
      const isPodNotReady = { type: 'Ready', status: 'False', lastTransitionTime };
      await Promise.all(lost.map(({ pod }) => api.patchPodStatus(pod, { conditions: [isPodNotReady] })));
    },
    async tieVolume(namespace, name, nodeName) {
      const claim = claims.store.get(`${namespace}/${name}`)?.object;
      if (claim === undefined) throw new TestbedError(`no claim ${namespace}/${name}`);
      await ties.tie(claim, nodeName);
    },
    claimFolder(namespace, name) {
      const claim = claims.store.get(`${namespace}/${name}`)?.object;
      return claim === undefined ? undefined : volumes.claimFolder(claim);
    },
    async stop() {
      stopped.abort();
      hosts.stop();
      await logs?.close();
      await Promise.allSettled(running);
      await Promise.all([...ending, ...[...workers.values()].map((worker) => worker.gone())]);
      await options.runner.stop();
    },
  };
}

function mountsClaim({ metadata, spec }: Pod, key: string): boolean {
  return (spec.volumes ?? []).some(
    ({ persistentVolumeClaim }) =>
      persistentVolumeClaim !== undefined && `${metadata.namespace}/${persistentVolumeClaim.claimName}` === key,
  );
}

function hostAddress(octet: number, index: number): string {
  return `127.${octet}.254.${index + 1}`;
}

function stateOf(worker: PodWorker): PodState {
  const { key, pod, ip, pid, nodeName, isReady, restartCount } = worker;
  return { key, uid: pod.metadata.uid, ip, pid, nodeName, isReady, restartCount };
}

function objectsOf<T>(cached: Iterable<Cached<T>>): T[] {
  return Array.from(cached, (one) => one.object);
}

async function registerNode(api: KubeletApi, name: string, address: string): Promise<void> {
  await api.createNode(name, nodeManifest(name, address));
  // The API server taints a new Node as not ready, and the controller that would lift it needs heartbeats.
  await api.patchNode(name, { spec: { taints: null } });
}
