// One process of the operator in the world: both controllers, caches, sampler and events, wired as in app.ts, on
// virtual time. A crash ends all of them at once, in the middle of whatever they were doing.

import { OPERATOR_NAMESPACE } from '@marekvs/api';
import {
  assemble,
  type Caches,
  createShare,
  createSharing,
  listCaches,
  type Sampler,
  type Sharing,
  type TurnPlaces,
} from '@marekvs/operator/assembly';
import {
  type ApiRequest,
  createLeaseIdentity,
  type Grant,
  type LogFields,
  type Logger,
  type SharePart,
  type ShareRules,
  type Transport,
} from '@marekvs/runtime';
import type { KubeWorld } from '@marekvs/simulator';
import { createGuardedContents } from './guarded-contents.ts';
import { createGuardedStore } from './guarded-store.ts';
import { createMemoryTransport, type MemoryTransportOptions } from './memory-transport.ts';
import { createFreezer, createProcessClock } from './process-clock.ts';

export interface OperatorProcess {
  readonly name: string;
  readonly isAlive: boolean;
  readonly caches: Caches;
  /** Its knowledge of the members. */
  readonly sampler: Sampler;
  /** Which clusters may restart members now. */
  readonly turns: TurnPlaces;
  /** Ends at once: nothing runs any more, pending requests stay unanswered. */
  crash(): void;
  /** Sets whether it may act at all; both controllers check before every pass. */
  grant(isGranted: boolean): void;
  /** Breaks its streams, as when its API server dies. Returns the number of streams. */
  cutStreams(): number;
  /** Passes started so far, of both controllers. */
  readonly passes: number;
  /** Whether it may act on this cluster by its own clock and judgement, frozen or not. */
  owns(clusterKey: string): boolean;
  /** SIGSTOP for `ms`: nothing runs, and all input of that time is delivered afterwards, in order. */
  freeze(ms: number): void;
}

export interface OperatorProcessOptions {
  readonly world: KubeWorld;
  readonly name: string;
  readonly isGranted: boolean;
  readonly fateOf: MemoryTransportOptions['fateOf'];
  readonly planted?: MemoryTransportOptions['planted'];
  readonly lagMs: MemoryTransportOptions['lagMs'];
  readonly cacheOf?: MemoryTransportOptions['cacheOf'];
  readonly oldestVersion?: MemoryTransportOptions['oldestVersion'];
  /** Added to its wall clock. */
  readonly skewMs?: number;
  /** The taints of `--drain-taints`. */
  readonly drainTaints?: readonly string[];
  readonly onCrash: () => void;
  /** One of several replicas that share; `isGranted` is ignored then. */
  readonly sharing?: { readonly rules: ShareRules; readonly ordinal: number; readonly format?: string };
  /** The namespaces it manages, if these change: by this ConfigMap in the operator's namespace. */
  readonly namespaces?: {
    readonly from: string;
    /** The permissions it lacks in a namespace. */
    readonly missingIn: (namespace: string) => readonly string[];
    /** Called right before a request is sent. */
    readonly onSend: (request: ApiRequest, process: OperatorProcess) => void;
  };
}

export function startOperator(options: OperatorProcessOptions): OperatorProcess {
  const { world, name } = options;
  const random = world.newRandom();
  const stop = new AbortController();
  let isAlive = true;
  let granted = grantOf(options.isGranted);

  const contents = createGuardedContents(world, () => isAlive);

  function crash(): void {
    if (!isAlive) return;
    isAlive = false;
    contents.hangUp();
    world.transcript.add(name, 'dies');
    options.onCrash();
  }

  const freezer = createFreezer();
  const clock = createProcessClock(world, () => isAlive, options.skewMs ?? 0, freezer.deliver);
  const logger = createTranscriptLogger(world, name);
  const way = { ...options, who: name, random, isAlive: () => isAlive, crash, deliver: freezer.deliver };
  const transport = createMemoryTransport(way);
  const watched: Transport = {
    ...transport,
    request<T>(request: ApiRequest): Promise<T> {
      options.namespaces?.onSend(request, process);
      return transport.request<T>(request);
    },
  };
  const share = options.sharing === undefined ? undefined : createShare();
  const part: SharePart = {
    hold: (slots, signal) => assembly.part.hold(slots, signal),
    settled: (slots) => assembly.part.settled(slots),
    letGo: (slots) => assembly.part.letGo(slots),
  };
  // Writes to Leases are not writes to clusters: they get no fate.
  const sharing: Sharing | undefined =
    options.sharing === undefined
      ? undefined
      : createSharing({
          ...options.sharing,
          transport: createMemoryTransport({ ...way, fateOf: () => 'pass', random: world.newRandom() }),
          namespace: OPERATOR_NAMESPACE,
          identity: createLeaseIdentity(`marekvs-operator-${options.sharing.ordinal}`, name, name),
          part,
          clock,
          random,
          logger,
          onProblem: () => {},
        });
  const grantFor = (clusterKey: string): Grant | undefined =>
    sharing === undefined ? granted?.grant : sharing.ownership.grant(clusterKey);
  const { from, missingIn } = options.namespaces ?? {};
  const assembly = assemble({
    transport: watched,
    store: createGuardedStore(world, () => isAlive),
    contents: contents.client,
    clock,
    random,
    logger,
    grant: grantFor,
    share,
    namespaces: from === undefined ? 'all' : { namespace: OPERATOR_NAMESPACE, name: from },
    ...(missingIn === undefined ? {} : { missingIn: async (namespace: string) => missingIn(namespace) }),
    drainTaints: new Set(options.drainTaints),
    operatorNamespace: OPERATOR_NAMESPACE,
    podName: name,
    onProblem: (problem) => world.transcript.add(name, `cache ${problem.resource}: ${problem.kind} ${problem.error}`),
    onReconciled: () => {},
    removals: { ended: () => {}, vanished: () => {} },
  });
  const { caches, sampler, turns, controllers } = assembly;

  world.transcript.add(name, 'starts');
  world.loop.touch();
  for (const cache of listCaches(caches)) void cache.run(stop.signal);
  for (const part of assembly.background) void part.run(stop.signal);
  const changing = assembly.namespaces;
  void changing?.run(stop.signal);
  void Promise.all([...listCaches(caches).map((cache) => cache.synced), changing?.begun]).then(() => {
    for (const controller of controllers) void controller.run(stop.signal);
  });
  if (sharing !== undefined) {
    const { ownership, leaseCache } = sharing;
    ownership.onChange(({ gained }) => {
      if (gained.length > 0) assembly.reconcileAll((key) => ownership.grant(key) !== undefined);
    });
    void leaseCache.run(stop.signal);
    void leaseCache.synced.then(() => ownership.run(stop.signal));
  }

  const process: OperatorProcess = {
    name,
    get isAlive() {
      return isAlive;
    },
    caches,
    sampler,
    turns,
    crash,
    cutStreams: () => (isAlive ? transport.cutStreams() : 0),
    grant(isGranted) {
      granted?.end();
      granted = grantOf(isGranted);
      world.loop.touch();
      if (isGranted) assembly.reconcileAll();
      else assembly.forget();
    },
    owns: (clusterKey) =>
      isAlive && grantFor(clusterKey) !== undefined && (changing?.mayAct(clusterKey.split('/')[0] ?? '') ?? true),
    freeze(ms) {
      world.transcript.add(name, `is frozen for ${Math.round(ms / 1_000)} s`);
      freezer.freeze();
      world.clock.after(ms, () => {
        world.loop.touch();
        freezer.thaw();
      });
    },
    get passes() {
      return controllers.reduce((sum, controller) => sum + controller.inspect().passes, 0);
    },
  };
  return process;
}

function grantOf(isGranted: boolean): { readonly grant: Grant; end(): void } | undefined {
  if (!isGranted) return undefined;
  const term = new AbortController();
  const left = () => (term.signal.aborted ? 0 : Number.POSITIVE_INFINITY);
  return { grant: { left, signal: term.signal }, end: () => term.abort(new Error('the grant has ended')) };
}

/** Adds warnings and errors to the transcript; debug lines only with WORLD_DEBUG. */
function createTranscriptLogger(world: KubeWorld, who: string): Logger {
  const say =
    (level: string) =>
    (msg: string, fields: LogFields = {}) => {
      const { err, key } = fields;
      world.transcript.add(who, `${level}: ${msg} ${key ?? ''} ${err ?? ''}`.trimEnd());
    };
  const logger: Logger = {
    debug: process.env.WORLD_DEBUG === undefined ? () => {} : say('debug'),
    info: () => {},
    warn: say('warn'),
    error: say('error'),
    child: () => logger,
  };
  return logger;
}
