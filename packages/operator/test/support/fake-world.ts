// A small world for the two reconcilers: an API server in memory with its watches, a kubelet, members that agree, and time by hand.
// Everything happens when a test says so. It keeps uids, versions and preconditions as the real one does, and nothing else of it.

import { type MarekvsClusterSpec, pvcName } from '@marekvs/api';
import type { MemberAnswer } from '@marekvs/planner';
import {
  ApiError,
  type Change,
  createAlwaysGranted,
  createManualClock,
  type EventInput,
  type Identified,
  type Kind,
  type KubeClient,
  type KubeObject,
  keyOf,
  type Outcome,
  type Precondition,
  type Reconcile,
  type Reflector,
  resourceOf,
  type Stored,
  silentLogger,
  type Verb,
} from '@marekvs/runtime';
import { createClusterReconciler } from '../../src/cluster/reconciler.ts';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '../../src/kinds.ts';
import type { MemberSample, SampleTarget } from '../../src/members/sampler.ts';
import { createViewHistories } from '../../src/members/view-history.ts';
import { createNodeReconciler } from '../../src/node/reconciler.ts';
import { BY_CLUSTER, BY_OWNER, type Caches } from '../../src/observation/caches.ts';
import * as views from '../../src/observation/views.ts';
import type { Ports } from '../../src/ports.ts';
import { createRoutes } from '../../src/routing.ts';

/** A write as the audit log would show it. */
export interface Write {
  readonly verb: Verb;
  /** `pods`, `marekvsnodes.marekvs.io/status` */
  readonly what: string;
  readonly name: string;
}

/** Decides about a write before it is carried out: throw to refuse it, return a function to lose its answer by throwing afterwards. */
export type Fault = (write: Write) => undefined | (() => never);

type Any = Stored<KubeObject> & { spec?: unknown; status?: Record<string, unknown> };

export function createWorld() {
  const clock = createManualClock();
  const objects = new Map<string, Any>();
  const writes: Write[] = [];
  const recorded: EventInput[] = [];
  const faults: Fault[] = [];
  let version = 1;

  // ---- the API server

  const idOf = (resource: string, ref: { readonly namespace?: string | undefined; readonly name: string }) =>
    `${resource} ${keyOf(ref)}`;

  function refuse(verb: Verb, subject: string, status: number, reason: string): never {
    throw new ApiError({ verb, subject, path: `/${subject}`, status, reason });
  }

  function mustExist(verb: Verb, id: string): Any {
    return objects.get(id) ?? refuse(verb, id, 404, 'NotFound');
  }

  function check(verb: Verb, id: string, live: Any, on: Partial<Precondition>): void {
    const isSame = (on.uid ?? live.metadata.uid) === live.metadata.uid;
    if (!isSame || (on.resourceVersion ?? live.metadata.resourceVersion) !== live.metadata.resourceVersion)
      refuse(verb, id, 409, 'Conflict');
  }

  /** Stores an object and lets every watch see it. */
  function put(resource: string, object: Any): Any {
    version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    objects.set(idOf(resource, stored.metadata), stored);
    feeds.get(resource)?.(stored, false);
    return structuredClone(stored);
  }

  function drop(resource: string, object: Any): void {
    objects.delete(idOf(resource, object.metadata));
    feeds.get(resource)?.(object, true);
  }

  function createObject(resource: string, object: KubeObject): Any {
    const { metadata } = object;
    const name = metadata.name ?? '';
    const id = idOf(resource, { ...metadata, name });
    if (objects.has(id)) refuse('create', id, 409, 'AlreadyExists');
    const creationTimestamp = new Date(clock.nowMs()).toISOString();
    const uid = `${resource.slice(0, 4)}-${version + 1}-${'0'.repeat(8)}`;
    const made = {
      ...structuredClone(object),
      metadata: { ...metadata, name, uid, resourceVersion: '', generation: 1, creationTimestamp },
    };
    return put(resource, made);
  }

  function merge(target: unknown, patch: unknown): unknown {
    if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
    const result = new Map(Object.entries(typeof target === 'object' && target !== null ? target : {}));
    for (const [key, value] of Object.entries(patch)) {
      if (value === null) result.delete(key);
      else result.set(key, merge(result.get(key), value));
    }
    return Object.fromEntries(result);
  }

  function write<T>(verb: Verb, what: string, name: string, carryOut: () => T): T {
    const done: Write = { verb, what, name };
    writes.push(done);
    const after = faults.map((fault) => fault(done)).find((outcome) => outcome !== undefined);
    const answer = carryOut();
    after?.();
    return answer;
  }

  function patchObject(
    kind: Kind<KubeObject>,
    ref: { namespace?: string | undefined; name: string },
    patch: unknown,
    on: Partial<Precondition>,
  ): Any {
    const resource = resourceOf(kind);
    const id = idOf(resource, ref);
    const live = mustExist('patch', id);
    check('patch', id, live, on);
    const next = merge(live, patch) as Any;
    if (next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0) {
      drop(resource, next);
      return next;
    }
    return put(resource, next);
  }

  const client = {
    async get(kind: Kind<KubeObject>, ref: { namespace?: string; name: string }) {
      return structuredClone(mustExist('get', idOf(resourceOf(kind), ref)));
    },
    async create(kind: Kind<KubeObject>, object: KubeObject) {
      return write('create', resourceOf(kind), object.metadata.name ?? '', () =>
        createObject(resourceOf(kind), object),
      );
    },
    async patch(kind: Kind<KubeObject>, ref: { namespace?: string; name: string }, patch: unknown, on: Precondition) {
      return write('patch', resourceOf(kind), ref.name, () => patchObject(kind, ref, patch, on));
    },
    async apply(kind: Kind<KubeObject>, object: KubeObject, on: Partial<Precondition>) {
      const { name = '', namespace } = object.metadata;
      return write('patch', resourceOf(kind), name, () => patchObject(kind, { name, namespace }, object, on));
    },
    async updateStatus(kind: Kind<KubeObject>, object: Any) {
      return write('update', `${resourceOf(kind)}/status`, object.metadata.name, () => {
        const id = idOf(resourceOf(kind), object.metadata);
        const live = mustExist('update', id);
        check('update', id, live, object.metadata);
        return put(resourceOf(kind), {
          ...live,
          ...(object.status === undefined ? {} : { status: structuredClone(object.status) }),
        });
      });
    },
    async delete(kind: Kind<KubeObject>, ref: { namespace?: string; name: string }, on: Partial<Precondition>) {
      return write('delete', resourceOf(kind), ref.name, () => remove(resourceOf(kind), ref, on));
    },
  };

  /** A Pod, or an object with finalizers, is only marked; the rest goes at once. */
  function remove(
    resource: string,
    ref: { namespace?: string | undefined; name: string },
    on: Partial<Precondition> = {},
  ) {
    const id = idOf(resource, ref);
    const live = mustExist('delete', id);
    check('delete', id, live, on);
    if (resource === 'pods' || (live.metadata.finalizers ?? []).length > 0) {
      const deletionTimestamp = new Date(clock.nowMs()).toISOString();
      return put(resource, { ...live, metadata: { ...live.metadata, deletionTimestamp } });
    }
    drop(resource, live);
    return { kind: 'Status' as const, status: 'Success' as const };
  }

  // ---- the caches, fed by the writes

  const feeds = new Map<string, (object: Any, isGone: boolean) => void>();

  function cacheOf<V extends Identified>(
    resource: string,
    project: (object: Any) => V,
    onChange: (change: Change<V>) => void,
    index: (value: V) => string = () => '',
  ): Reflector<V> {
    const values = new Map<string, V>();
    function take(object: Any, isGone: boolean, own: boolean): void {
      const next = project(object);
      const key = keyOf(next);
      const previous = values.get(key);
      if (!isGone && previous !== undefined && Number(previous.resourceVersion) >= Number(next.resourceVersion)) return;
      if (isGone && previous?.uid !== next.uid) return;
      if (isGone) values.delete(key);
      else values.set(key, next);
      const type = isGone ? 'deleted' : previous === undefined ? 'added' : 'updated';
      onChange({ type, key, previous, current: isGone ? undefined : next, initial: false, own });
    }
    feeds.set(resource, (object, isGone) => take(object, isGone, false));
    return {
      name: resource,
      resource,
      store: {
        get: (key) => values.get(key),
        values: () => values.values(),
        byIndex: (_name, value) => [...values.values()].filter((entry) => index(entry) === value),
        get size() {
          return values.size;
        },
        hasSynced: true,
        resourceVersion: undefined,
        isBehind: () => false,
      },
      run: async () => {},
      synced: Promise.resolve(),
      problem: undefined,
      observe: (object) => take(object as Any, false, true),
      observeDelete(ref, answer) {
        const live = values.get(keyOf(ref));
        if (answer.kind === 'Status' && live?.uid === ref.uid) values.delete(keyOf(ref));
        else if (answer.kind !== 'Status') take(answer as Any, false, true);
      },
      lastSeenAgeMs: () => 0,
    };
  }

  const due = new Set<string>();
  const later = new Map<string, { cancel(): void }>();
  const routes = createRoutes(
    () => caches,
    (key) => void due.add(`cluster ${key}`),
    (key) => void due.add(`node ${key}`),
  );
  // Every object of a resource has the type its kind says; the in-memory server keeps them all in one map.
  const caches: Caches = {
    clusters: cacheOf('marekvsclusters.marekvs.io', (o) => views.toClusterView(o as never), routes.cluster),
    nodes: cacheOf(
      'marekvsnodes.marekvs.io',
      (o) => views.toNodeView(o as never),
      routes.node,
      (view) => view.ownerUid,
    ),
    pods: cacheOf('pods', (o) => views.toPodView(o as never), routes.pod),
    volumes: cacheOf(
      'persistentvolumeclaims',
      (o) => views.toVolumeView(o as never),
      routes.volume,
      (view) => `${view.namespace}/${view.clusterName ?? ''}`,
    ),
    services: cacheOf('services', views.toChildView, routes.child),
    budgets: cacheOf('poddisruptionbudgets.policy', views.toChildView, routes.child),
    policies: cacheOf('networkpolicies.networking.k8s.io', views.toChildView, routes.child),
  };
  if (BY_OWNER === BY_CLUSTER) throw new Error('an index per cache is all this world has');

  // ---- the members and those who ask them

  const followed = new Map<string, readonly SampleTarget[]>();
  const answers = new Map<string, MemberAnswer>();
  const NOT_ASKED: MemberSample = { answer: { kind: 'notAsked' }, metrics: undefined, opsPerSecond: undefined };

  const sampler: Ports['sampler'] = {
    follow: (key, targets) => void followed.set(key, targets),
    forget: (key) => void followed.delete(key),
    sample(podUid) {
      const answer = answers.get(podUid);
      return answer === undefined ? NOT_ASKED : { ...NOT_ASKED, answer };
    },
    run: async () => {},
  };

  const ports: Ports = {
    client: client as Partial<Record<keyof KubeClient, unknown>> as KubeClient,
    caches,
    sampler,
    histories: createViewHistories(),
    recorder: { name: 'events', run: async () => {}, record: (event) => void recorded.push(event) },
    clock,
    onLooked: () => {},
    settings: { operatorNamespace: 'marekvs-system' },
  };

  // ---- the passes

  const reconcilers: Readonly<Record<string, Reconcile>> = {
    cluster: createClusterReconciler(ports),
    node: createNodeReconciler(ports),
  };
  const grant = createAlwaysGranted().grant('world');
  if (grant === undefined) throw new Error('an ownership that always grants did not');

  async function pass(item: string): Promise<void> {
    const [name = '', key = ''] = item.split(' ');
    const reconcile = reconcilers[name];
    if (reconcile === undefined) throw new Error(`no reconciler ${name}`);
    later.get(item)?.cancel();
    later.delete(item);
    const { signal } = new AbortController();
    const outcome: Outcome = await reconcile(key, {
      key,
      reconcileId: item,
      signal,
      grant: grant as never,
      logger: silentLogger,
      failures: 0,
    });
    if (outcome.kind === 'requeue')
      later.set(
        item,
        clock.after(outcome.afterMs, () => void due.add(item)),
      );
  }

  /** Runs passes until nobody wants one now. A pass that fails is wanted again a second later. */
  async function settle(limit = 2_000): Promise<void> {
    for (let passes = 0; due.size > 0; passes += 1) {
      if (passes === limit) throw new Error(`no rest after ${limit} passes: ${[...due].join(', ')}`);
      const [item = ''] = due;
      due.delete(item);
      try {
        await pass(item);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        later.set(
          item,
          clock.after(1_000, () => void due.add(item)),
        );
      }
    }
  }

  const world = {
    clock,
    writes,
    events: recorded,
    faults,
    caches,
    settle,

    /** What `kubectl apply` of a cluster does. */
    apply(spec: Partial<MarekvsClusterSpec> = {}, name = 'demo') {
      const full = { image: 'marekvs:test', ...spec };
      const live = objects.get(`marekvsclusters.marekvs.io default/${name}`);
      if (live === undefined) {
        return createObject('marekvsclusters.marekvs.io', {
          apiVersion: 'marekvs.io/v1alpha1',
          kind: 'MarekvsCluster',
          metadata: { name, namespace: 'default' },
          spec: full,
        } as KubeObject);
      }
      const generation = (live.metadata.generation ?? 0) + 1;
      return put('marekvsclusters.marekvs.io', { ...live, spec: full, metadata: { ...live.metadata, generation } });
    },

    /** Somebody else creates an object. */
    create: createObject,
    /** Somebody else deletes an object; a Pod only begins to end. */
    remove: (resource: string, name: string) => remove(resource, { namespace: 'default', name }),
    /** Somebody else changes an object. */
    change: (kind: Kind<KubeObject>, name: string, patch: unknown) =>
      patchObject(kind, { namespace: 'default', name }, patch, {}),
    get: (resource: string, name: string): Any | undefined => objects.get(`${resource} default/${name}`),
    list: (resource: string): readonly Any[] =>
      [...objects].filter(([id]) => id.startsWith(`${resource} `)).map(([, object]) => object),
    cluster: () => caches.clusters.store.get('default/demo')?.object,
    node: (id: number) => caches.nodes.store.get(`default/demo-${id}`)?.object,

    /** One round of the kubelets: Pods on their way out are gone, new ones run on a bound volume and become ready. */
    kubelets() {
      for (const found of world.list('pods')) {
        if (found.metadata.deletionTimestamp !== undefined) {
          drop('pods', found);
          continue;
        }
        const claim = world.get('persistentvolumeclaims', `data-${found.metadata.name}`);
        if (claim === undefined) continue;
        if (claim.status?.phase !== 'Bound') put('persistentvolumeclaims', { ...claim, status: { phase: 'Bound' } });
        if (found.status?.podIP !== undefined) continue;
        const id = Number(found.metadata.name.split('-').at(-1));
        put('pods', {
          ...found,
          spec: { ...(found.spec as object), nodeName: `host-${id}` },
          status: { phase: 'Running', podIP: `10.0.0.${id + 1}`, conditions: [{ type: 'Ready', status: 'True' }] },
        });
      }
    },

    /** The garbage collector: what is controlled by something that no longer exists goes. */
    collect() {
      const uids = new Set([...objects.values()].map((object) => object.metadata.uid));
      for (const [id, object] of objects) {
        const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
        if (owner === undefined || uids.has(owner.uid) || object.metadata.deletionTimestamp !== undefined) continue;
        remove(id.split(' ')[0] ?? '', object.metadata);
      }
    },

    /** Every running member shows all running members, and says so. */
    members(change: (podUid: string, answer: MemberAnswer) => MemberAnswer = (_uid, answer) => answer) {
      const running = world
        .list('pods')
        .filter((found) => found.status?.phase === 'Running' && found.metadata.deletionTimestamp === undefined);
      const view = running.map((found) => ({
        id: Number(found.metadata.name.split('-').at(-1)),
        generation: Number(found.metadata.uid.split('-')[1]),
        hasPrimaries: true,
      }));
      answers.clear();
      for (const found of running) {
        const { uid } = found.metadata;
        answers.set(uid, change(uid, { kind: 'serving', atMs: clock.nowMs(), view }));
      }
      for (const key of followed.keys()) routes.answers(key);
    },

    /** Time passes; what falls due in it is done. */
    async wait(ms: number) {
      const untilMs = clock.steadyMs() + ms;
      for (;;) {
        await settle();
        const next = clock.nextTimerInMs();
        if (next === undefined || clock.steadyMs() + next > untilMs) break;
        clock.advance(next);
      }
      clock.advance(Math.max(0, untilMs - clock.steadyMs()));
      await settle();
    },

    /** Kubelets and members do their part, the operator its own, until a minute has passed. */
    async live(rounds = 6) {
      for (let i = 0; i < rounds; i += 1) {
        await world.wait(2_000);
        world.collect();
        world.kubelets();
        await world.wait(1_000);
        world.members();
        await world.wait(7_000);
      }
    },

    volumeOf: (id: number) => world.get('persistentvolumeclaims', pvcName('demo', id)),
    kinds: { cluster: MAREKVS_CLUSTER, node: MAREKVS_NODE },
    wake(item: string) {
      due.add(item);
    },
  };
  return world;
}
