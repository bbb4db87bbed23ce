// The workers of all Pods of the local kubelet, and what is looked up among them.
import type { Placed } from '@marekvs/simulator/scheduling';
import { TestbedError } from '../errors.ts';
import type { PodState } from './kubelet-interface.ts';
import type { AddressedPod } from './network/cluster-dns.ts';
import type { PodWorker } from './pods/pod-worker.ts';

export class Workers {
  readonly #byUid = new Map<string, PodWorker>();

  all(): readonly PodWorker[] {
    return [...this.#byUid.values()];
  }

  of(uid: string): PodWorker | undefined {
    return this.#byUid.get(uid);
  }

  on(nodeName: string): readonly PodWorker[] {
    return this.all().filter((worker) => worker.nodeName === nodeName);
  }

  add(worker: PodWorker): void {
    this.#byUid.set(worker.pod.metadata.uid, worker);
  }

  /** Takes it out. */
  take(uid: string): PodWorker | undefined {
    const worker = this.#byUid.get(uid);
    this.#byUid.delete(uid);
    return worker;
  }

  /** By the `namespace/name` of its Pod; of several the one that is not being ended. */
  find(key: string): PodWorker | undefined {
    const found = this.all().filter((worker) => worker.key === key);
    return found.find((worker) => !worker.isTerminating) ?? found[0];
  }

  /** @throws TestbedError when there is no such Pod */
  require(key: string): PodWorker {
    const worker = this.find(key);
    if (worker === undefined) throw new TestbedError(`no Pod ${key} on the local kubelet`);
    return worker;
  }

  kickAll(): void {
    for (const worker of this.#byUid.values()) {
      worker.kick();
      worker.retryPlacement();
    }
  }

  placed(): readonly Placed[] {
    return this.all().flatMap(({ pod, nodeName }) => (nodeName === undefined ? [] : [{ pod, host: nodeName }]));
  }

  addressed(): readonly AddressedPod[] {
    return this.all().flatMap(({ pod, ip, isReady }) => (ip === undefined ? [] : [{ pod, ip, isReady }]));
  }
}

export function stateOf(worker: PodWorker): PodState {
  const { key, pod, ip, pid, nodeName, isReady, restartCount } = worker;
  return { key, uid: pod.metadata.uid, ip, pid, nodeName, isReady, restartCount };
}
