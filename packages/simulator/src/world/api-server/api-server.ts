// An API server in memory: identity, versions, preconditions, finalizers, graceful deletion, status apart from spec,
// apply. It has no admission of its own and no schemas. test/api-contract compares its answers with the real one's.
// Requests as on the wire are api-requests.ts; streams are api-watch.ts.

import { applyConfiguration, configurationOf } from './api-apply.ts';
import { type ApiPrecondition, fieldConflict, mustKnow, mustMatch, refuseNewFinalizers } from './api-checks.ts';
import { FieldOwners, type Fields, fieldsOf } from './api-fields.ts';
import { type ApiKind, NAMESPACES, ORPHAN, resourceOfKind } from './api-kinds.ts';
import { isSame, mergePatch } from './api-merge.ts';
import { type ApiInput, type ApiMeta, type ApiObject, type ApiRef, ApiRefusal, apiKey } from './api-object.ts';
import { refuseBeyond, resized } from './api-resize.ts';
import {
  changedHalf,
  finalizersOf,
  graceOf,
  type Half,
  initialStatus,
  losesLastFinalizer,
  owned,
  withFinalizer,
} from './api-state.ts';
import { type ApiEvent, ApiStore } from './api-store.ts';
import { serverTime } from './server-time.ts';

export interface ApiServerOptions {
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Uniform in [0, 1); only for uids. */
  readonly random: () => number;
}

const NO_FIELDS: Fields = new Map();

/** Throws ApiRefusal where the real one refuses. Everything happens synchronously and in order. */
export class MemoryApiServer {
  readonly #options: ApiServerOptions;
  readonly #store = new ApiStore();
  /** By uid, for the kinds that are applied. */
  readonly #owners = new Map<string, FieldOwners>();
  /** Admission of new objects: a world replaces it to refuse some, by throwing ApiRefusal. */
  admit: (resource: string, input: ApiInput) => void = () => {};
  /** The same for changes of existing objects. */
  admitChange: (resource: string, live: ApiObject, next: ApiInput) => void = () => {};
  /** The same for resizes of a Pod. */
  admitResize: (pod: ApiObject) => void = () => {};
  /** Whether running Pods can be resized: not before Kubernetes 1.33. */
  offersResize = true;

  constructor(options: ApiServerOptions) {
    this.#options = options;
  }

  /** Wall clock. */
  nowMs(): number {
    return this.#options.nowMs();
  }

  /** The version of the last change. */
  get version(): number {
    return this.#store.version;
  }

  /** Every change since the beginning, oldest first. */
  get history(): readonly ApiEvent[] {
    return this.#store.history;
  }

  /** Calls `listener` for every change, after it is stored and before the writer has its answer. */
  onEvent(listener: (event: ApiEvent) => void): () => void {
    return this.#store.onEvent(listener);
  }

  find(resource: string, ref: ApiRef): ApiObject | undefined {
    return this.#store.of(resource).get(apiKey(ref));
  }

  get(resource: string, ref: ApiRef): ApiObject {
    const found = this.find(resource, ref);
    if (found === undefined) throw new ApiRefusal(404, 'NotFound', `${resource} "${ref.name}" not found`);
    return found;
  }

  list(resource: string, namespace?: string): readonly ApiObject[] {
    const all = [...this.#store.of(resource).values()];
    return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
  }

  /** Every object of every kind, with its resource. */
  everything(): Iterable<readonly [resource: string, object: ApiObject]> {
    return this.#store.everything();
  }

  create(resource: string, input: ApiInput): ApiObject {
    const kind = mustKnow(resource);
    const created = this.#create(kind, resource, input);
    this.#noteWrite(kind, NO_FIELDS, created);
    return created;
  }

  #create(kind: ApiKind, resource: string, input: ApiInput): ApiObject {
    const given = input.metadata ?? {};
    const { name, namespace } = given;
    if (name === undefined || name === '') throw new ApiRefusal(422, 'Invalid', `${kind.kind}: name is required`);
    if (this.find(resource, { namespace, name }) !== undefined)
      throw new ApiRefusal(409, 'AlreadyExists', `${resource} "${name}" already exists`);
    if (kind.isNamespaced) this.#requireNamespace(namespace ?? '', name);
    this.admit(resource, input);
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
    return this.#store.put(kind, { ...rest, metadata, ...(status === undefined ? {} : { status }) }, undefined);
  }

  /** PUT of the whole object, or of its status. */
  update(resource: string, input: ApiInput, half: Half = 'spec'): ApiObject {
    const live = this.get(resource, { namespace: input.metadata?.namespace, name: input.metadata?.name ?? '' });
    mustMatch(live, input.metadata ?? {}, 'update');
    return this.#write(mustKnow(resource), live, input, half);
  }

  /** A merge patch. uid and resourceVersion in it are preconditions.
   *  @param isDryRun answers with the result without storing it */
  patch(resource: string, ref: ApiRef, patch: ApiInput, half: Half = 'spec', isDryRun = false): ApiObject {
    const kind = mustKnow(resource);
    const live = this.get(resource, ref);
    const { metadata = {} } = patch;
    if (metadata.name !== undefined && metadata.name !== ref.name)
      throw new ApiRefusal(
        400,
        'BadRequest',
        `the name of the object (${metadata.name}) does not match the name on the URL`,
      );
    const isUidIgnored = half === 'status' && kind.ignoresMetadataInStatus;
    mustMatch(live, isUidIgnored ? { resourceVersion: metadata.resourceVersion } : metadata, 'patch');
    if (half === 'resize') return this.#resize(kind, live, patch, isDryRun);
    const next = mergePatch(live, patch) as ApiObject;
    if (isDryRun) return changedHalf(kind, live, next, half);
    return this.#write(kind, live, next, half);
  }

  #resize(kind: ApiKind, live: ApiObject, patch: ApiInput, isDryRun: boolean): ApiObject {
    if (!this.offersResize) throw new ApiRefusal(404, 'NotFound', 'the server could not find the requested resource');
    const next = resized(live, patch);
    const host = this.find('nodes', { name: String(live.spec?.nodeName ?? '') });
    if (host !== undefined) refuseBeyond(host, next);
    this.admitResize(next);
    return isDryRun || next === live ? next : this.#store.put(kind, next, live);
  }

  /** Server-side apply. Creates the object if it is missing, unless a uid is given. */
  apply(resource: string, manager: string, input: ApiInput, isForced = true): ApiObject {
    const kind = mustKnow(resource);
    const ref = { namespace: input.metadata?.namespace, name: input.metadata?.name ?? '' };
    const live = this.find(resource, ref);
    const sent = fieldsOf(configurationOf(input));
    if (live === undefined) {
      if (input.metadata?.uid !== undefined)
        throw new ApiRefusal(409, 'Conflict', `${resource} "${ref.name}": uid mismatch: no existing object was found`);
      const created = this.#create(kind, resource, input);
      this.#ownersOf(created).noteApply(manager, sent, []);
      return created;
    }
    mustMatch(live, input.metadata ?? {}, 'patch');
    const owners = this.#ownersOf(live);
    const taken = owners.conflicts(manager, fieldsOf(configurationOf(live)), sent);
    if (taken.length > 0 && !isForced) throw fieldConflict(taken);
    const merged = applyConfiguration(live, configurationOf(input), owners.abandoned(manager, sent)) as ApiObject;
    const changed = this.#change(kind, live, merged, 'spec');
    const isOtherwiseOwned = owners.noteApply(manager, sent, taken);
    // Ownership is part of the object: changing only ownership makes a new version too.
    return changed === live && isOtherwiseOwned ? this.#store.put(kind, live, live) : changed;
  }

  /** @returns its last state, marked for deletion or gone
   *  @param graceSeconds undefined: the object's own */
  remove(
    resource: string,
    ref: ApiRef,
    on: ApiPrecondition = {},
    graceSeconds?: number,
    isOrphaning = false,
  ): ApiObject {
    const kind = mustKnow(resource);
    const found = this.get(resource, ref);
    mustMatch(found, on, 'delete');
    const live = isOrphaning ? withFinalizer(found, ORPHAN) : found;
    if (resource === NAMESPACES) return this.#removeNamespace(kind, live);
    const grace = kind.isGraceful ? graceOf(live, graceSeconds) : 0;
    const { metadata } = live;
    const hasFinalizers = (metadata.finalizers ?? []).length > 0;
    if (!kind.isGraceful && !hasFinalizers) return this.#drop(kind, live);
    const isMarked = metadata.deletionTimestamp !== undefined;
    if (isMarked && grace >= (metadata.deletionGracePeriodSeconds ?? 0)) return live;
    const marked = {
      ...metadata,
      deletionTimestamp: this.#now(grace * 1_000),
      deletionGracePeriodSeconds: grace,
      ...(metadata.generation === undefined || isMarked ? {} : { generation: metadata.generation + 1 }),
    };
    const stored = this.#store.put(kind, { ...live, metadata: marked }, live);
    return grace > 0 || hasFinalizers ? stored : this.#drop(kind, stored);
  }

  /** Removes a namespace that is being deleted, once its content is gone. */
  finalizeNamespace(name: string): void {
    this.#drop(mustKnow(NAMESPACES), this.get(NAMESPACES, { name }));
  }

  #removeNamespace(kind: ApiKind, live: ApiObject): ApiObject {
    if (live.metadata.deletionTimestamp !== undefined) return live;
    const metadata = { ...live.metadata, deletionTimestamp: this.#now() };
    return this.#store.put(kind, { ...live, metadata, status: { ...live.status, phase: 'Terminating' } }, live);
  }

  #requireNamespace(namespace: string, name: string): void {
    const found = this.find(NAMESPACES, { name: namespace });
    if (found === undefined) throw new ApiRefusal(404, 'NotFound', `namespaces "${namespace}" not found`);
    if (found.metadata.deletionTimestamp === undefined) return;
    const message = `namespace ${namespace} is being terminated`;
    const cause = { reason: 'NamespaceTerminating', message, field: 'metadata.namespace' };
    throw new ApiRefusal(403, 'Forbidden', `"${name}" is forbidden: unable to create new content: ${message}`, [cause]);
  }

  #write(kind: ApiKind, live: ApiObject, next: ApiInput, half: Half): ApiObject {
    if (half === 'spec') this.admitChange(resourceOfKind(kind), live, next);
    const changed = this.#change(kind, live, next, half);
    if (half === 'spec' && changed !== live) this.#noteWrite(kind, live, changed);
    return changed;
  }

  #noteWrite(kind: ApiKind, before: ApiObject | Fields, after: ApiObject): void {
    if (!kind.isApplied) return;
    const fieldsBefore = before instanceof Map ? before : fieldsOf(configurationOf(before as ApiObject));
    this.#ownersOf(after).noteWrite(fieldsBefore, fieldsOf(configurationOf(after)));
  }

  #ownersOf({ metadata }: ApiObject): FieldOwners {
    const known = this.#owners.get(metadata.uid) ?? new FieldOwners();
    this.#owners.set(metadata.uid, known);
    return known;
  }

  #change(kind: ApiKind, live: ApiObject, next: ApiInput, half: Half): ApiObject {
    const changed = changedHalf(kind, live, next, half);
    if (isSame(changed, live)) return live;
    const { metadata } = changed;
    if (metadata.deletionTimestamp !== undefined) refuseNewFinalizers(live, metadata.finalizers ?? []);
    if (!losesLastFinalizer(kind, live, changed)) return this.#store.put(kind, changed, live);
    // The write itself is never stored: watches see the deletion with the state before it.
    this.#drop(kind, live);
    return changed;
  }

  #drop(kind: ApiKind, object: ApiObject): ApiObject {
    this.#owners.delete(object.metadata.uid);
    return this.#store.drop(kind, object);
  }

  /** Whole seconds, as in times of the real API server. */
  #now(laterMs = 0): string {
    return serverTime(this.#options.nowMs() + laterMs);
  }

  #newUid(): string {
    const digits = (count: number) =>
      Array.from({ length: count }, () => Math.floor(this.#options.random() * 16).toString(16)).join('');
    return [8, 4, 4, 4, 12].map(digits).join('-');
  }
}
