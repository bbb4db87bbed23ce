// Restores an API server to its state before a guest used it: everything created since is deleted, whatever its kind
// and finalizers, and what was there before must be unchanged. Reports whether that succeeded; the owner decides what
// to do otherwise.
import { isNotFound, type Transport } from '@marekvs/runtime';
import { stretched } from '../patience.ts';
import { listIn, propertyOf } from './untyped.ts';

interface Kind {
  /** `/api/v1`, `/apis/apps/v1` */
  readonly base: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly canDeleteAll: boolean;
}

interface Found {
  readonly kind: Kind;
  /** Path of the object, from the server's root. */
  readonly path: string;
  readonly uid: string;
  /** The object as text, without its status and the fields that the server counts. */
  readonly content: string;
  readonly namespace: string;
  readonly hasFinalizers: boolean;
  readonly object: object;
  /** Path of all objects of its kind in its namespace; undefined where they cannot be deleted in one request. */
  readonly collection: string | undefined;
}

export interface Slate {
  /** @returns what was changed or removed, or cannot be deleted within the limit; undefined when all is as before */
  wipe(): Promise<string | undefined>;
}

const WIPE_LIMIT_MS = 15_000;
const RECHECK_MS = 100;
/** Resources that the server maintains itself, from other objects or for its own use. */
const OF_THE_SERVER: ReadonlySet<string> = new Set([
  'componentstatuses',
  'apiservices',
  'ipaddresses',
  'servicecidrs',
  'endpointslices',
  'endpoints',
]);
const GROUPS_OF_THE_SERVER = /^\/apis\/(?:events\.k8s\.io|flowcontrol\.apiserver\.k8s\.io|metrics\.k8s\.io)\//;
const NAMESPACES_OF_THE_SERVER: ReadonlySet<string> = new Set(['kube-system', 'kube-public', 'kube-node-lease']);
const MERGE_PATCH = 'application/merge-patch+json';

/** Records the present state, to which `wipe` goes back. */
export async function takeSlate(client: Pick<Transport, 'request'>): Promise<Slate> {
  const before = new Map((await listAll(client, await listKinds(client))).map((found) => [found.path, found]));
  return {
    async wipe() {
      const startedAt = performance.now();
      const all = await listKinds(client);
      // There are sixty kinds, most of them untouched: only the first and the last pass read all of them.
      let kinds = all;
      for (;;) {
        const now = await listAll(client, kinds);
        const extra = now.filter(({ path, uid }) => before.get(path)?.uid !== uid);
        const spent = now.filter((found) => isSpent(found, before.get(found.path)));
        if (extra.length === 0 && spent.length === 0) {
          if (kinds === all) return differenceOf(now, before);
          kinds = all;
          continue;
        }
        if (performance.now() - startedAt > stretched(WIPE_LIMIT_MS))
          return `stays: ${[...extra, ...spent].map(({ path }) => path).join(', ')}`;
        const left = new Set([...extra, ...spent].map(({ kind }) => kind));
        kinds = all.filter((kind) => left.has(kind));
        await removeAll(client, extra);
        await Promise.all(spent.map((found) => restore(client, found, before.get(found.path))));
        await new Promise((resolve) => setTimeout(resolve, RECHECK_MS));
      }
    },
  };
}

/** A shipped Lease is meant to be written by whatever leads, so it is the only kind that is put back. Anything else
 *  that a guest has changed may stay in effect in the server's caches for a moment. */
function isSpent(found: Found, was: Found | undefined): boolean {
  return found.path.includes('/leases/') && was?.uid === found.uid && was.content !== found.content;
}

async function restore(client: Pick<Transport, 'request'>, found: Found, was: Found | undefined): Promise<void> {
  const resourceVersion = propertyOf(propertyOf(found.object, 'metadata'), 'resourceVersion');
  const metadata = { ...(propertyOf(was?.object, 'metadata') as object), resourceVersion, managedFields: null };
  const body = { ...was?.object, metadata };
  await client
    .request({ verb: 'update', path: found.path, resource: 'clean slate', subject: found.path, body })
    .catch(() => undefined);
}

function differenceOf(now: readonly Found[], before: ReadonlyMap<string, Found>): string | undefined {
  const here = new Set(now.map(({ path }) => path));
  const gone = [...before.keys()].filter((path) => !here.has(path)).map((path) => `gone: ${path}`);
  const changed = now.filter(({ path, content }) => before.get(path)?.content !== content);
  const all = [...gone, ...changed.map(({ path }) => `changed: ${path}`)];
  return all.length === 0 ? undefined : all.join(', ');
}

/** Deletes the contents of a namespace first, and the namespace in a later pass: nothing can be changed in a namespace
 *  that is gone. When a whole namespace goes, each kind takes one request: a long journey has hundreds of events. */
async function removeAll(client: Pick<Transport, 'request'>, extra: readonly Found[]): Promise<void> {
  const inside = extra.filter(({ namespace }) => namespace !== '');
  const outside = new Set(extra.filter(({ namespace }) => namespace === '').map(({ path }) => path));
  const inOne = (found: Found): boolean =>
    found.collection !== undefined && !found.hasFinalizers && outside.has(`/api/v1/namespaces/${found.namespace}`);
  const collections = new Set(inside.flatMap((found) => (inOne(found) ? [found.collection ?? ''] : [])));
  await Promise.all([
    ...inside.filter((found) => !inOne(found)).map((found) => remove(client, found)),
    ...[...collections].map((path) => remove(client, { path, hasFinalizers: false })),
  ]);
  const full = new Set(inside.map(({ namespace }) => `/api/v1/namespaces/${namespace}`));
  const free = extra.filter(({ namespace, path }) => namespace === '' && !full.has(path));
  await Promise.all(free.map((found) => remove(client, found)));
}

async function remove(
  client: Pick<Transport, 'request'>,
  { path, hasFinalizers }: Pick<Found, 'path' | 'hasFinalizers'>,
): Promise<void> {
  const about = { path, resource: 'clean slate', subject: path };
  try {
    const how = 'gracePeriodSeconds=0&propagationPolicy=Background';
    await client.request({ ...about, verb: 'delete', path: `${path}?${how}` });
    // Only after the delete: a controller would add them again to an object that is not being deleted.
    if (hasFinalizers) {
      const body = { metadata: { finalizers: null } };
      await client.request({ ...about, verb: 'patch', contentType: MERGE_PATCH, body });
    }
    if (path.startsWith('/api/v1/namespaces/') && path.split('/').length === 5) {
      const name = path.split('/').at(-1);
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers: [] } };
      await client.request({ ...about, verb: 'update', path: `${path}/finalize`, body });
    }
  } catch {
    // The object is gone meanwhile, or the request was refused: the next pass shows which.
  }
}

async function listAll(client: Pick<Transport, 'request'>, kinds: readonly Kind[]): Promise<readonly Found[]> {
  return (await Promise.all(kinds.map((kind) => listKind(client, kind)))).flat();
}

async function listKind(client: Pick<Transport, 'request'>, kind: Kind): Promise<readonly Found[]> {
  const path = `${kind.base}/${kind.plural}`;
  const list = await client
    .request<unknown>({ verb: 'list', path, resource: kind.plural, subject: path })
    .catch((err: unknown) => {
      // The kind was just removed.
      if (isNotFound(err)) return {};
      throw err;
    });
  return listIn(list, 'items')
    .map((object) => toFound(kind, object))
    .filter(({ namespace, path: own }) => !NAMESPACES_OF_THE_SERVER.has(namespace) && own !== DEFAULT_SERVICE);
}

const DEFAULT_SERVICE = '/api/v1/namespaces/default/services/kubernetes';

function toFound(kind: Kind, object: unknown): Found {
  const { base, plural, namespaced, canDeleteAll } = kind;
  const metadata = propertyOf(object, 'metadata');
  const name = String(propertyOf(metadata, 'name'));
  const namespace = namespaced ? String(propertyOf(metadata, 'namespace')) : '';
  const scope = namespaced ? `/namespaces/${namespace}` : '';
  return {
    kind,
    path: `${base}${scope}/${plural}/${encodeURIComponent(name)}`,
    uid: String(propertyOf(metadata, 'uid')),
    content: JSON.stringify(withoutCounts(object)),
    namespace,
    hasFinalizers: listIn(metadata, 'finalizers').length > 0,
    object: { ...(object as object) },
    collection: namespaced && canDeleteAll ? `${base}${scope}/${plural}` : undefined,
  };
}

function withoutCounts(object: unknown): object {
  const { metadata, status, ...rest } = { metadata: {}, status: undefined, ...(object as object) };
  const { resourceVersion, managedFields, generation, ...kept } = {
    resourceVersion: undefined,
    managedFields: undefined,
    generation: undefined,
    ...metadata,
  };
  // The rules of an aggregated role follow those of other roles.
  const made = propertyOf(object, 'aggregationRule') === undefined ? {} : { rules: undefined };
  return { ...rest, ...made, metadata: kept };
}

async function listKinds(client: Pick<Transport, 'request'>): Promise<readonly Kind[]> {
  const groups = listIn(await get(client, '/apis'), 'groups');
  const bases = groups.map((group) => `/apis/${propertyOf(propertyOf(group, 'preferredVersion'), 'groupVersion')}`);
  const found = await Promise.all(
    ['/api/v1', ...bases]
      .filter((base) => !GROUPS_OF_THE_SERVER.test(`${base}/`))
      .map(async (base) => listIn(await get(client, base), 'resources').map((resource) => ({ base, resource }))),
  );
  return found
    .flat()
    .filter(({ resource }) => ['list', 'delete'].every((verb) => listIn(resource, 'verbs').includes(verb)))
    .map(({ base, resource }) => ({
      base,
      plural: String(propertyOf(resource, 'name')),
      namespaced: propertyOf(resource, 'namespaced') === true,
      canDeleteAll: listIn(resource, 'verbs').includes('deletecollection'),
    }))
    .filter(({ plural }) => !OF_THE_SERVER.has(plural));
}

function get(client: Pick<Transport, 'request'>, path: string): Promise<unknown> {
  return client.request<unknown>({ verb: 'get', path, resource: 'discovery', subject: path });
}
