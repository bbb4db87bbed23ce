// The world in which the operator is judged: a Kubernetes cluster and members of the simulator, one or two operators, and the
// hands of users and of fate. One seed is one run, to the last line of the transcript.

import type { MarekvsCluster, MarekvsClusterSpec, MarekvsNode } from '@marekvs/api';
import { apiKey, KubeWorld, type KubeWorldOptions, type LedgerReport } from '@marekvs/simulator';
import type { WriteCall, WriteFate } from './memory-transport.ts';
import { type OperatorProcess, startOperator } from './operator-process.ts';

export type { WriteCall, WriteFate } from './memory-transport.ts';

export interface MemberWorldOptions extends KubeWorldOptions {
  /** Between a crash and the next process, in milliseconds; default 3,000. */
  readonly restartMs?: number;
}

const NAMESPACE = 'default';
const CLUSTERS = 'marekvsclusters.marekvs.io';
const NODES = 'marekvsnodes.marekvs.io';
const NAME = 'demo';

export class MemberWorld {
  readonly kube: KubeWorld;
  /** What becomes of each write; a test puts its own here. */
  fateOf: (write: WriteCall) => WriteFate = () => 'pass';
  /** Milliseconds a watch of that resource lags behind. */
  lagMs: (resource: string) => number = () => 2;
  /** Every write that any operator sent. */
  readonly writes: WriteCall[] = [];
  readonly #restartMs: number;
  #operator: OperatorProcess;
  #operators = 0;

  constructor(options: MemberWorldOptions) {
    this.kube = new KubeWorld(options);
    this.#restartMs = options.restartMs ?? 3_000;
    this.#followPhases();
    this.#operator = this.#start();
  }

  get operator(): OperatorProcess {
    return this.#operator;
  }

  /** Virtual milliseconds since the beginning. */
  get nowMs(): number {
    return this.kube.clock.now();
  }

  get transcript(): readonly string[] {
    return this.kube.transcript.lines;
  }

  advance(ms: number): Promise<void> {
    return this.kube.loop.advance(ms);
  }

  /** Runs until `isDone`; the virtual milliseconds it took. @throws Error with the last lines of the transcript */
  async until(isDone: () => boolean, limitMs: number, what: string): Promise<number> {
    try {
      return await this.kube.loop.until(isDone, limitMs, what);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('wait for'))
        throw new Error(
          `${error.message} (seed ${this.kube.seed})\n${this.kube.transcript.tail()}\n${this.describe()}`,
        );
      throw error;
    }
  }

  /** What `kubectl apply` of a cluster does. */
  apply(spec: Partial<MarekvsClusterSpec> = {}): void {
    this.kube.transcript.add('user', `applies ${NAME} ${JSON.stringify(spec)}`);
    this.kube.server.apply(CLUSTERS, 'kubectl', {
      metadata: { name: NAME, namespace: NAMESPACE },
      spec: { image: 'marekvs:test', ...spec },
    });
  }

  /** What `kubectl patch` of a cluster's spec does: null takes a field away. */
  edit(spec: Readonly<Record<string, unknown>>): void {
    this.kube.transcript.add('user', `edits ${NAME} ${JSON.stringify(spec)}`);
    this.kube.server.patch(CLUSTERS, { namespace: NAMESPACE, name: NAME }, { spec });
  }

  /** What `kubectl delete` does. */
  removeObject(resource: string, name: string): void {
    this.kube.transcript.add('user', `deletes ${resource} ${name}`);
    this.kube.server.remove(resource, { namespace: NAMESPACE, name });
  }

  annotate(resource: string, name: string, annotations: Readonly<Record<string, string>>): void {
    this.kube.transcript.add('user', `annotates ${resource} ${name} ${JSON.stringify(annotations)}`);
    this.kube.server.patch(resource, { namespace: NAMESPACE, name }, { metadata: { annotations } });
  }

  cluster(): MarekvsCluster | undefined {
    // Stored as the API server stores it; its shape is ours since only we and the tests write it.
    return this.kube.server.find(CLUSTERS, { namespace: NAMESPACE, name: NAME }) as MarekvsCluster | undefined;
  }

  nodes(): readonly MarekvsNode[] {
    const all = this.kube.server.list(NODES) as readonly (MarekvsNode &
      (typeof NODES extends string ? object : never))[];
    return [...all].sort((a, b) => a.spec.nodeId - b.spec.nodeId);
  }

  node(id: number): MarekvsNode | undefined {
    return this.nodes().find((node) => node.spec.nodeId === id);
  }

  /** Of one of the cluster's conditions, `reason` when it is not True and `True` otherwise. */
  condition(type: string): string {
    const found = this.cluster()?.status?.conditions?.find((condition) => condition.type === type);
    if (found === undefined) return 'absent';
    return found.status === 'True' ? 'True' : found.reason;
  }

  /** Ready, at this size, with nothing under way. */
  isHealthy(size: number): boolean {
    const cluster = this.cluster();
    return (
      cluster?.status?.observedGeneration === cluster?.metadata.generation &&
      this.nodes().length === size &&
      this.condition('Ready') === 'True' &&
      cluster?.status?.operation === undefined
    );
  }

  /** Makes a cluster and waits until it is healthy; the virtual milliseconds it took. */
  async formed(nodes: number, spec: Partial<MarekvsClusterSpec> = {}): Promise<number> {
    this.apply({ nodes, ...spec });
    return await this.until(() => this.isHealthy(nodes), 120_000, `${nodes} members form`);
  }

  /** Clients that write through the client Service until `stopWriters`. */
  startWriters(
    options: { readonly clients?: number; readonly writesPerSecond?: number; readonly keys?: number } = {},
  ): void {
    const { clients = 4, writesPerSecond = 25, keys = 200 } = options;
    this.kube.addWriters(clients, { service: `${NAMESPACE}/${NAME}`, writesPerSecond, keys });
  }

  stopWriters(): void {
    this.kube.stopWriters();
  }

  checkLedger(): LedgerReport {
    return this.kube.ledger.check();
  }

  /** Name in the network of the process that runs for a node now. */
  processOf(id: number): string {
    const pod = this.kube.server.find('pods', { namespace: NAMESPACE, name: `${NAME}-${id}` });
    const life = pod === undefined ? undefined : this.kube.kubelet.lifeOf(pod.metadata.uid);
    if (life === undefined) throw new Error(`node ${id} has no running Pod`);
    return life.processName;
  }

  /** The operator dies at its nth write from now on, once. */
  crashAt(nth: number, when: 'before' | 'after'): void {
    let seen = 0;
    const others = this.fateOf;
    this.fateOf = (write) => {
      seen += 1;
      if (seen !== nth) return others(write);
      return when === 'before' ? 'crashBefore' : 'crashAfter';
    };
  }

  /** For a failing test: what is there now. */
  describe(): string {
    const lines = this.nodes().map((node) => {
      const { phase, conditions = [] } = node.status ?? {};
      const ready = conditions.find((condition) => condition.type === 'Ready');
      return `${apiKey(node.metadata)} ${node.spec.intent} ${phase} ${ready?.reason}: ${ready?.message}`;
    });
    return [JSON.stringify(this.cluster()?.status, undefined, 1), ...lines].join('\n');
  }

  #start(): OperatorProcess {
    this.#operators += 1;
    const process = startOperator({
      world: this.kube,
      name: `op-${this.#operators}`,
      isGranted: true,
      fateOf: (write) => {
        this.writes.push(write);
        return this.fateOf(write);
      },
      lagMs: (resource) => this.lagMs(resource),
      onCrash: () => this.kube.clock.after(this.#restartMs, () => this.#restart()),
    });
    return process;
  }

  #restart(): void {
    this.#operator = this.#start();
  }

  #followPhases(): void {
    let last = '';
    this.kube.server.onEvent(({ resource, object }) => {
      if (resource !== CLUSTERS) return;
      const operation = object.status?.operation as { readonly phase?: string; readonly id?: string } | undefined;
      const phase = `${object.status?.phase ?? ''} ${operation === undefined ? '' : `${operation.id} ${operation.phase}`}`;
      if (phase === last) return;
      last = phase;
      this.kube.transcript.add('phase', phase);
    });
  }
}
