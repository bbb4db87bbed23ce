// A small world for the two reconcilers: an API server in memory, kubelets, members that agree, and time by hand.
// Everything happens when a test says so.

import type { MarekvsClusterSpec } from '@marekvs/api';
import {
  type ComparisonReport,
  type ComparisonRequest,
  isSameComparison,
  type MemberAnswer,
  NO_PASSWORD,
  type PasswordSource,
} from '@marekvs/planner';
import {
  ApiError,
  type EventInput,
  type Kind,
  type KubeObject,
  type Reconcile,
  resourceOf,
  silentLogger,
  type Timer,
} from '@marekvs/runtime';
import { factsOf } from '../../../planner/test/support/facts.ts';
import { reportOn } from '../../../planner/test/support/reports.ts';
import { createManualClock } from '../../../runtime/test/support/manual-clock.ts';
import type { Caches } from '../../src/caches/caches.ts';
import { toPodView } from '../../src/caches/pod-view.ts';
import { createClusterReconciler } from '../../src/cluster/reconciler.ts';
import type { MemberSample, Pace, SampleTarget } from '../../src/members/sampler.ts';
import { createViewHistories } from '../../src/members/view-history.ts';
import { createNodeReconciler } from '../../src/node/reconciler.ts';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '../../src/objects/kinds.ts';
import { createProvenHere } from '../../src/operations/proven-here.ts';
import { createTurnPlaces } from '../../src/operations/turn-places.ts';
import type { Ports } from '../../src/pass/ports.ts';
import { createRoutes } from '../../src/pass/routing.ts';
import { createPasswords } from '../../src/secrets/passwords.ts';
import { createSecretsAsked } from '../../src/secrets/secrets-asked.ts';
import { createAutoscaleMemory } from '../../src/sizing/autoscale-memory.ts';
import { type Any, createFakeApi } from './fake-api.ts';
import { createFakeCaches } from './fake-caches.ts';

export type { Write } from './fake-api.ts';

const CLUSTERS = 'marekvsclusters.marekvs.io';
const NOT_ASKED: MemberSample = { answer: { kind: 'notAsked' }, metrics: undefined, rate: undefined };

/** @param asksSecrets otherwise every Secret counts as present */
export function createWorld({ asksSecrets = false }: { readonly asksSecrets?: boolean } = {}) {
  const clock = createManualClock();
  const api = createFakeApi(clock);
  const events: EventInput[] = [];
  const due = new Set<string>();
  const later = new Map<string, Timer>();
  const routes = createRoutes(
    (): Caches => caches,
    (key) => void due.add(`cluster ${key}`),
    (key) => void due.add(`node ${key}`),
  );
  const held = new Set<string>();
  const caches = createFakeCaches(api, routes, held);

  const followed = new Map<string, readonly SampleTarget[]>();
  const paces = new Map<string, Pace>();
  const answers = new Map<string, MemberAnswer>();
  const figures = { areWithheld: false };
  const sampler: Ports['sampler'] = {
    follow(key, targets, pace) {
      followed.set(key, targets);
      paces.set(key, pace);
    },
    forget: (key) => void followed.delete(key),
    poke: () => {},
    /** Like the real one, it knows nothing about a member that it was not told to follow. */
    sample(pod) {
      const isFollowed = [...followed.values()].flat().some((target) => target.podUid === pod?.uid);
      const answer = isFollowed && pod !== undefined ? answers.get(pod.uid) : undefined;
      return answer === undefined ? NOT_ASKED : { ...NOT_ASKED, answer };
    },
    /** Every member is complete and shows what it last answered; one behind its closed door shows figures alone. */
    facts(key) {
      const atMs = clock.monotonicMs();
      if (figures.areWithheld) return [];
      return (followed.get(key) ?? []).flatMap(({ podUid, nodeId }) => {
        const answer = answers.get(podUid);
        if (answer?.kind === 'sealed') {
          const ids = (followed.get(key) ?? []).map((one) => one.nodeId);
          return [factsOf(nodeId, { ids, podUid, generation: undefined, bornAtMs: 0, isJoining: true, atMs })];
        }
        if (answer?.kind !== 'serving') return [];
        const { view, digest } = answer;
        const generation = view.find(({ id }) => id === nodeId)?.generation;
        const since = { atMs, shownSinceMs: 0 };
        return [factsOf(nodeId, { ids: view.map(({ id }) => id), view, digest, podUid, generation, ...since })];
      });
    },
    followed: () => [],
    observe: () => () => {},
    run: async () => {},
  };

  const wanted = new Map<string, { readonly request: ComparisonRequest; readonly atMs: number }>();
  const contents: { found: Partial<ComparisonReport> } = { found: {} };
  const comparisons: Ports['comparisons'] = {
    want(key, request) {
      const before = wanted.get(key);
      if (request === undefined) wanted.delete(key);
      else if (before === undefined || !isSameComparison(before.request, request) || before.atMs < request.sinceMs)
        wanted.set(key, { request, atMs: clock.monotonicMs() });
    },
    /** Everything that is asked for is covered at once, unless a test says what is found. */
    report(key) {
      const work = wanted.get(key);
      if (work === undefined) return undefined;
      const { request, atMs } = work;
      return reportOn(request, {
        startedAtMs: atMs,
        coveredAtMs: atMs,
        sweptAtMs: atMs,
        movedAtMs: atMs,
        ...contents.found,
      });
    },
    run: async () => {},
  };

  const ports: Ports = {
    client: api.client,
    caches,
    sampler,
    comparisons,
    hosts: { ask: () => new Map(), run: async () => {} },
    drainedHosts: { current: () => new Map(), seen: () => 'known', run: async () => {} },
    selectedHosts: { follow: () => undefined, run: async () => {} },
    hostFindings: {
      ask: () => new Map(),
      known: () => undefined,
      probe: () => Promise.reject(new Error('nobody asks about hosts here')),
      run: async () => {},
    },
    hostZones: { ask: () => undefined, run: async () => {} },
    resizing: { ask: () => 'offered', run: async () => {} },
    turns: createTurnPlaces({ clock, onPlace: (key) => void due.add(`cluster ${key}`) }),
    provenHere: createProvenHere(),
    secrets: asksSecrets
      ? createSecretsAsked({
          client: api.client,
          clock,
          onAnswer: (key) => void due.add(`cluster ${key}`),
          onVersion: () => {},
        })
      : {
          ask: () => 'present',
          known: () => 'present',
          uidOf: () => undefined,
          doubt: () => {},
          forget: () => {},
          run: async () => {},
        },
    autoscalers: { ask: () => undefined, forget: () => {}, run: async () => {} },
    secretWatches: { follow: () => {}, run: async () => {} },
    passwords: createPasswords(api.client, clock),
    memberPasswords: { first: async () => ({ source: 'none', password: undefined }), others: async () => [] },
    members: { drain: async () => {}, hasJoined: async () => false, setPassword: async () => {} },
    histories: createViewHistories(),
    sizes: createAutoscaleMemory(),
    recorder: { name: 'events', run: async () => {}, record: (event) => void events.push(event) },
    removals: { ended: () => {}, vanished: () => {} },
    clock,
    onReconciled: () => {},
    settings: { operatorNamespace: 'marekvs-system' },
  };
  void ports.secrets.run(new AbortController().signal);
  const reconcilers = new Map<string, Reconcile>([
    ['cluster', createClusterReconciler(ports).reconcile],
    ['node', createNodeReconciler(ports).reconcile],
  ]);
  const grant = { left: () => Number.POSITIVE_INFINITY, signal: new AbortController().signal };

  async function pass(item: string): Promise<void> {
    const [name = '', key = ''] = item.split(' ');
    const reconcile = reconcilers.get(name);
    if (reconcile === undefined) throw new Error(`cannot run ${item}`);
    later.get(item)?.cancel();
    later.delete(item);
    const { signal } = new AbortController();
    const context = { key, reconcileId: item, signal, grant, logger: silentLogger, failures: 0 };
    const outcome = await reconcile(key, context);
    if (outcome.kind === 'requeue') putOff(item, outcome.afterMs);
  }

  function putOff(item: string, ms: number): void {
    later.set(
      item,
      clock.after(ms, () => void due.add(item)),
    );
  }

  /** Runs passes until none is requested. A pass that fails on the API server is requested again a second later. */
  async function settle(limit = 2_000): Promise<void> {
    for (let passes = 0; due.size > 0; passes += 1) {
      if (passes === limit) throw new Error(`no rest after ${limit} passes: ${[...due].join(', ')}`);
      const [item = ''] = due;
      due.delete(item);
      try {
        await pass(item);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        putOff(item, 1_000);
      }
    }
  }

  /** Lets time pass, and does what is due in it. */
  async function wait(ms: number): Promise<void> {
    const untilMs = clock.steadyMs() + ms;
    for (;;) {
      await settle();
      const next = clock.nextTimerInMs();
      if (next === undefined || clock.steadyMs() + next > untilMs) break;
      clock.advance(next);
    }
    clock.advance(Math.max(0, untilMs - clock.steadyMs()));
    await settle();
  }

  /** One round of the kubelets: terminating Pods are gone, new ones run on a bound volume and become ready. */
  function kubelets(): void {
    for (const pod of api.list('pods')) {
      if (pod.metadata.deletionTimestamp !== undefined) api.drop('pods', pod);
      else start(pod);
    }
  }

  function start(pod: Any): void {
    const claim = get('persistentvolumeclaims', `data-${pod.metadata.name}`);
    if (claim === undefined) return;
    if (claim.status?.phase !== 'Bound')
      api.put('persistentvolumeclaims', { ...claim, status: { phase: 'Bound', capacity: requestOf(claim) } });
    if (pod.status?.podIP !== undefined) return;
    const id = idOf(pod);
    const conditions = [{ type: 'Ready', status: 'True' }];
    const status = { phase: 'Running', podIP: `10.0.0.${id + 1}`, conditions };
    api.put('pods', { ...pod, spec: { ...(pod.spec as object), nodeName: `host-${id}` }, status });
  }

  /** Every running member shows all running members, and the operator has asked them. */
  function members(): void {
    const running = api.list('pods').filter(({ status, metadata }) => {
      return status?.phase === 'Running' && metadata.deletionTimestamp === undefined;
    });
    const seen = running.map((pod) => toPodView(pod as Any & Parameters<typeof toPodView>[0]));
    const isSealed = new Set(seen.filter((pod) => pod.isSealed).map(({ uid }) => uid));
    const view = running.map((pod) => ({
      id: idOf(pod),
      generation: generationOf(pod),
      hasPrimaries: !isSealed.has(pod.metadata.uid),
    }));
    answers.clear();
    for (const uid of isSealed) answers.set(uid, { kind: 'sealed', sinceMs: clock.nowMs() });
    for (const pod of running.filter(({ metadata }) => !isSealed.has(metadata.uid)))
      answers.set(pod.metadata.uid, {
        kind: 'serving',
        atMs: clock.nowMs(),
        viewAtMs: clock.monotonicMs(),
        view,
        digest: `of ${view.length}`,
        ...startedWith(toPodView(pod as Any & Parameters<typeof toPodView>[0]).password),
      });
    for (const key of followed.keys()) routes.answers(key);
  }

  /** A member wants the password that its Pod was made with. */
  function startedWith(source: PasswordSource | undefined): {
    readonly isGuarded?: true;
    readonly wants?: PasswordSource;
  } {
    return source === undefined || source === NO_PASSWORD ? {} : { isGuarded: true, wants: source };
  }

  /** All of that together, in rounds of ten seconds. */
  async function live(rounds = 6): Promise<void> {
    for (let i = 0; i < rounds; i += 1) {
      await wait(2_000);
      api.collect();
      kubelets();
      await wait(1_000);
      members();
      await wait(7_000);
    }
  }

  const get = (resource: string, name: string) => api.get(resource, { namespace: 'default', name });

  return {
    clock,
    events,
    caches,
    writes: api.writes,
    faults: api.faults,
    ports,
    /** From now on the cache of this resource stays behind. */
    hold: (resource: string) => void held.add(resource),
    kinds: { cluster: MAREKVS_CLUSTER, node: MAREKVS_NODE },
    wait,
    live,
    kubelets,
    members,
    get,
    list: api.list,
    /** Does what `kubectl apply` of a cluster does. */
    apply(spec: Partial<MarekvsClusterSpec> = {}, name = 'demo') {
      const object = {
        apiVersion: 'marekvs.io/v1alpha1',
        kind: 'MarekvsCluster',
        metadata: { name, namespace: 'default' },
        spec: { image: 'marekvs:test', ...spec },
      };
      const found = get(CLUSTERS, name);
      if (found === undefined) return api.create(CLUSTERS, object);
      const generation = (found.metadata.generation ?? 0) + 1;
      return api.put(CLUSTERS, { ...found, spec: object.spec, metadata: { ...found.metadata, generation } });
    },
    /** Creates an object that the operator does not create. */
    create: api.create,
    /** Puts an object as it was before, as a backup of etcd does. */
    restore: (resource: string, object: Any) => void api.put(resource, object),
    /** Changes an object from outside the operator. */
    change: (kind: Kind<KubeObject>, name: string, patch: unknown) =>
      api.patch(resourceOf(kind), { namespace: 'default', name }, patch),
    /** Changes an object of any resource from outside the operator. */
    patch: (resource: string, name: string, patch: unknown) =>
      api.patch(resource, { namespace: 'default', name }, patch),
    /** Does what the garbage collector of the controller manager does within a moment. */
    collect: api.collect,
    /** The API server refuses to create an object with such a name. */
    refuse(isRefused: (name: string) => boolean) {
      api.faults.push(({ verb, name }) => {
        if (verb !== 'create' || !isRefused(name)) return undefined;
        throw new ApiError({ verb, subject: name, path: '/', status: 403, reason: 'Forbidden' });
      });
    },
    /** Deletes an object from outside the operator; a Pod only begins to end. */
    remove: (resource: string, name: string) => api.remove(resource, { namespace: 'default', name }),
    /** Removes an object at once, whatever holds it. */
    drop(resource: string, name: string) {
      const found = get(resource, name);
      if (found !== undefined) api.drop(resource, found);
    },
    /** Requests a pass: `cluster default/demo`, `node default/demo-1`. */
    wake: (item: string) => void due.add(item),
    cluster: () => caches.clusters.store.get('default/demo')?.object,
    node: (id: number) => caches.nodes.store.get(`default/demo-${id}`)?.object,
    /** From now on no member gives figures. */
    withhold: () => void Object.assign(figures, { areWithheld: true }),
    /** What is being compared now. */
    compared: () => wanted.get('default/demo')?.request,
    /** From now on comparisons find this; undefined: everything is covered. */
    find: (found: Partial<ComparisonReport> = {}) => void Object.assign(contents, { found }),
    /** How often its members are asked. */
    pace: () => paces.get('default/demo'),
    volumeOf: (id: number) => get('persistentvolumeclaims', `data-demo-${id}`),
  };
}

function idOf(pod: Any): number {
  return Number(pod.metadata.name.split('-').at(-1));
}

/** A number that differs for every life of a member. */
function generationOf(pod: Any): number {
  return Number(pod.metadata.uid.split('-')[1]);
}

/** What a claim asks for. */
function requestOf({ spec }: { readonly spec?: unknown }): unknown {
  return (spec as { readonly resources?: { readonly requests?: unknown } } | undefined)?.resources?.requests;
}
