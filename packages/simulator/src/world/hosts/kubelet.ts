// The scheduler and the kubelets of the world. Every Pod gets a host and a life. Every volume gets a folder, which
// outlives Pods and goes with its claim once no Pod mounts it any more. A new claim of the same name gets a new folder.

import type { MemberNetwork } from '../../memory/member-network.ts';
import { MemoryDisk } from '../../memory/memory-disk.ts';
import { type ApiObject, apiKey } from '../api-server/api-object.ts';
import { resourcesOf } from '../api-server/api-resize.ts';
import type { MemoryApiServer } from '../api-server/api-server.ts';
import { capacityBytes, finishGrowth } from '../controllers/claim-growth.ts';
import { claimNameOf, isClassMissing } from '../controllers/collector.ts';
import { canMount, refusalOf, roomOn } from './placement.ts';
import { PodLife, type PodPorts } from './pod-life.ts';
import type { HostRoom } from './pod-resize.ts';
import { placePod } from './scheduler.ts';

export interface KubeletOptions {
  readonly server: MemoryApiServer;
  readonly network: MemberNetwork;
  readonly random: () => number;
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Names of the hosts; a Pod goes where the fewest Pods are. */
  readonly hosts: readonly string[];
  readonly knobs: () => Readonly<Record<string, unknown>>;
  readonly onProcess: PodPorts['onProcess'];
  /** Called before a folder goes, once its claim is gone and no Pod mounts it any more. */
  readonly onVolumeLost: (claim: ApiObject, disk: MemoryDisk) => void;
}

export class Kubelet {
  readonly #options: KubeletOptions;
  readonly #lives = new Map<string, PodLife>();
  readonly #disks = new Map<string, MemoryDisk>();
  /** Claims that are gone while a Pod still mounts them: attached storage is not deleted. */
  readonly #tornOut = new Map<string, ApiObject>();
  readonly #waiting = new Set<string>();
  /** Pods that no host takes. */
  readonly #unplaced = new Set<string>();
  readonly #images = new Set<string>();
  /** A story's answer to a Pod that asks for other resources; undefined leaves it to the host. */
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

  /** The lives of all Pods with a host. */
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

  /** Power off: its processes end, and the status of its Pods is no longer updated. */
  loseHost(name: string): void {
    for (const life of this.lives()) if (life.host === name) life.abandon();
  }

  /** Power on: Pods that still exist start again on their volumes, and Pods marked for deletion go. */
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

  /** Retries the Pods that no host took, for when a host becomes usable. */
  retryPlacement(): void {
    this.#retry(this.#unplaced);
  }

  #ports(): PodPorts {
    const { server, network, random, nowMs, knobs, onProcess } = this.#options;
    const images = this.#images;
    const roomFor = (pod: ApiObject, host: string) => this.#roomFor(pod, host);
    return { server, network, random, nowMs, knobs, onProcess, images, takeIp: () => this.#takeIp(), roomFor };
  }

  /** The host's labels that the API server copies to its Pods, from Kubernetes 1.35 on. */
  #placeLabels(hostName: string): Readonly<Record<string, string>> {
    const { labels = {} } = this.#options.server.find('nodes', { name: hostName })?.metadata ?? {};
    return Object.fromEntries(Object.entries(labels).filter(([key]) => PLACE_LABELS.includes(key)));
  }

  #takeIp(): string {
    this.#nextIp += 1;
    return `10.0.${this.#nextIp >> 8}.${this.#nextIp & 255}`;
  }

  /** Of the hosts that take the Pod the one that it prefers, else the one with the fewest Pods. Undefined when none
   *  does, which is reported on the Pod. */
  #pickHost(pod: ApiObject): string | undefined {
    const { server, hosts: names } = this.#options;
    const hosts = names.flatMap((name) => server.find('nodes', { name }) ?? []);
    const volume = this.#volumeOf(pod);
    const placed = [...this.#lives.values()].flatMap(({ ref, host }) => {
      const found = server.find('pods', ref);
      return found === undefined ? [] : [{ pod: found, host }];
    });
    const placement = placePod(pod, hosts, {
      refusal: (host) =>
        canMount(volume, host) ? refusalOf(pod, host, hosts, placed) : 'node(s) had volume node affinity conflict',
      load: (name) => placed.filter(({ host }) => host === name).length,
    });
    if (placement.kind === 'node') return placement.nodeName;
    this.#unplaced.add(apiKey(pod.metadata));
    this.#sayUnschedulable(pod, placement.message);
    return undefined;
  }

  /** The Pod's PersistentVolume; most stories have none, and then it can be anywhere. */
  #volumeOf(pod: ApiObject): ApiObject | undefined {
    const { server } = this.#options;
    const claim = server.find('persistentvolumeclaims', {
      namespace: pod.metadata.namespace,
      name: claimNameOf(pod) ?? '',
    });
    return server.find('persistentvolumes', { name: String(claim?.spec?.volumeName ?? '') });
  }

  /** Room for what a running Pod asks for now; the other Pods count with what they were allotted. */
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

/** Why the Pod cannot be placed, with the scheduler's message. A claim that will be bound soon is no obstacle. */
function troubleWith(claim: ApiObject | undefined, name: string): string | undefined {
  if (claim === undefined) return `persistentvolumeclaim "${name}" not found`;
  if (isClassMissing(claim)) return 'pod has unbound immediate PersistentVolumeClaims';
  return claim.metadata.deletionTimestamp === undefined
    ? undefined
    : `persistentvolumeclaim "${name}" is being deleted`;
}
