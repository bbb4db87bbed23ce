// The current state of the world: the cluster, its nodes, Pods and volumes as the API server has them, and the members'
// processes. Queries only; changes are in member-world.ts.

import type { MarekvsCluster, MarekvsNode, RemovalProof } from '@marekvs/api';
import { type ApiObject, containerOf, type KubeWorld, type SimulatedMember } from '@marekvs/simulator';

export const NAMESPACE = 'default';
export const NAME = 'demo';
export const CLUSTERS = 'marekvsclusters.marekvs.io';
export const NODES = 'marekvsnodes.marekvs.io';
export const REVISIONS = 'controllerrevisions.apps';
export const CLAIMS = 'persistentvolumeclaims';

/** The variable that tells a member how many homes every key has. */
export const FACTOR = 'MAREKVS_REPLICAS_N';

/** Time until a member that could not be asked is asked again. */
const ASKED_AGAIN_MS = 2_000;

export class WorldView {
  readonly kube: KubeWorld;

  /** True when the operators' clocks are so far apart that their timestamps mean nothing: the time of storing counts
   *  instead. */
  areClocksApart = false;
  /** When each proof was first stored; used when clocks are apart. */
  readonly #storedAtMs = new Map<string, number>();

  /** By id, when the node's process was last frozen, thawed, killed, evicted or its Pod deleted (virtual ms). */
  readonly #struckAtMs = new Map<number, number>();

  constructor(kube: KubeWorld) {
    this.kube = kube;
  }

  /** The world's time at which a stored proof was made. */
  provenAtMs(proof: RemovalProof): number {
    if (!this.areClocksApart) return Date.parse(proof.at);
    const identity = `${proof.operationId} ${proof.stage} ${proof.at}`;
    const storedAtMs = this.#storedAtMs.get(identity) ?? this.kube.nowMs();
    this.#storedAtMs.set(identity, storedAtMs);
    return storedAtMs;
  }

  cluster(): MarekvsCluster | undefined {
    return asCluster(this.kube.server.find(CLUSTERS, { namespace: NAMESPACE, name: NAME }));
  }

  /** Sorted by id; without copies under other names. One whose owner was edited is among them. */
  nodes(): readonly MarekvsNode[] {
    return this.kube.server
      .list(NODES)
      .map(asNode)
      .filter(({ metadata, spec }) => metadata.namespace === NAMESPACE && metadata.name === `${NAME}-${spec.nodeId}`)
      .sort((a, b) => a.spec.nodeId - b.spec.nodeId);
  }

  /** The cluster that a node is of, if it still exists. */
  clusterOf({ metadata, spec }: MarekvsNode): MarekvsCluster | undefined {
    const owners = (metadata.ownerReferences ?? []).filter(({ kind }) => kind === 'MarekvsCluster');
    const [owner] = owners;
    if (owners.length !== 1 || owner?.controller !== true || owner.name !== spec.clusterName) return undefined;
    if (metadata.name !== `${spec.clusterName}-${spec.nodeId}`) return undefined;
    const found = asCluster(this.kube.server.find(CLUSTERS, { namespace: metadata.namespace ?? '', name: owner.name }));
    return found?.metadata.uid === owner.uid ? found : undefined;
  }

  node(id: number): MarekvsNode | undefined {
    return this.nodes().find((node) => node.spec.nodeId === id);
  }

  /** True while the member of the node `by` runs and has the member `id` on its list. */
  shows(by: number, id: number): boolean {
    return this.member(by)?.view.members.some((one) => one.id === id) === true;
  }

  /** The phase in which the running member of the node `by` shows the member `id`. */
  phaseShownBy(by: number, id: number): SimulatedMember['phase'] | undefined {
    return this.member(by)?.view.members.find((one) => one.id === id)?.phase;
  }

  /** The member of the node `by` has the member `id` on its list, and could have been asked for it. A joining member
   *  serves no list. */
  isSeenToShow(by: number, id: number): boolean {
    const member = this.member(by);
    if (member === undefined || this.kube.network.isFrozen(this.processOf(by))) return false;
    if (this.wasStruckWithin(by, ASKED_AGAIN_MS) || member.phase !== 'Active') return false;
    return this.kube.clock.now() - member.phaseSinceMs >= ASKED_AGAIN_MS && this.shows(by, id);
  }

  noteStrike(id: number): void {
    this.#struckAtMs.set(id, this.kube.clock.now());
  }

  /** True when a node's process was frozen, thawed, killed or evicted, or its Pod deleted, less than `ms` ago. */
  wasStruckWithin(id: number, ms: number): boolean {
    return this.kube.clock.now() - (this.#struckAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < ms;
  }

  nodeIds(): readonly number[] {
    return this.nodes().map((node) => node.spec.nodeId);
  }

  pod(id: number): ApiObject | undefined {
    return this.kube.server.find('pods', { namespace: NAMESPACE, name: `${NAME}-${id}` });
  }

  claim(id: number): ApiObject | undefined {
    return this.kube.server.find(CLAIMS, { namespace: NAMESPACE, name: `data-${NAME}-${id}` });
  }

  /** The sorted names of all volumes. */
  claimNames(): readonly string[] {
    return this.kube.server
      .list(CLAIMS)
      .map((claim) => claim.metadata.name)
      .sort();
  }

  /** Name in the network of the process of a node's Pod. @throws Error when it has none */
  processOf(id: number): string {
    const life = this.kube.kubelet.lifeOf(this.pod(id)?.metadata.uid ?? '');
    if (life === undefined) throw new Error(`node ${id} has no Pod on a host`);
    return life.processName;
  }

  /** The running member of a node; undefined when it does not run. */
  member(id: number): SimulatedMember | undefined {
    const life = this.kube.kubelet.lifeOf(this.pod(id)?.metadata.uid ?? '');
    return life?.isRunning === true ? this.kube.network.member(life.processName) : undefined;
  }

  /** Keys that this member serves and no other member does whose Pod is to stay. */
  soleCopiesOf(id: number): readonly string[] {
    if (this.member(id) === undefined) return [];
    const own = this.processOf(id);
    const ending = new Set(
      this.kube.server
        .list('pods')
        .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        .map(({ metadata }) => this.kube.kubelet.lifeOf(metadata.uid)?.processName),
    );
    const { ledger } = this.kube;
    const elsewhere = ledger.keptOnLiving((process) => process !== own && !ending.has(process));
    return [...ledger.keptOnLiving((process) => process === own)].filter((key) => !elsewhere.has(key));
  }

  /** The number of homes that every key has at all members: the least that any Pod was started with, or that of the
   *  node where it has none. */
  leastFactor(): number {
    const factors = this.nodes().map(({ metadata, spec }) => {
      const pod = this.kube.server.find('pods', metadata);
      return Number(settingOf(pod, FACTOR) ?? spec.template.replicationFactor);
    });
    return Math.min(...factors);
  }

  /** `True`, or the reason why a condition of the cluster is not; `absent` when it does not exist. */
  condition(type: string): string {
    const found = this.cluster()?.status?.conditions?.find((condition) => condition.type === type);
    if (found === undefined) return 'absent';
    return found.status === 'True' ? 'True' : found.reason;
  }

  /** Phase of the current operation; undefined when there is none. */
  operationPhase(): string | undefined {
    return this.cluster()?.status?.operation?.phase;
  }

  /** At this size and Ready, with no operation. */
  isHealthy(size: number): boolean {
    const cluster = this.cluster();
    return (
      cluster?.status?.observedGeneration === cluster?.metadata.generation &&
      cluster?.status?.operation === undefined &&
      this.nodes().length === size &&
      this.condition('Ready') === 'True'
    );
  }

  /** The final state without names, times and versions, which may differ between two ways to it. */
  endState(): string {
    const status = this.cluster()?.status;
    return JSON.stringify(
      {
        phase: status?.phase,
        replicas: status?.replicas,
        operation: status?.operation?.phase,
        lastOutcome: status?.lastOperation?.outcome,
        lastTarget: status?.lastOperation?.target?.name,
        detached: status?.detachedVolumes?.map((volume) => volume.pvcName),
        nodes: this.nodes().map(({ spec, status: own, metadata }) => ({
          id: spec.nodeId,
          intent: spec.intent,
          serving: spec.serving,
          phase: own?.phase,
          removal: metadata.annotations?.['marekvs.io/removal'],
        })),
        pods: this.kube.server
          .list('pods')
          .map(({ metadata, status: own }) => [metadata.name, own?.phase])
          .sort(),
        claims: this.claimNames(),
      },
      undefined,
      1,
    );
  }

  /** For a failing test. */
  describe(): string {
    const { phase, message, operation, lastOperation } = this.cluster()?.status ?? {};
    const lines = this.nodes().map(({ metadata, spec, status }) => {
      const ready = status?.conditions?.find((condition) => condition.type === 'Ready');
      return `${metadata.name} ${spec.intent} ${status?.phase} ${ready?.reason}: ${ready?.message}`;
    });
    return [`${phase}: ${message}`, JSON.stringify(operation ?? lastOperation ?? {}), ...lines].join('\n');
  }
}

/** A setting a member was started with, by the name of its variable. */
export function settingOf(pod: ApiObject | undefined, setting: string): string | undefined {
  const env = pod === undefined ? [] : (containerOf(pod).env ?? []);
  return env.find(({ name }) => name === setting)?.value;
}

/** Stored as sent; the shape can be trusted, since only the operator and the tests write it. */
function asCluster(object: ApiObject | undefined): MarekvsCluster | undefined {
  return object as (ApiObject & MarekvsCluster) | undefined;
}

function asNode(object: ApiObject): MarekvsNode {
  return object as ApiObject & MarekvsNode;
}
