// A Kubernetes cluster with members in it, without the operator: one seed, one clock, one sequence of events. The
// caller brings the operator and its rules; the invariants that need no operator are checked here.

import { LABELS } from '@marekvs/api';
import { MemberNetwork } from '../memory/member-network.ts';
import { seededRandom } from '../memory/random.ts';
import { VirtualClock } from '../memory/virtual-clock.ts';
import type { ApiObject } from './api-server/api-object.ts';
import { MemoryApiServer } from './api-server/api-server.ts';
import type { WriteOptions } from './clients/client-writes.ts';
import { Ledger } from './clients/ledger.ts';
import { Stranger, type StrangerOptions } from './clients/stranger.ts';
import { WriterClient, type WriterOptions } from './clients/writer-client.ts';
import { refuseGrowth } from './controllers/claim-growth.ts';
import { startCollector } from './controllers/collector.ts';
import { taintCordonedHosts } from './controllers/cordon-taint.ts';
import { Endpoints } from './controllers/endpoints.ts';
import { HostLoss } from './hosts/host-loss.ts';
import { Kubelet } from './hosts/kubelet.ts';
import { Transcript } from './transcript.ts';
import { WorldLoop } from './world-loop.ts';

export interface KubeWorldOptions {
  readonly seed: number;
  /** Machines for Pods; default six. */
  readonly hosts?: number;
  /** Knobs of every member that starts. */
  readonly knobs?: Readonly<Record<string, unknown>>;
}

/** Wall clock at virtual time 0. */
export const START_WALL_MS = Date.UTC(2026, 0, 1);

export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

function addHost(server: MemoryApiServer, name: string, zone: string): void {
  const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone };
  server.create('nodes', { metadata: { name, labels }, spec: {} });
  server.patch('nodes', { name }, { status: { allocatable: { cpu: '16', memory: '64Gi' } } }, 'status');
}

export class KubeWorld {
  readonly seed: number;
  readonly clock = new VirtualClock();
  readonly loop: WorldLoop;
  readonly server: MemoryApiServer;
  readonly network: MemberNetwork;
  readonly kubelet: Kubelet;
  readonly hosts: HostLoss;
  readonly endpoints: Endpoints;
  readonly ledger: Ledger;
  readonly transcript: Transcript;
  /** Knobs of every member that starts from now on. */
  knobs: Readonly<Record<string, unknown>>;
  /** Names of claims that a story deletes with their data: nobody else is to blame for what is lost with them. */
  readonly givenUp = new Set<string>();
  /** Keys that were only on the claims in `givenUp`. */
  readonly lostByHand = new Set<string>();
  readonly #seeds: () => number;
  readonly #volumeOfId = new Map<string, string>();
  readonly #folderOfVolume = new Map<string, string>();
  readonly #writers: WriterClient[] = [];

  constructor(options: KubeWorldOptions) {
    const { clock } = this;
    this.seed = options.seed;
    this.knobs = options.knobs ?? {};
    this.#seeds = seededRandom(options.seed);
    this.loop = new WorldLoop(clock);
    this.transcript = new Transcript(() => clock.now());
    this.server = new MemoryApiServer({ nowMs: () => this.nowMs(), random: this.newRandom() });
    this.network = new MemberNetwork({ seed: this.#nextSeed(), clock, startWallMs: START_WALL_MS });
    const { server, network } = this;
    startCollector({ server, clock, random: this.newRandom() });
    server.admitChange = (resource, live, next) => {
      if (resource === 'persistentvolumeclaims') refuseGrowth(live, next);
    };
    const hosts = Array.from({ length: options.hosts ?? 6 }, (_, index) => `host-${index}`);
    for (const [index, name] of hosts.entries()) addHost(server, name, `zone-${index % 3}`);
    for (const name of ['default', 'marekvs-system']) server.create('namespaces', { metadata: { name } });
    this.kubelet = new Kubelet({
      server,
      network,
      hosts,
      random: this.newRandom(),
      nowMs: () => this.nowMs(),
      knobs: () => this.knobs,
      onProcess: (pod, process, data) => this.#onProcess(pod, process, data),
      onVolumeLost: (claim, disk) => {
        this.transcript.add('kubelet', `volume of ${claim.metadata.name} is destroyed`);
        const keys = this.ledger.onlyOn(disk);
        if (keys.length === 0) return;
        const what = `${keys.length} acknowledged writes were only on ${claim.metadata.name}`;
        if (!this.givenUp.has(claim.metadata.name)) return this.violated(what);
        for (const key of keys) this.lostByHand.add(key);
        this.transcript.add('world', what);
      },
    });
    taintCordonedHosts(server, clock, () => this.kubelet.retryPlacement());
    this.hosts = new HostLoss({ server, kubelet: this.kubelet, clock, nowMs: () => this.nowMs() });
    this.endpoints = new Endpoints({ server, network, random: this.newRandom() });
    this.ledger = new Ledger(network, () => this.kubelet);
  }

  nowMs(): number {
    return START_WALL_MS + this.clock.now();
  }

  /** A random generator of its own, so that what one part draws does not change what another part draws. */
  newRandom(): () => number {
    return seededRandom(this.#nextSeed());
  }

  /** Ends the run with the seed and the last lines. */
  violated(what: string): void {
    const where = `seed ${this.seed} at ${(this.clock.now() / 1_000).toFixed(3)} s`;
    this.loop.fail(new InvariantError(`${what} (${where})\n${this.transcript.tail()}`));
  }

  /** Adds clients that write according to the options. */
  addWriters(
    count: number,
    options: WriteOptions & Pick<WriterOptions, 'service' | 'writesPerSecond' | 'isAware' | 'everywhere'>,
  ): void {
    const { network, endpoints, ledger } = this;
    for (let n = 0; n < count; n += 1) {
      const own = { name: `w${this.#writers.length}`, random: this.newRandom() };
      this.#writers.push(new WriterClient({ ...options, ...own, network, endpoints, ledger }));
    }
  }

  stopWriters(): void {
    for (const writer of this.#writers) writer.stop();
  }

  /** Another observer, which compares contents of any running member; the caller stops it. */
  addStranger(options: Pick<StrangerOptions, 'everyMs' | 'staysMs'>): Stranger {
    const { network, kubelet } = this;
    const addresses = () =>
      kubelet
        .lives()
        .filter((life) => life.isRunning && network.isUp(life.processName))
        .map((life) => network.member(life.processName).settings.advertiseIp);
    return new Stranger({ ...options, network, addresses, random: this.newRandom() });
  }

  /** An id belongs to one volume for ever, and to one folder on it: anywhere else the member would have forgotten
   *  everything (docs/design/server.md#h2). */
  #onProcess(
    { metadata }: ApiObject,
    process: string,
    { uid: volumeUid, dataDir }: { readonly uid: string; readonly dataDir: string },
  ): void {
    this.transcript.add('kubelet', `${process} starts on volume ${volumeUid.slice(0, 8)}`);
    const owner = metadata.labels?.[LABELS.clusterUid];
    const id = `${owner} ${metadata.labels?.[LABELS.nodeId] ?? metadata.name}`;
    const folder = this.#folderOfVolume.get(volumeUid) ?? dataDir;
    this.#folderOfVolume.set(volumeUid, folder);
    if (folder !== dataDir) this.violated(`${metadata.name} has its data in ${folder} and starts in ${dataDir}`);
    const known = this.#volumeOfId.get(id) ?? volumeUid;
    this.#volumeOfId.set(id, known);
    if (known !== volumeUid) this.violated(`${metadata.name} was on volume ${known} and starts on ${volumeUid}`);
    const twin = this.kubelet.lives().find((life) => life.isRunning && life.volumeUid === volumeUid);
    if (twin !== undefined && twin.processName !== process)
      this.violated(`${process} and ${twin.processName} share one volume`);
  }

  #nextSeed(): number {
    return Math.floor(this.#seeds() * 4_294_967_296);
  }
}
