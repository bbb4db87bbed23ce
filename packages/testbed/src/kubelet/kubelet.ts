// The local kubelet: watches Pods, claims, Services and Nodes, gives each Pod a worker, binds claims, keeps the hosts
// file. It also causes the faults that tests want. One instance stands for all Nodes of the testbed.
import { mkdir } from 'node:fs/promises';
import {
  type Change,
  createReflector,
  isConflict,
  isNotFound,
  nodes as nodeKind,
  persistentVolumeClaims,
  pods as podKind,
  services as serviceKind,
  systemClock,
} from '@marekvs/runtime';
import { taintsToSet } from '@marekvs/simulator/scheduling';
import { TestbedError } from '../errors.ts';
import { isMember } from './containers/container-start.ts';
import { httpGet } from './containers/http-get.ts';
import { failHost, vanishHost } from './host-faults.ts';
import { HostVerdicts } from './host-verdicts.ts';
import type { Kubelet, KubeletOptions } from './kubelet-interface.ts';
import { createAddressPool, loopbackOf } from './network/addresses.ts';
import { renderHosts, resolveClusterName } from './network/cluster-dns.ts';
import { createHostsFile } from './network/hosts-file.ts';
import { nodeManifest } from './node-manifest.ts';
import { createKubeletApi, type KubeletApi } from './objects/kubelet-api.ts';
import { type Cached, type Claim, keepPod, keepWhole, type Node, objectsOf, type Pod } from './objects/objects.ts';
import { PodWorker } from './pods/pod-worker.ts';
import type { WorkerPorts } from './pods/worker-ports.ts';
import { createPauseRunner } from './runners/runners.ts';
import { startLogServer } from './server/log-server.ts';
import { createClaimBinder } from './volumes/claim-binder.ts';
import { mountedClaimStatus } from './volumes/claims.ts';
import { createVolumeTies } from './volumes/volume-ties.ts';
import { createVolumes } from './volumes/volumes.ts';
import { stateOf, Workers } from './workers.ts';

const SYNC_LIMIT_MS = 60_000;

/** Resolves when the Nodes are there and all caches are complete. */
export async function startKubelet(options: KubeletOptions): Promise<Kubelet> {
  const clock = options.clock ?? systemClock;
  const onProblem = options.onProblem ?? (() => undefined);
  const api = createKubeletApi(options.transport);
  const volumes = createVolumes(options.dir);
  const addresses = createAddressPool(options.octet);
  const pause = createPauseRunner();
  const workers = new Workers();
  const ending = new Set<Promise<void>>();
  const stopped = new AbortController();

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

  const verdicts = new HostVerdicts(workers, nodes.store, ties);
  const ports: WorkerPorts = {
    clock,
    api,
    get: httpGet,
    volumes,
    speed: options.speed ?? 1,
    isLight: options.runner.kind === 'hollow',
    runnerFor: (container) => (isMember(container) ? options.runner : pause),
    place: (pod) => verdicts.place(pod),
    judgeResize: (pod, nodeName) => verdicts.judgeResize(pod, nodeName),
    hostIpOf: (name) => hostAddress(options.octet, nodeNames.indexOf(name)),
    takeAddress: addresses.take,
    giveBackAddress: addresses.giveBack,
    findClaim: (namespace, name) => claims.store.get(`${namespace}/${name}`)?.object,
    resolveName: (name, namespace) =>
      resolveClusterName(name, namespace, objectsOf(services.store.values()), workers.addressed()),
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
      const worker = workers.take(previous.uid);
      if (worker !== undefined) track(worker.gone());
      workers.kickAll();
    }
    if (current === undefined) return;
    const known = workers.of(current.uid);
    if (known !== undefined) known.update(current.object);
    else adopt(current.object);
  }

  function adopt(pod: Pod): void {
    const { nodeName } = pod.spec;
    if (nodeName !== undefined && !nodeNames.includes(nodeName)) return;
    finishGrowth(pod);
    const worker = new PodWorker(pod, ports);
    workers.add(worker);
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
    for (const worker of workers.all()) if (mountsClaim(worker.pod, change.key)) worker.kick();
  }

  function nodeChanged({ current }: Change<Cached<Node>>): void {
    workers.kickAll();
    const taints = current === undefined ? undefined : taintsToSet(current.object.spec ?? {});
    if (current === undefined || taints === undefined) return;
    const { name, resourceVersion } = current;
    const done = api.patchNode(name, { metadata: { resourceVersion }, spec: { taints } });
    // After a conflict the newer Node is looked at.
    track(done.catch((err) => (isConflict(err) || isNotFound(err) ? undefined : onProblem(`taint host ${name}`, err))));
  }

  function track(work: Promise<void>): void {
    ending.add(work);
    void work.finally(() => ending.delete(work));
  }

  const hosts = createHostsFile(
    options.hostsFile,
    clock,
    () => renderHosts(objectsOf(services.store.values()), workers.addressed()),
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

  const logs =
    options.certificates === undefined
      ? undefined
      : await startLogServer(
          options.certificates,
          nodeNames.map((_, index) => hostAddress(options.octet, index)),
          (namespace, name, isPrevious) => workers.find(`${namespace}/${name}`)?.log(isPrevious),
          (namespace, name) => {
            const ip = workers.find(`${namespace}/${name}`)?.ip;
            return ip === undefined ? [] : [loopbackOf(ip), ip];
          },
        );

  return {
    pods: () => workers.all().map(stateOf),
    pod: (key) => {
      const worker = workers.find(key);
      return worker === undefined ? undefined : stateOf(worker);
    },
    freeze: (key) => workers.require(key).signal('SIGSTOP'),
    thaw: (key) => workers.require(key).signal('SIGCONT'),
    kill: (key, signal = 'SIGKILL') => workers.require(key).signal(signal),
    setNeverReady: (key, isNeverReady) => workers.require(key).setNeverReady(isNeverReady),
    holdTermination: (key) => workers.require(key).holdTermination(),
    releaseTermination: (key) => workers.require(key).releaseTermination(),
    evict: (key, reason = 'Evicted') => workers.require(key).evict(reason, `The node was low on resource: ${reason}.`),
    holdScheduling(held) {
      verdicts.isUnscheduled = held;
      workers.kickAll();
    },
    holdResizes(holdOf) {
      verdicts.resizeHold = holdOf;
      workers.kickAll();
    },
    vanishHost: (nodeName) => vanishHost(nodeName, workers, api),
    failHost: (nodeName) => failHost(nodeName, workers, api),
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
      await Promise.all([...ending, ...workers.all().map((worker) => worker.gone())]);
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

async function registerNode(api: KubeletApi, name: string, address: string): Promise<void> {
  await api.createNode(name, nodeManifest(name, address));
  // The API server taints a new Node as not ready, and the controller that would lift it needs heartbeats.
  await api.patchNode(name, { spec: { taints: null } });
}
