// The world in which the operator is judged: a Kubernetes cluster and members of the simulator, one or two operators, and the
// hands of users and of fate. One seed is one run, to the last line of the transcript.

import type { MarekvsClusterSpec } from '@marekvs/api';
import { KubeWorld, type KubeWorldOptions, type LedgerReport } from '@marekvs/simulator';
import type { WriteCall, WriteFate } from './memory-transport.ts';
import { type OperatorProcess, startOperator } from './operator-process.ts';
import { WorldJudge } from './world-judge.ts';
import { CLUSTERS, NAME, NAMESPACE, WorldView } from './world-view.ts';

export type { WriteCall, WriteFate } from './memory-transport.ts';
export { CLAIMS, CLUSTERS, NODES } from './world-view.ts';

export interface MemberWorldOptions extends KubeWorldOptions {
  /** Between a crash and the next process, in milliseconds; default 3,000. */
  readonly restartMs?: number;
}

export interface WriterRates {
  /** Default 4. */
  readonly clients?: number;
  /** Of each client; default 25. */
  readonly writesPerSecond?: number;
  /** Of each client; default 100. */
  readonly keys?: number;
  /** Do they write each key to its primary? Default true. */
  readonly isAware?: boolean;
}

export class MemberWorld extends WorldView {
  /** What becomes of each write of any operator; a test puts its own here. */
  fateOf: (write: WriteCall) => WriteFate = () => 'pass';
  /** Milliseconds until a watch of that resource hears of a change. */
  lagMs: (resource: string) => number = () => 2;
  /** Every write that any operator sent. */
  readonly writes: WriteCall[] = [];
  readonly #restartMs: number;
  readonly #judge: WorldJudge;
  readonly #operators: OperatorProcess[] = [];
  readonly #ended = new Set<string>();
  #started = 0;

  constructor(options: MemberWorldOptions) {
    super(new KubeWorld(options));
    this.#restartMs = options.restartMs ?? 3_000;
    this.#judge = new WorldJudge(this);
    this.#followPhases();
    this.startOperator();
  }

  /** The one that started last. */
  get operator(): OperatorProcess {
    const last = this.#operators.at(-1);
    if (last === undefined) throw new Error('no operator was started');
    return last;
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

  /** Runs until `isDone`; the virtual milliseconds it took. @throws Error with the seed and the last lines of the transcript */
  async until(isDone: () => boolean, limitMs: number, what: string): Promise<number> {
    try {
      return await this.kube.loop.until(isDone, limitMs, what);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('wait for')) throw error;
      const { seed, transcript } = this.kube;
      throw new Error(`${error.message} (seed ${seed})\n${transcript.tail()}\n${this.describe()}`);
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

  /** Makes a cluster and waits until it is healthy; the virtual milliseconds it took. */
  async formed(nodes: number, spec: Partial<MarekvsClusterSpec> = {}): Promise<number> {
    this.apply({ nodes, ...spec });
    return await this.until(() => this.isHealthy(nodes), 180_000, `${nodes} members form`);
  }

  /** Clients that write through the client Service until `stopWriters`. */
  startWriters({ clients = 4, writesPerSecond = 25, keys = 100, isAware = true }: WriterRates = {}): void {
    this.kube.addWriters(clients, { service: `${NAMESPACE}/${NAME}`, writesPerSecond, keys, isAware });
  }

  stopWriters(): void {
    this.kube.stopWriters();
  }

  checkLedger(): LedgerReport {
    return this.kube.ledger.check();
  }

  /** SIGSTOP to a node's process. */
  freeze(id: number): void {
    this.kube.transcript.add('world', `freezes ${this.processOf(id)}`);
    this.kube.network.freeze(this.processOf(id));
  }

  thaw(id: number): void {
    this.kube.transcript.add('world', `thaws ${this.processOf(id)}`);
    this.kube.network.thaw(this.processOf(id));
  }

  /** SIGKILL to a node's process: its kubelet starts it again on its volume. */
  kill(id: number): void {
    this.kube.transcript.add('world', `kills ${this.processOf(id)}`);
    this.kube.network.kill(this.processOf(id));
  }

  /** What can be made worse about one running member: the simulator's knobs. */
  setKnobs(id: number, knobs: Readonly<Record<string, unknown>>): void {
    this.kube.transcript.add('world', `sets ${JSON.stringify(knobs)} on ${this.processOf(id)}`);
    this.kube.network.member(this.processOf(id)).setKnobs(knobs);
  }

  /** Nothing passes between two members any more, until `heal`. */
  cut(a: number, b: number): void {
    this.kube.transcript.add('world', `cuts ${a} from ${b}`);
    this.kube.network.cut(this.processOf(a), this.processOf(b));
    this.kube.network.cut(this.processOf(b), this.processOf(a));
  }

  heal(): void {
    this.kube.transcript.add('world', 'heals the network');
    this.kube.network.heal();
  }

  /** One more operator, granted unless said otherwise. Two at once is what a lost lease looks like, for half a minute at most. */
  startOperator(isGranted = true): OperatorProcess {
    this.#started += 1;
    const name = `op-${this.#started}`;
    const process = startOperator({
      world: this.kube,
      name,
      isGranted,
      fateOf: (write) => {
        this.writes.push(write);
        const fate = this.fateOf(write);
        if (fate !== 'crashBefore' && fate !== 'conflict' && fate !== 'unavailable') this.#judge.judge(write);
        return fate;
      },
      lagMs: (resource) => this.lagMs(resource),
      onCrash: () =>
        this.#ended.has(name) ? undefined : this.kube.clock.after(this.#restartMs, () => this.startOperator()),
    });
    this.#operators.push(process);
    return process;
  }

  /** An operator's time is over: it dies and nobody takes its place. */
  endOperator(process: OperatorProcess): void {
    this.#ended.add(process.name);
    process.crash();
  }

  /** An operator dies at the nth write from now on, once; the next one starts with nothing but what is stored. */
  crashAt(nth: number, when: 'before' | 'after'): void {
    let seen = 0;
    const others = this.fateOf;
    this.fateOf = (write) => {
      seen += 1;
      if (seen !== nth) return others(write);
      return when === 'before' ? 'crashBefore' : 'crashAfter';
    };
  }

  #followPhases(): void {
    let last = '';
    this.kube.server.onEvent(({ resource }) => {
      if (resource !== CLUSTERS) return;
      const { phase = '', operation, message } = this.cluster()?.status ?? {};
      const doing = operation === undefined ? '' : `${operation.target?.name} ${operation.phase}`;
      const line = `${phase} ${doing}: ${operation?.blocked?.message ?? message}`;
      if (line === last) return;
      last = line;
      this.kube.transcript.add('status', line);
    });
  }
}
