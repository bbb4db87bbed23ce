// The scheduler and the kubelets of the world: every Pod gets a host and a life, every volume a folder that outlives
// Pods and goes with its claim, once no Pod mounts it any more. The same name on another claim is another folder.

import type { MemberNetwork } from '../memory/member-network.ts';
import { MemoryDisk } from '../memory/memory-disk.ts';
import { type ApiObject, apiKey } from './api-object.ts';
import { resourcesOf } from './api-resize.ts';
import type { MemoryApiServer } from './api-server.ts';
import { capacityBytes, finishGrowth } from './claim-growth.ts';
import { claimNameOf, isClassMissing } from './collector.ts';
import { canMount, refusalOf, roomOn } from './placement.ts';
import { PodLife, type PodPorts } from './pod-life.ts';
import type { HostRoom } from './pod-resize.ts';

export interface KubeletOptions {
  readonly server: MemoryApiServer;
  readonly network: MemberNetwork;
  readonly random: () => number;
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Names of the machines; Pods go where the fewest are. */
  readonly hosts: readonly string[];
  readonly knobs: () => Readonly<Record<string, unknown>>;
  readonly onProcess: PodPorts['onProcess'];
  /** A claim is gone for good and nobody mounts its folder any more: now that goes. Called before it does. */
  readonly onVolumeLost: (claim: ApiObject, disk: MemoryDisk) => void;
}

export class Kubelet {
  readonly #options: KubeletOptions;
  readonly #lives = new Map<string, PodLife>();
  readonly #disks = new Map<string, MemoryDisk>();
  /** Claims that somebody took away under a Pod: storage that is attached is not deleted. */
  readonly #tornOut = new Map<string, ApiObject>();
  readonly #waiting = new Set<string>();
  /** Those that no host takes. */
  readonly #unplaced = new Set<string>();
  readonly #images = new Set<string>();
  /** What a host says of a Pod that asks for other resources, where a story does not leave it to the host. */
  roomOverride: (pod: ApiObject) => HostRoom | undefined = () => undefined;
  #nextIp = 10;

  constructor(options: KubeletOptions) {
    this.#options = options;
    options.server.onEvent(({ type, resource, object }) => {
      if (resource === 'persistentvolumeclaims') {
        if (type === 'DELETED') this.#loseVolume(object);
        else this.#retry(this.#waiting);
        this.#disks.get(object.metadata.uid)?.resize(capacityBytes(object));
        return;
      }
      if (resource !== 'pods') return;
      if (type === 'DELETED') {
        this.#lives.get(object.metadata.uid)?.abandon();
        this.#lives.delete(object.metadata.uid);
        for (const claim of this.#tornOut.values()) this.#loseVolume(claim);
        this.#unplaced.delete(apiKey(object.metadata));
        this.#retry(this.#unplaced);
      } else if (type === 'ADDED') this.#schedule(object, 20 + options.random() * 80);
      else this.#lives.get(object.metadata.uid)?.follow(object);
    });
  }

  /** The Pods that have a host, by their API key. */
  lives(): readonly PodLife[] {
    return [...this.#lives.values()];
  }

  lifeOf(podUid: string): PodLife | undefined {
    return this.#lives.get(podUid);
  }

  /** The folder of the claim with this uid. */
  diskOf(volumeUid: string): MemoryDisk | undefined {
    return this.#disks.get(volumeUid);
  }

  disks(): Iterable<readonly [volumeUid: string, disk: MemoryDisk]> {
    return this.#disks;
  }

  #schedule(pod: ApiObject, delayMs: number): void {
    this.#options.network.clock.after(delayMs, () => this.#place(pod));
  }

  #place({ metadata }: ApiObject): void {
    const { server } = this.#options;
    const pod = server.find('pods', metadata);
    if (pod?.metadata.uid !== metadata.uid || this.#lives.has(metadata.uid)) return;
    if (pod.metadata.deletionTimestamp !== undefined) return;
    const claim = server.find('persistentvolumeclaims', {
      namespace: pod.metadata.namespace,
      name: claimNameOf(pod) ?? '',
    });
    const trouble = troubleWith(claim, claimNameOf(pod) ?? '');
    if (claim?.status?.phase !== 'Bound' || trouble !== undefined) {
      this.#waiting.add(apiKey(metadata));
      if (trouble !== undefined) this.#sayUnschedulable(pod, trouble);
      return;
    }
    this.#waiting.delete(apiKey(metadata));
    const host = this.#pickHost(pod);
    if (host === undefined) return;
    this.#unplaced.delete(apiKey(metadata));
    const placed = server.patch('pods', metadata, {
      metadata: { labels: this.#placeLabels(host) },
      spec: { nodeName: host },
    });
    const disk = this.#disks.get(claim.metadata.uid) ?? new MemoryDisk();
    this.#disks.set(claim.metadata.uid, disk);
    disk.resize(capacityBytes(claim));
    finishGrowth(server, claim);
    const life = new PodLife(placed, host, { uid: claim.metadata.uid, disk }, this.#ports());
    this.#lives.set(metadata.uid, life);
  }

  /** Power off: its processes end, and nobody reports on its Pods any more. */
  loseHost(name: string): void {
    for (const life of this.lives()) if (life.host === name) life.abandon();
  }

  /** Power on: what Pods are still there start again on their volumes, and those that were to end have ended. */
  regainHost(name: string): void {
    const { server } = this.#options;
    for (const { uid, ref, host, volumeUid } of this.lives()) {
      if (host !== name) continue;
      const pod = server.find('pods', ref);
      const disk = this.#disks.get(volumeUid);
      this.#lives.delete(uid);
      if (pod?.metadata.uid !== uid || disk === undefined) continue;
      if (pod.metadata.deletionTimestamp !== undefined) server.remove('pods', ref, { uid }, 0);
      else this.#lives.set(uid, new PodLife(pod, name, { uid: volumeUid, disk }, this.#ports()));
    }
  }

  /** A host can be used again, or another one: Pods that had none are tried again. */
  retryPlacement(): void {
    this.#retry(this.#unplaced);
  }

  #ports(): PodPorts {
    const { server, network, random, nowMs, knobs, onProcess } = this.#options;
    const images = this.#images;
    const roomFor = (pod: ApiObject, host: string) => this.#roomFor(pod, host);
    return { server, network, random, nowMs, knobs, onProcess, images, takeIp: () => this.#takeIp(), roomFor };
  }

  /** What the API server writes on a Pod with its host, from Kubernetes 1.35 on. */
  #placeLabels(hostName: string): Readonly<Record<string, string>> {
    const { labels = {} } = this.#options.server.find('nodes', { name: hostName })?.metadata ?? {};
    return Object.fromEntries(Object.entries(labels).filter(([key]) => PLACE_LABELS.includes(key)));
  }

  #takeIp(): string {
    this.#nextIp += 1;
    return `10.0.${this.#nextIp >> 8}.${this.#nextIp & 255}`;
  }

  /** The one with the fewest Pods of those that take it. Undefined when none does, which is said on the Pod. */
  #pickHost(pod: ApiObject): string | undefined {
    const { server, hosts: names } = this.#options;
    const hosts = names.flatMap((name) => server.find('nodes', { name }) ?? []);
    const volume = this.#volumeOf(pod);
    const placed = [...this.#lives.values()].flatMap(({ ref, host }) => {
      const found = server.find('pods', ref);
      return found === undefined ? [] : [{ pod: found, host }];
    });
    const counts = new Map<string, number>();
    const refusals: string[] = [];
    for (const host of hosts) {
      const refusal = canMount(volume, host)
        ? refusalOf(pod, host, hosts, placed)
        : 'node(s) had volume node affinity conflict';
      const { name } = host.metadata;
      if (refusal === undefined) counts.set(name, placed.filter((one) => one.host === name).length);
      else refusals.push(refusal);
    }
    if (counts.size > 0) return [...counts].reduce((best, one) => (one[1] < best[1] ? one : best))[0];
    this.#unplaced.add(apiKey(pod.metadata));
    const reasons = [...new Set(refusals)].map((why) => `${refusals.filter((one) => one === why).length} ${why}`);
    this.#sayUnschedulable(pod, `0/${hosts.length} nodes are available: ${reasons.join(', ')}.`);
    return undefined;
  }

  /** Its PersistentVolume; most stories have none, and then it can be anywhere. */
  #volumeOf(pod: ApiObject): ApiObject | undefined {
    const { server } = this.#options;
    const claim = server.find('persistentvolumeclaims', {
      namespace: pod.metadata.namespace,
      name: claimNameOf(pod) ?? '',
    });
    return server.find('persistentvolumes', { name: String(claim?.spec?.volumeName ?? '') });
  }

  /** For what a Pod that runs there asks for now: the others have what they were allotted. */
  #roomFor(pod: ApiObject, hostName: string): HostRoom {
    const override = this.roomOverride(pod);
    if (override !== undefined) return override;
    const host = this.#options.server.find('nodes', { name: hostName });
    if (host === undefined) return { kind: 'full', message: 'the host is gone' };
    const others = this.lives()
      .filter(({ host: on, uid }) => on === hostName && uid !== pod.metadata.uid)
      .map(({ allotted }) => allotted);
    return roomOn(host, resourcesOf(pod), others);
  }

  #retry(keys: Set<string>): void {
    const { server } = this.#options;
    for (const key of keys) {
      const [namespace, name = ''] = key.split('/');
      const pod = server.find('pods', { namespace, name });
      if (pod === undefined) keys.delete(key);
      else this.#schedule(pod, 50);
    }
  }

  #sayUnschedulable(pod: ApiObject, message: string): void {
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    this.#options.server.patch(
      'pods',
      pod.metadata,
      { status: { phase: 'Pending', conditions: [condition] } },
      'status',
    );
  }

  #loseVolume(claim: ApiObject): void {
    const { uid } = claim.metadata;
    const disk = this.#disks.get(uid);
    if (disk === undefined) return;
    if (this.lives().some(({ volumeUid }) => volumeUid === uid)) {
      this.#tornOut.set(uid, claim);
      return;
    }
    this.#options.onVolumeLost(claim, disk);
    this.#disks.delete(uid);
    this.#tornOut.delete(uid);
  }
}

const PLACE_LABELS: readonly string[] = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** Why a Pod cannot be placed, with the scheduler's message. A claim that is about to be bound is no trouble. */
function troubleWith(claim: ApiObject | undefined, name: string): string | undefined {
  if (claim === undefined) return `persistentvolumeclaim "${name}" not found`;
  if (isClassMissing(claim)) return 'pod has unbound immediate PersistentVolumeClaims';
  return claim.metadata.deletionTimestamp === undefined
    ? undefined
    : `persistentvolumeclaim "${name}" is being deleted`;
}
