// An API server in memory: identity, versions, preconditions, finalizers, graceful deletion, status apart from spec.
// It knows no admission and no schemas. Requests as they come over the wire are api-requests.ts; streams are api-watch.ts.

import { type ApiKind, findKind, resourceOfKind } from './api-kinds.ts';
import { applyConfiguration, isSame, mergePatch } from './api-merge.ts';
import { type ApiInput, type ApiMeta, type ApiObject, ApiRefusal, apiKey, type Json } from './api-object.ts';

/** One change as it is stored. `object` of a deletion is the last state under the version of the deletion. */
export interface ApiEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: string;
  readonly object: ApiObject;
  readonly previous: ApiObject | undefined;
  readonly version: number;
}

export interface ApiRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface ApiPrecondition {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface ApiServerOptions {
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Uniform in [0, 1); only for uids. */
  readonly random: () => number;
}

type Half = 'spec' | 'status';

/** Answers with ApiRefusal where the real one says no. Everything happens at once and in order. */
export class MemoryApiServer {
  readonly #options: ApiServerOptions;
  readonly #objects = new Map<string, Map<string, ApiObject>>();
  readonly #applied = new Map<string, unknown>();
  readonly #listeners = new Set<(event: ApiEvent) => void>();
  readonly #history: ApiEvent[] = [];
  #version = 1;

  constructor(options: ApiServerOptions) {
    this.#options = options;
  }

  /** The version of the last change. */
  get version(): number {
    return this.#version;
  }

  /** Every change since the beginning, oldest first. */
  get history(): readonly ApiEvent[] {
    return this.#history;
  }

  /** Told of every change, after it is stored and before the writer has its answer. */
  onEvent(listener: (event: ApiEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  find(resource: string, ref: ApiRef): ApiObject | undefined {
    return this.#of(resource).get(apiKey(ref));
  }

  get(resource: string, ref: ApiRef): ApiObject {
    const found = this.find(resource, ref);
    if (found === undefined) throw new ApiRefusal(404, 'NotFound', `${resource} "${ref.name}" not found`);
    return found;
  }

  list(resource: string, namespace?: string): readonly ApiObject[] {
    const all = [...this.#of(resource).values()];
    return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
  }

  /** Every object of every kind, with its resource. */
  *everything(): Iterable<readonly [resource: string, object: ApiObject]> {
    for (const [resource, objects] of this.#objects) for (const object of objects.values()) yield [resource, object];
  }

  create(resource: string, input: ApiInput): ApiObject {
    const kind = mustKnow(resource);
    const given = input.metadata ?? {};
    const { name, namespace } = given;
    if (name === undefined || name === '') throw new ApiRefusal(422, 'Invalid', `${kind.kind}: name is required`);
    if (this.find(resource, { namespace, name }) !== undefined)
      throw new ApiRefusal(409, 'AlreadyExists', `${resource} "${name}" already exists`);
    const metadata: ApiMeta = {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...owned(given),
      uid: this.#newUid(),
      resourceVersion: '',
      creationTimestamp: this.#now(),
      ...(kind.countsGenerations ? { generation: 1 } : {}),
      ...finalizersOf([...(given.finalizers ?? []), ...kind.finalizers]),
    };
    const { status: _, ...rest } = { ...input };
    const status = kind.hasStatus ? initialStatus(kind) : input.status;
    return this.#store(kind, { ...rest, metadata, ...(status === undefined ? {} : { status }) }, undefined);
  }

  /** PUT of the whole object, or of its status. */
  update(resource: string, input: ApiInput, half: Half = 'spec'): ApiObject {
    const live = this.get(resource, { namespace: input.metadata?.namespace, name: input.metadata?.name ?? '' });
    mustMatch(live, input.metadata ?? {}, 'update');
    return this.#change(mustKnow(resource), live, input, half);
  }

  /** A merge patch. uid and resourceVersion in it are preconditions. */
  patch(resource: string, ref: ApiRef, patch: ApiInput, half: Half = 'spec'): ApiObject {
    const live = this.get(resource, ref);
    mustMatch(live, patch.metadata ?? {}, 'patch');
    return this.#change(mustKnow(resource), live, mergePatch(live, patch) as ApiObject, half);
  }

  /** Server-side apply of one manager that owns what it names. Creates what is missing unless a uid is given. */
  apply(resource: string, manager: string, input: ApiInput): ApiObject {
    const ref = { namespace: input.metadata?.namespace, name: input.metadata?.name ?? '' };
    const live = this.find(resource, ref);
    if (live === undefined) {
      if (input.metadata?.uid !== undefined)
        throw new ApiRefusal(409, 'Conflict', `${resource} "${ref.name}": uid mismatch: no existing object was found`);
      const created = this.create(resource, input);
      this.#applied.set(`${created.metadata.uid} ${manager}`, configurationOf(input));
      return created;
    }
    mustMatch(live, input.metadata ?? {}, 'patch');
    const id = `${live.metadata.uid} ${manager}`;
    const next = configurationOf(input);
    const merged = applyConfiguration(live, this.#applied.get(id), next) as ApiObject;
    this.#applied.set(id, next);
    return this.#change(mustKnow(resource), live, merged, 'spec');
  }

  /** @returns the object when it is only marked, undefined when it is gone
   *  @param graceSeconds undefined: the object's own */
  remove(resource: string, ref: ApiRef, on: ApiPrecondition = {}, graceSeconds?: number): ApiObject | undefined {
    const kind = mustKnow(resource);
    const live = this.get(resource, ref);
    mustMatch(live, on, 'delete');
    const grace = kind.isGraceful ? graceOf(live, graceSeconds) : 0;
    const { metadata } = live;
    if (grace === 0 && (metadata.finalizers ?? []).length === 0) {
      this.#drop(kind, live);
      return undefined;
    }
    if (metadata.deletionTimestamp !== undefined && grace >= (metadata.deletionGracePeriodSeconds ?? 0)) return live;
    return this.#store(
      kind,
      {
        ...live,
        metadata: {
          ...metadata,
          deletionTimestamp: metadata.deletionTimestamp ?? this.#now(grace * 1_000),
          deletionGracePeriodSeconds: grace,
          ...(metadata.generation === undefined ? {} : { generation: metadata.generation + 1 }),
        },
      },
      live,
    );
  }

  #change(kind: ApiKind, live: ApiObject, next: ApiInput, half: Half): ApiObject {
    const changed = half === 'status' ? withStatus(live, next.status) : withoutStatus(kind, live, next);
    if (isSame(changed, live)) return live;
    const { metadata } = changed;
    const isGone =
      metadata.deletionTimestamp !== undefined &&
      (metadata.finalizers ?? []).length === 0 &&
      (!kind.isGraceful || metadata.deletionGracePeriodSeconds === 0);
    if (!isGone) return this.#store(kind, changed, live);
    this.#drop(kind, changed);
    return changed;
  }

  #store(kind: ApiKind, object: ApiObject, previous: ApiObject | undefined): ApiObject {
    this.#version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    const resource = resourceOfKind(kind);
    this.#of(resource).set(apiKey(stored.metadata), stored);
    this.#tell({
      type: previous === undefined ? 'ADDED' : 'MODIFIED',
      resource,
      object: stored,
      previous,
      version: this.#version,
    });
    return stored;
  }

  #drop(kind: ApiKind, object: ApiObject): void {
    this.#version += 1;
    const resource = resourceOfKind(kind);
    const key = apiKey(object.metadata);
    const previous = this.#of(resource).get(key);
    this.#of(resource).delete(key);
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    this.#tell({ type: 'DELETED', resource, object: last, previous, version: this.#version });
  }

  #tell(event: ApiEvent): void {
    this.#history.push(event);
    for (const listener of [...this.#listeners]) listener(event);
  }

  #of(resource: string): Map<string, ApiObject> {
    const known = this.#objects.get(resource);
    if (known !== undefined) return known;
    mustKnow(resource);
    const created = new Map<string, ApiObject>();
    this.#objects.set(resource, created);
    return created;
  }

  /** Whole seconds, as the real one writes times. */
  #now(laterMs = 0): string {
    return `${new Date(this.#options.nowMs() + laterMs).toISOString().slice(0, 19)}Z`;
  }

  #newUid(): string {
    const digits = (count: number) =>
      Array.from({ length: count }, () => Math.floor(this.#options.random() * 16).toString(16)).join('');
    return [8, 4, 4, 4, 12].map(digits).join('-');
  }
}

function mustKnow(resource: string): ApiKind {
  const kind = findKind(resource);
  if (kind === undefined) throw new ApiRefusal(404, 'NotFound', 'the server could not find the requested resource');
  return kind;
}

function mustMatch(live: ApiObject, on: ApiPrecondition, verb: 'update' | 'patch' | 'delete'): void {
  const { uid, resourceVersion, name } = live.metadata;
  if (on.uid !== undefined && on.uid !== uid) {
    const message = `Precondition failed: UID in precondition: ${on.uid}, UID in object meta: ${uid}`;
    if (verb !== 'patch') throw new ApiRefusal(409, 'Conflict', message);
    const cause = { reason: 'FieldValueInvalid', message: 'field is immutable', field: 'metadata.uid' };
    throw new ApiRefusal(422, 'Invalid', `"${name}" is invalid: metadata.uid: field is immutable`, [cause]);
  }
  const wanted = on.resourceVersion ?? '';
  if (wanted !== '' && wanted !== resourceVersion)
    throw new ApiRefusal(409, 'Conflict', `"${name}": the object has been modified; please apply your changes`);
}

function withStatus(live: ApiObject, status: Json | undefined): ApiObject {
  const { status: _, ...rest } = live;
  return status === undefined ? rest : { ...rest, status };
}

function withoutStatus(kind: ApiKind, live: ApiObject, next: ApiInput): ApiObject {
  const { metadata = {}, ...body } = next;
  const { status: _, ...rest } = body;
  const old = live.metadata;
  const status = kind.hasStatus ? live.status : next.status;
  const isNewSpec = kind.countsGenerations && !isSame(next.spec, live.spec);
  return {
    ...rest,
    ...(live.apiVersion === undefined ? {} : { apiVersion: live.apiVersion }),
    ...(live.kind === undefined ? {} : { kind: live.kind }),
    metadata: {
      name: old.name,
      ...(old.namespace === undefined ? {} : { namespace: old.namespace }),
      ...owned(metadata),
      uid: old.uid,
      resourceVersion: old.resourceVersion,
      creationTimestamp: old.creationTimestamp,
      ...(old.generation === undefined ? {} : { generation: old.generation + (isNewSpec ? 1 : 0) }),
      ...(old.deletionTimestamp === undefined ? {} : { deletionTimestamp: old.deletionTimestamp }),
      ...(old.deletionGracePeriodSeconds === undefined
        ? {}
        : { deletionGracePeriodSeconds: old.deletionGracePeriodSeconds }),
      ...finalizersOf(metadata.finalizers ?? []),
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** The part of the metadata that is its writer's. Empty maps and lists are not kept. */
function owned({
  labels,
  annotations,
  ownerReferences,
}: Partial<ApiMeta>): Pick<ApiMeta, 'labels' | 'annotations' | 'ownerReferences'> {
  return {
    ...(labels === undefined || Object.keys(labels).length === 0 ? {} : { labels }),
    ...(annotations === undefined || Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(ownerReferences === undefined || ownerReferences.length === 0 ? {} : { ownerReferences }),
  };
}

function finalizersOf(finalizers: readonly string[]): Pick<ApiMeta, 'finalizers'> {
  return finalizers.length === 0 ? {} : { finalizers };
}

function initialStatus(kind: ApiKind): Json | undefined {
  return kind.plural === 'pods' || kind.plural === 'persistentvolumeclaims' ? { phase: 'Pending' } : undefined;
}

/** A Pod that no host runs yet goes at once. */
function graceOf(live: ApiObject, graceSeconds: number | undefined): number {
  if (live.spec?.nodeName === undefined) return 0;
  const own = live.spec.terminationGracePeriodSeconds;
  return graceSeconds ?? (typeof own === 'number' ? own : 30);
}

function configurationOf(input: ApiInput): unknown {
  const { metadata = {}, status: _, ...rest } = input;
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  return {
    ...rest,
    metadata: {
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
  };
}
