// The KubeClient over a transport: builds the request for each read or write of a single object.
import { isGone } from '../errors/errors.ts';
import type { Transport } from '../http/transport.ts';
import { apiVersionOf, type Kind, type KubeObject, type ObjectMeta, pods, type Stored } from '../objects/kinds.ts';
import type { KubeClient, ListOptions, MergePatch, ObjectRef, Precondition, WriteOptions } from './kube-client.ts';
import { listPages } from './list-watch.ts';
import { collectionPath, metricResource, objectPath, type Query, subjectOf, withQuery } from './paths.ts';

export interface ClientOptions {
  /** Default: the server's (`Warn`). */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
}

export function createClient(transport: Transport, opts: ClientOptions = {}): KubeClient {
  const { fieldValidation } = opts;

  /** Sends one write. `subresource` goes into the path and into the resource label of the metrics. */
  function send<A>(
    verb: 'create' | 'update' | 'patch' | 'delete',
    kind: Kind<KubeObject>,
    ref: ObjectRef,
    call: WriteOptions,
    request: {
      readonly body: unknown;
      readonly subresource?: 'status' | 'resize';
      readonly query?: Query;
      readonly type?: string;
    },
  ): Promise<A> {
    const path = verb === 'create' ? collectionPath(kind, ref.namespace) : objectPath(kind, ref, request.subresource);
    return transport.request<A>({
      verb,
      path: withQuery(path, {
        // A delete carries its options in the body; the server then ignores the query.
        ...(verb === 'delete' ? {} : { fieldValidation, ...(call.dryRun === true ? { dryRun: 'All' } : {}) }),
        ...request.query,
      }),
      resource: metricResource(kind, request.subresource),
      subject: subjectOf(kind, ref),
      body: request.body,
      contentType: request.type,
      timeoutMs: call.timeoutMs,
      signal: call.signal,
    });
  }

  async function listOnce<T extends KubeObject>(
    kind: Kind<T>,
    { namespace, labelSelector, fieldSelector, timeoutMs, signal }: ListOptions,
  ): Promise<{ items: Stored<T>[]; resourceVersion: string }> {
    const items: Stored<T>[] = [];
    for await (const page of listPages(
      transport,
      kind,
      { namespace, labelSelector, fieldSelector },
      { timeoutMs, signal },
    )) {
      for (const item of page.items) items.push(withType(kind, item) as Stored<T>);
      if (page.isLast) return { items, resourceVersion: page.resourceVersion };
    }
    throw new Error('unreachable: the last page returns');
  }

  return {
    async get(kind, ref, call = {}) {
      return await transport.request({
        verb: 'get',
        path: objectPath(kind, ref),
        resource: metricResource(kind),
        subject: subjectOf(kind, ref),
        timeoutMs: call.timeoutMs,
        signal: call.signal,
      });
    },

    async list(kind, call = {}) {
      try {
        return await listOnce(kind, call);
      } catch (error) {
        // The continue token expired between two pages of a long list: start over once.
        if (!isGone(error)) throw error;
        return await listOnce(kind, call);
      }
    },

    async create(kind, object, call = {}) {
      refuseGeneratedName(kind, object.metadata);
      return await send('create', kind, object.metadata, call, { body: withType(kind, object) });
    },

    async update(kind, object, call = {}) {
      requirePrecondition(kind, object.metadata);
      return await send('update', kind, object.metadata, call, { body: withType(kind, object) });
    },

    async updateStatus(kind, object, call = {}) {
      requirePrecondition(kind, object.metadata);
      return await send('update', kind, object.metadata, call, { body: withType(kind, object), subresource: 'status' });
    },

    async patch(kind, ref, patch, precondition, { dryRun, ...call } = {}) {
      return await send('patch', kind, ref, call, {
        body: guarded(kind, patch, precondition),
        type: 'application/merge-patch+json',
        ...(dryRun === true ? { query: { dryRun: 'All' } } : {}),
      });
    },

    async patchStatus(kind, ref, patch, precondition, call = {}) {
      return await send('patch', kind, ref, call, {
        body: guarded(kind, patch, precondition),
        type: 'application/merge-patch+json',
        subresource: 'status',
      });
    },

    async resizePod(ref, containers, precondition, call = {}) {
      return await send('patch', pods, ref, call, {
        body: guarded(pods, { spec: { containers } }, precondition),
        // A merge patch would replace the whole list of containers.
        type: 'application/strategic-merge-patch+json',
        subresource: 'resize',
      });
    },

    async offered({ group, version }, call = {}) {
      const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      const { resources } = await transport.request<{ readonly resources: readonly { readonly name: string }[] }>({
        verb: 'get',
        path,
        resource: 'discovery',
        subject: path,
        timeoutMs: call.timeoutMs,
        signal: call.signal,
      });
      return resources.map(({ name }) => name);
    },

    async apply(kind, object, { fieldManager, force, uid, onlyCreate, subresource, ...call }) {
      refuseGeneratedName(kind, object.metadata);
      const resourceVersion = onlyCreate === true ? VERSION_OF_NOTHING : call.resourceVersion;
      const metadata = {
        ...object.metadata,
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
      return await send('patch', kind, object.metadata, call, {
        body: withType(kind, { ...object, metadata }),
        type: 'application/apply-patch+yaml',
        query: { fieldManager, ...(force === true ? { force } : {}) },
        ...(subresource === undefined ? {} : { subresource }),
      });
    },

    async delete(kind, ref, { uid, resourceVersion }, { gracePeriodSeconds, propagationPolicy, ...call } = {}) {
      if (uid === '') throw new TypeError(`delete ${subjectOf(kind, ref)}: the uid is missing`);
      const body = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid, resourceVersion },
        gracePeriodSeconds,
        propagationPolicy,
        ...(call.dryRun === true ? { dryRun: ['All'] } : {}),
      };
      return await send('delete', kind, ref, call, { body });
    },
  };
}

/** The first revision of etcd, which exists before any object: no object ever carries it, so a write with it conflicts
 *  with every existing object. A missing object has no version to compare with (checked by the API contract). */
const VERSION_OF_NOTHING = '1';

function withType<O extends object>(kind: Kind<KubeObject>, object: O): O & { apiVersion: string; kind: string } {
  return { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind };
}

/** With a generated name a lost answer does harm: the retry creates a second object (W1 of
 *  docs/design/runtime.md#write-fences). */
function refuseGeneratedName(kind: Kind<KubeObject>, metadata: ObjectMeta): void {
  if (metadata.generateName !== undefined || !metadata.name) {
    throw new TypeError(`create ${kind.kind}: a name of our own choice is required, generateName is refused`);
  }
}

/** Types can be cast away, and an empty precondition would make the write unconditional. */
function requirePrecondition(kind: Kind<KubeObject>, metadata: ObjectMeta): void {
  if (!metadata.uid || !metadata.resourceVersion) {
    throw new TypeError(`write ${kind.kind} ${metadata.name}: uid and resourceVersion are required`);
  }
}

function guarded(kind: Kind<KubeObject>, patch: MergePatch, { uid, resourceVersion }: Precondition): MergePatch {
  requirePrecondition(kind, { uid, resourceVersion });
  const metadata = typeof patch.metadata === 'object' && patch.metadata !== null ? patch.metadata : {};
  return { ...patch, metadata: { ...metadata, uid, resourceVersion } };
}
