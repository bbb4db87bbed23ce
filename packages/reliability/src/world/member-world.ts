// The world in which the operator is judged: a Kubernetes cluster and members of the simulator, one or more operators
// and their deaths, and writing clients. One seed is one run, to the last line of the transcript. What users and hosts
// do is world-hands.ts.

import type { MarekvsClusterSpec } from '@marekvs/api';
import type { ApiRequest } from '@marekvs/runtime';
import {
  type ApiObject,
  KubeWorld,
  type KubeWorldOptions,
  type LedgerReport,
  type WatchCache,
  type WriteOptions,
} from '@marekvs/simulator';
import { WorldHands } from './cluster/world-hands.ts';
import { CLUSTERS, NAME, NAMESPACE, NODES } from './cluster/world-view.ts';
import { HostsSizeJudge } from './judges/hosts-size-judge.ts';
import { ProofJudge } from './judges/proof-judge.ts';
import { judgeResizes } from './judges/resize-judge.ts';
import { SizeJudge } from './judges/size-judge.ts';
import { VolumeJudge } from './judges/volume-judge.ts';
import { WorldJudge } from './judges/world-judge.ts';
import type { WriteCall, WriteFate } from './operator/memory-transport.ts';
import { type OperatorProcess, startOperator } from './operator/operator-process.ts';

export { CLUSTERS, NODES } from './cluster/world-view.ts';
export type { WriteCall, WriteFate } from './operator/memory-transport.ts';

export interface WriterRates extends Partial<Omit<WriteOptions, 'keys'>> {
  /** Default 4. */
  readonly clients?: number;
  /** Per client; default 25. */
  readonly writesPerSecond?: number;
  /** Per client; default 100. */
  readonly keys?: number;
  /** Whether they write each key to its primary. Default true. */
  readonly isAware?: boolean;
  /** Addresses of Pods: the clients never hang up by themselves, whatever becomes of them. */
  readonly everywhere?: () => readonly string[];
}

/** One operator and its current process. */
interface OperatorRow {
  isEnded: boolean;
  first?: OperatorProcess;
  current: OperatorProcess | undefined;
}

interface EventObject {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly name: string };
}

export class MemberWorld extends WorldHands {
  /** Decides the fate of each operator's write; tests replace it. */
  fateOf: (write: WriteCall) => WriteFate = () => 'pass';
  /** A planted fault of the operator: what is sent instead of a request. */
  planted: (request: ApiRequest) => ApiRequest = (request) => request;
  /** Milliseconds until a watch of that resource receives a change. */
  lagMs: (resource: string) => number = () => 2;
  /** The cache that serves a stream of that process when it opens; undefined: current state. */
  cacheOf: (process: string, resource: string) => WatchCache | undefined = () => undefined;
  /** API servers have forgotten changes before this version. */
  oldestVersion = 0;
  /** Every write that any operator sent. */
  readonly writes: WriteCall[] = [];
  /** Milliseconds between a crash of an operator and its next process. */
  restartMs = 3_000;
  /** Number of MarekvsNodes that went while their cluster stayed. */
  removals = 0;
  readonly #judge: WorldJudge;
  readonly #rows: OperatorRow[] = [];
  #started = 0;

  constructor(options: KubeWorldOptions) {
    super(new KubeWorld(options));
    this.#judge = new WorldJudge(this);
    new ProofJudge(this);
    new SizeJudge(this);
    new HostsSizeJudge(this);
    judgeResizes(this);
    new VolumeJudge(this);
    this.#followPhases();
    this.#followEvents();
    this.startOperator();
  }

  /** The living process that started last, or else the last one that lived. */
  get operator(): OperatorProcess {
    const all = this.#rows.map(({ current }) => current).filter((one) => one !== undefined);
    const last = all.findLast((one) => one.isAlive) ?? all.at(-1);
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

  /** Runs until `isDone`; returns the virtual milliseconds it took. @throws Error with the seed and the last lines of
   *  the transcript */
  async until(isDone: () => boolean, limitMs: number, what: string): Promise<number> {
    try {
      return await this.kube.loop.until(isDone, limitMs, what);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('wait for')) throw error;
      const { seed, transcript } = this.kube;
      throw new Error(`${error.message} (seed ${seed})\n${transcript.tail()}\n${this.describe()}`);
    }
  }

  /** Creates a cluster and waits until it is healthy; returns the virtual milliseconds it took. */
  async formed(nodes: number, spec: Partial<MarekvsClusterSpec> = {}): Promise<number> {
    this.apply({ nodes, ...spec });
    return await this.until(() => this.isHealthy(nodes), 180_000, `${nodes} members form`);
  }

  /** Clients that write through the client Service until `stopWriters`. */
  startWriters({ clients = 4, ...rates }: WriterRates = {}): void {
    const usual = { service: `${NAMESPACE}/${NAME}`, writesPerSecond: 25, keys: 100, isAware: true };
    this.kube.addWriters(clients, { ...usual, ...rates });
  }

  stopWriters(): void {
    this.kube.stopWriters();
  }

  checkLedger(): LedgerReport {
    return this.kube.ledger.check();
  }

  /** Starts processes of operators from now on; replaced to change to another version. */
  makeOperator: typeof startOperator = startOperator;

  /** Starts another operator; after a crash its next process takes its place. Two at once is what a lost lease looks
   *  like, for half a minute at most. */
  startOperator(isGranted = true): OperatorProcess {
    const row: OperatorRow = { isEnded: false, current: undefined };
    this.#rows.push(row);
    return this.#startProcess(row, isGranted);
  }

  /** Ends an operator: its current process dies, and none follows. */
  endOperator(process: OperatorProcess): void {
    const row = this.#rows.find(({ first }) => first === process);
    if (row === undefined) throw new Error(`${process.name} is not the first process of an operator`);
    row.isEnded = true;
    row.current?.crash();
  }

  /** The operators of the beginning end for good; others may follow. */
  retireFirst(): void {
    for (const row of this.#rows) {
      row.isEnded = true;
      row.current?.crash();
    }
  }

  #startProcess(row: OperatorRow, isGranted: boolean): OperatorProcess {
    this.#started += 1;
    const name = `op-${this.#started}`;
    const process = this.makeOperator({
      world: this.kube,
      name,
      isGranted,
      fateOf: (write) => {
        this.writes.push(write);
        const fate = this.fateOf(write);
        if (fate !== 'crashBefore' && fate !== 'conflict' && fate !== 'unavailable') this.#judge.judge(write);
        return fate;
      },
      planted: (request) => this.planted(request),
      lagMs: (resource) => this.lagMs(resource),
      cacheOf: (resource) => this.cacheOf(name, resource),
      oldestVersion: () => this.oldestVersion,
      onCrash: () => {
        if (row.isEnded) return;
        this.kube.clock.after(this.restartMs, () => {
          if (!row.isEnded) this.#startProcess(row, true);
        });
      },
    });
    row.first ??= process;
    row.current = process;
    return process;
  }

  /** The living processes of operators. */
  livingOperators(): readonly OperatorProcess[] {
    return this.#rows.flatMap(({ current }) => (current?.isAlive === true ? [current] : []));
  }

  /** Crashes an operator at the nth write from now on, once; its next process knows only what is stored. */
  crashAt(nth: number, when: 'before' | 'after'): void {
    let seen = 0;
    const others = this.fateOf;
    this.fateOf = (write) => {
      seen += 1;
      if (seen !== nth) return others(write);
      return when === 'before' ? 'crashBefore' : 'crashAfter';
    };
  }

  /** Adds the operator's events to the transcript as `kubectl events` shows them. */
  #followEvents(): void {
    this.kube.server.onEvent(({ type, resource, object }) => {
      if (type === 'DELETED' && resource === NODES && object.metadata.namespace === NAMESPACE) {
        const cluster = this.cluster();
        if (cluster !== undefined && cluster.metadata.deletionTimestamp === undefined) this.removals += 1;
      }
      if (type !== 'ADDED' || resource !== 'events.events.k8s.io') return;
      const { type: kind, reason, regarding, note } = object as ApiObject & Partial<EventObject>;
      this.kube.transcript.add('event', `${kind} ${reason} ${regarding?.name}: ${note}`);
    });
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
