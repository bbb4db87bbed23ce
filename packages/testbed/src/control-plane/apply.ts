// Server-side apply of manifest files, in their order, as `kubectl apply --server-side --force-conflicts` would,
// without its start-up time. The API server is asked once per group version for the paths of kinds. CRDs are waited for
// until they are served.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isNotFound, type Transport } from '@marekvs/runtime';
import { loadAll } from 'js-yaml';
import { TestbedError } from '../errors.ts';
import { stretched } from '../patience.ts';
import { listIn, propertyOf } from './untyped.ts';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface ResourceKind {
  readonly plural: string;
  readonly namespaced: boolean;
}

const FIELD_MANAGER = 'testbed';
const CRD_LIMIT_MS = 15_000;

/** Reads every manifest of the files; a folder stands for its *.yaml in order of name, without kustomization.yaml. */
export async function readManifests(paths: readonly string[]): Promise<Manifest[]> {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readFile(file, 'utf8') })));
  return texts.flatMap(({ file, text }) => toManifests(text, file));
}

/** Applies them one after the other, so that namespaces and kinds exist for what follows. Resolves when all are stored
 *  and all CRDs are served.
 *  @param options.namespace for namespaced objects that name none; default `default`
 *  @throws ApiError with the server's message */
export async function applyManifests(
  client: Pick<Transport, 'request'>,
  manifests: readonly Manifest[],
  options: { readonly namespace?: string } = {},
): Promise<void> {
  const kinds = new Map<string, Promise<ReadonlyMap<string, ResourceKind>>>();
  const crds: Manifest[] = [];
  for (const manifest of manifests) {
    const path = await pathOf(client, manifest, kinds, options.namespace ?? 'default');
    await client.request({
      verb: 'patch',
      resource: manifest.kind,
      subject: `${manifest.kind} ${manifest.metadata.name}`,
      path: `${path}?fieldManager=${FIELD_MANAGER}&force=true&fieldValidation=Strict`,
      contentType: 'application/apply-patch+yaml',
      body: manifest,
    });
    if (manifest.kind === 'CustomResourceDefinition') crds.push(manifest);
  }
  await Promise.all(crds.map((crd) => waitUntilServed(client, crd)));
}

/** What `kubectl apply -k` would apply.
 *  @param keep a file for the rendered text; when it exists, it is used and nothing is rendered
 *  @throws TestbedError with what kubectl said */
export async function renderKustomization(kubectl: string, folder: string, keep?: string): Promise<Manifest[]> {
  try {
    const kept = keep === undefined ? undefined : await readFile(keep, 'utf8').catch(() => undefined);
    const text = kept ?? (await kustomize(kubectl, folder));
    if (keep !== undefined && kept === undefined) await writeWhole(keep, text);
    return toManifests(text, folder);
  } catch (err) {
    throw new TestbedError(`kustomize ${folder}: ${err instanceof Error ? err.message : String(err)}`, { cause: err });
  }
}

async function kustomize(kubectl: string, folder: string): Promise<string> {
  const { stdout } = await run(kubectl, ['kustomize', folder], {
    timeout: stretched(20_000),
    maxBuffer: 16 * 1024 * 1024,
    env: { PATH: '/usr/bin:/bin' },
  });
  return stdout;
}

/** Written elsewhere and renamed, because others may read or write the file at any moment, in this process as well. */
async function writeWhole(file: string, text: string): Promise<void> {
  const part = `${file}.${randomUUID()}`;
  await writeFile(part, text);
  await rename(part, file);
}

const run = promisify(execFile);

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => /\.ya?ml$/.test(name) && !/^kustomization\.ya?ml$/.test(name));
  return names.sort().map((name) => join(path, name));
}

function toManifests(text: string, file: string): Manifest[] {
  return loadAll(text)
    .filter((doc) => doc !== null && doc !== undefined)
    .map((doc) => toManifest(doc, file));
}

function toManifest(doc: unknown, file: string): Manifest {
  if (isManifest(doc)) return doc;
  throw new TestbedError(`read ${file}: a document without apiVersion, kind or metadata.name`);
}

function isManifest(doc: unknown): doc is Manifest {
  if (typeof doc !== 'object' || doc === null || !('metadata' in doc) || !('apiVersion' in doc) || !('kind' in doc))
    return false;
  const { metadata } = doc;
  return (
    typeof doc.apiVersion === 'string' &&
    typeof doc.kind === 'string' &&
    typeof metadata === 'object' &&
    metadata !== null &&
    'name' in metadata &&
    typeof metadata.name === 'string'
  );
}

async function pathOf(
  client: Pick<Transport, 'request'>,
  manifest: Manifest,
  kinds: Map<string, Promise<ReadonlyMap<string, ResourceKind>>>,
  defaultNamespace: string,
): Promise<string> {
  const { apiVersion, kind, metadata } = manifest;
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const known = kinds.get(base) ?? discover(client, base);
  kinds.set(base, known);
  const resource = (await known).get(kind);
  if (resource === undefined)
    throw new TestbedError(`apply ${kind} ${metadata.name}: the API server does not know ${apiVersion} ${kind}`);
  const scope = resource.namespaced ? `/namespaces/${metadata.namespace ?? defaultNamespace}` : '';
  return `${base}${scope}/${resource.plural}/${encodeURIComponent(metadata.name)}`;
}

async function discover(client: Pick<Transport, 'request'>, base: string): Promise<ReadonlyMap<string, ResourceKind>> {
  const body = await client.request<unknown>({ verb: 'get', path: base, resource: 'discovery', subject: base });
  const found = new Map<string, ResourceKind>();
  for (const entry of listIn(body, 'resources')) {
    if (
      typeof entry !== 'object' ||
      entry === null ||
      !('name' in entry) ||
      !('kind' in entry) ||
      !('namespaced' in entry)
    )
      continue;
    const { name, kind, namespaced } = entry;
    if (typeof name !== 'string' || typeof kind !== 'string' || name.includes('/')) continue;
    found.set(kind, { plural: name, namespaced: namespaced === true });
  }
  return found;
}

/** Established is not enough: the handler appears a moment later, and until then a request gets 404. */
async function waitUntilServed(client: Pick<Transport, 'request'>, crd: Manifest): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
  const until = performance.now() + CRD_LIMIT_MS;
  while (performance.now() < until) {
    const body = await client.request<unknown>({
      verb: 'get',
      path,
      resource: 'customresourcedefinitions',
      subject: path,
    });
    if (isEstablished(body) && (await isServed(client, body))) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new TestbedError(
    `apply CustomResourceDefinition ${crd.metadata.name}: not served after ${CRD_LIMIT_MS / 1000} s`,
  );
}

function isEstablished(crd: unknown): boolean {
  return listIn(propertyOf(crd, 'status'), 'conditions').some(
    (condition) => propertyOf(condition, 'type') === 'Established' && propertyOf(condition, 'status') === 'True',
  );
}

async function isServed(client: Pick<Transport, 'request'>, crd: unknown): Promise<boolean> {
  const spec = propertyOf(crd, 'spec');
  const [version] = listIn(spec, 'versions');
  const path = `/apis/${propertyOf(spec, 'group')}/${propertyOf(version, 'name')}/${propertyOf(propertyOf(spec, 'names'), 'plural')}?limit=1`;
  try {
    await client.request<unknown>({ verb: 'get', path, resource: 'customresourcedefinitions', subject: path });
    return true;
  } catch (err) {
    if (isNotFound(err)) return false;
    throw err;
  }
}
