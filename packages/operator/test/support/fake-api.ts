// An API server in memory: objects with uids and versions, preconditions, finalizers, watches that see every write at
// once. It has no admission, schemas or field ownership, which the journeys test.

import {
  ApiError,
  type ApplyOptions,
  type Clock,
  type Kind,
  type KubeClient,
  type KubeObject,
  keyOf,
  type ListOptions,
  type Precondition,
  resourceOf,
  type Stored,
  type Verb,
} from '@marekvs/runtime';

/** A write as the audit log would show it. */
export interface Write {
  readonly verb: Verb;
  /** `pods`, `marekvsnodes.marekvs.io/status` */
  readonly what: string;
  readonly name: string;
}

/** Called before a write is carried out: throw to refuse it, return a function that throws to lose its answer. */
export type Fault = (write: Write) => undefined | (() => never);

export const WAYS_TO_FAIL = ['refused', 'answer lost'] as const;

/** The nth write that it sees, counted from 1, fails in this way; all others are carried out. */
export function nthWriteFails(nth: number, way: (typeof WAYS_TO_FAIL)[number]): Fault {
  let seen = 0;
  return () => {
    seen += 1;
    if (seen !== nth) return undefined;
    return way === 'refused' ? failUnavailable() : failUnavailable;
  };
}

export function failUnavailable(): never {
  throw new ApiError({ verb: 'patch', subject: 'x', path: '/x', status: 503, reason: 'ServiceUnavailable' });
}

export type Any = Stored<KubeObject> & { readonly spec?: unknown; readonly status?: Readonly<Record<string, unknown>> };
export type Ref = { readonly namespace?: string | undefined; readonly name: string };
type Feed = (object: Any, isGone: boolean) => void;

export function createFakeApi(clock: Clock) {
  const objects = new Map<string, Any>();
  const feeds = new Map<string, Feed>();
  const writes: Write[] = [];
  const faults: Fault[] = [];
  let version = 1;

  const idOf = (resource: string, ref: Ref) => `${resource} ${keyOf(ref)}`;

  function refuse(verb: Verb, subject: string, status: number, reason: string): never {
    throw new ApiError({ verb, subject, path: `/${subject}`, status, reason });
  }

  function mustExist(verb: Verb, resource: string, ref: Ref): Any {
    return objects.get(idOf(resource, ref)) ?? refuse(verb, idOf(resource, ref), 404, 'NotFound');
  }

  function mustMatch(verb: Verb, live: Any, on: Partial<Precondition>): void {
    const { uid, resourceVersion, name } = live.metadata;
    if ((on.uid ?? uid) !== uid || (on.resourceVersion ?? resourceVersion) !== resourceVersion)
      refuse(verb, name, 409, 'Conflict');
  }

  /** Stores an object under its next version and shows it to the watch. */
  function put(resource: string, object: Any): Any {
    version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    objects.set(idOf(resource, stored.metadata), stored);
    feeds.get(resource)?.(stored, false);
    return structuredClone(stored);
  }

  /** Takes an object out of the world at once. */
  function drop(resource: string, object: Any): void {
    objects.delete(idOf(resource, object.metadata));
    feeds.get(resource)?.(object, true);
  }

  function create(resource: string, object: KubeObject): Any {
    const { metadata } = object;
    const name = metadata.name ?? '';
    if (objects.has(idOf(resource, { ...metadata, name })))
      refuse('create', `${resource} ${name}`, 409, 'AlreadyExists');
    const given = { uid: `${resource.slice(0, 4)}-${version + 1}-00000000`, resourceVersion: '', generation: 1 };
    const creationTimestamp = new Date(clock.nowMs()).toISOString();
    return put(resource, { ...structuredClone(object), metadata: { ...metadata, name, ...given, creationTimestamp } });
  }

  function patch(resource: string, ref: Ref, change: unknown, on: Partial<Precondition> = {}): Any {
    const live = mustExist('patch', resource, ref);
    mustMatch('patch', live, on);
    const next = merge(live, change) as Any;
    const isLast = next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0;
    if (!isLast) return put(resource, next);
    drop(resource, next);
    return next;
  }

  /** A Pod, or an object with finalizers, is only marked; the rest goes at once. */
  function remove(resource: string, ref: Ref, on: Partial<Precondition> = {}) {
    const live = mustExist('delete', resource, ref);
    mustMatch('delete', live, on);
    if (resource === 'pods' || (live.metadata.finalizers ?? []).length > 0) {
      const deletionTimestamp = new Date(clock.nowMs()).toISOString();
      return put(resource, { ...live, metadata: { ...live.metadata, deletionTimestamp } });
    }
    drop(resource, live);
    return { kind: 'Status' as const, status: 'Success' as const };
  }

  function list(resource: string): readonly Any[] {
    return [...objects].filter(([id]) => id.startsWith(`${resource} `)).map(([, object]) => object);
  }

  function write<T>(verb: Verb, what: string, name: string, carryOut: () => T): T {
    const done: Write = { verb, what, name };
    writes.push(done);
    const loseAnswer = faults.map((fault) => fault(done)).find((outcome) => outcome !== undefined);
    const answer = carryOut();
    loseAnswer?.();
    return answer;
  }

  /** The operator's client: everything it writes is noted. */
  const client = {
    async get(kind: Kind<KubeObject>, ref: Ref) {
      return structuredClone(mustExist('get', resourceOf(kind), ref));
    },
    /** By one field at most, and by labels that have one value each: the operator uses no other selectors. */
    async list(kind: Kind<KubeObject>, { namespace, fieldSelector = '', labelSelector = '' }: ListOptions = {}) {
      const [path = '', value] = fieldSelector.split('=', 2);
      const labels = labelSelector.split(',').map((pair) => pair.split('=', 2));
      const isSelected = (object: Any) =>
        (namespace === undefined || object.metadata.namespace === namespace) &&
        (labelSelector === '' || labels.every(([key = '', wanted]) => object.metadata.labels?.[key] === wanted)) &&
        (path === '' || path.split('.').reduce<unknown>((at, key) => Object(at)[key], object) === value);
      return {
        items: list(resourceOf(kind))
          .filter(isSelected)
          .map((object) => structuredClone(object)),
      };
    },
    async create(kind: Kind<KubeObject>, object: KubeObject) {
      const resource = resourceOf(kind);
      return write('create', resource, object.metadata.name ?? '', () => create(resource, object));
    },
    async patch(kind: Kind<KubeObject>, ref: Ref, change: unknown, on: Precondition) {
      return write('patch', resourceOf(kind), ref.name, () => patch(resourceOf(kind), ref, change, on));
    },
    async apply(kind: Kind<KubeObject>, object: KubeObject, { onlyCreate, uid, resourceVersion }: ApplyOptions) {
      const { name = '', namespace } = object.metadata;
      const resource = resourceOf(kind);
      const isNew = objects.get(idOf(resource, { name, namespace })) === undefined && uid === undefined;
      const version = onlyCreate === true ? 'of nothing' : resourceVersion;
      const on = {
        ...(uid === undefined ? {} : { uid }),
        ...(version === undefined ? {} : { resourceVersion: version }),
      };
      return write('patch', resource, name, () =>
        isNew ? create(resource, object) : patch(resource, { name, namespace }, object, on),
      );
    },
    async updateStatus(kind: Kind<KubeObject>, object: Any) {
      const resource = resourceOf(kind);
      return write('update', `${resource}/status`, object.metadata.name, () => {
        const live = mustExist('update', resource, object.metadata);
        mustMatch('update', live, object.metadata);
        return put(resource, { ...live, status: structuredClone(object.status ?? {}) });
      });
    },
    async delete(kind: Kind<KubeObject>, ref: Ref, on: Partial<Precondition>) {
      return write('delete', resourceOf(kind), ref.name, () => remove(resourceOf(kind), ref, on));
    },
  };

  /** The garbage collector: an object whose owners are all gone is removed. */
  function collect(): void {
    const uids = new Set([...objects.values()].map((object) => object.metadata.uid));
    for (const [id, object] of [...objects]) {
      const owners = object.metadata.ownerReferences ?? [];
      const isOrphan = owners.length > 0 && !owners.some(({ uid }) => uids.has(uid));
      if (!isOrphan || object.metadata.deletionTimestamp !== undefined) continue;
      remove(id.split(' ')[0] ?? '', object.metadata);
    }
  }

  return {
    // The few calls that the reconcilers make; the generics of the port are lost in a map of all kinds.
    client: client as Partial<Record<keyof KubeClient, unknown>> as KubeClient,
    writes,
    faults,
    create,
    patch,
    put,
    drop,
    remove,
    collect,
    get: (resource: string, ref: Ref) => objects.get(idOf(resource, ref)),
    list,
    watch: (resource: string, feed: Feed) => void feeds.set(resource, feed),
  };
}

/** RFC 7386. */
function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result = new Map<string, unknown>(Object.entries(typeof target === 'object' && target !== null ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, merge(result.get(key), value));
  }
  return Object.fromEntries(result);
}
