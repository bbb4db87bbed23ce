// Requests to the API server in memory as on the wire: paths, queries, bodies, and Status objects as answers. A client
// of the real API server works with this unchanged.

import { API_KINDS, type ApiKind, findKind, resourceOfKind } from './api-kinds.ts';
import { isRecord } from './api-merge.ts';
import { type ApiInput, type ApiObject, type ApiRef, ApiRefusal } from './api-object.ts';
import type { MemoryApiServer } from './api-server.ts';
import { matches, selectorOf } from './selectors.ts';

export interface WireRequest {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete';
  /** With the query. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string | undefined;
}

export interface WireAnswer {
  readonly code: number;
  /** JSON. */
  readonly text: string;
}

/** What a path names. */
export interface Target {
  readonly kind: ApiKind;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

/** Executes a request. Never throws for anything that a client may send. */
export function answerRequest(server: MemoryApiServer, request: WireRequest): WireAnswer {
  try {
    const offered = offeredAt(server, request);
    if (offered !== undefined) return { code: 200, text: JSON.stringify(offered) };
    const target = parsePath(request.path);
    const answer = carryOut(server, request, target);
    return { code: request.verb === 'create' ? 201 : 200, text: answer };
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    return { code: error.code, text: JSON.stringify(statusOf(error)) };
  }
}

/** Discovery of the core group; undefined for any other request. */
function offeredAt(server: MemoryApiServer, { verb, path }: WireRequest): object | undefined {
  if (verb !== 'get' || path !== '/api/v1') return undefined;
  const names = API_KINDS.flatMap(({ group, plural, hasStatus }) => {
    if (group !== '') return [];
    const resize = plural === 'pods' && server.offersResize ? [`${plural}/resize`] : [];
    return [plural, ...(hasStatus ? [`${plural}/status`] : []), ...resize];
  });
  return { kind: 'APIResourceList', groupVersion: 'v1', resources: names.map((name) => ({ name })) };
}

/** @throws ApiRefusal 404 for a path that leads nowhere */
export function parsePath(path: string): Target {
  const [route = '', query = ''] = path.split('?', 2);
  const parts = route.split('/').filter((part) => part !== '');
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3).map(decodeURIComponent);
  const group = parts[0] === 'api' ? '' : (parts[1] ?? '');
  const namespace = rest[0] === 'namespaces' && rest.length > 2 ? rest[1] : undefined;
  const [plural = '', name, subresource] = namespace === undefined ? rest : rest.slice(2);
  const kind = findKind(group === '' ? plural : `${plural}.${group}`);
  if (kind === undefined) throw new ApiRefusal(404, 'NotFound', 'the server could not find the requested resource');
  return { kind, resource: resourceOfKind(kind), namespace, name, subresource, query: new URLSearchParams(query) };
}

/** Only the selectors that are needed: equality and absence from a set for labels, equality for fields.
 *  @throws ApiRefusal 400 for a field that cannot be selected by, and for any other operator */
export function selects(target: Target, object: ApiObject): boolean {
  if (target.namespace !== undefined && object.metadata.namespace !== target.namespace) return false;
  const labelText = target.query.get('labelSelector') ?? '';
  const selector = selectorOf(labelText);
  if (selector === undefined) throw new ApiRefusal(400, 'BadRequest', `not simulated: ${labelText}`);
  const pairs = (text: string | null) => {
    if (text !== null && /[ !()]|^[^=]+$/.test(text)) throw new ApiRefusal(400, 'BadRequest', `not simulated: ${text}`);
    return (text ?? '').split(',').filter((pair) => pair !== '');
  };
  return (
    matches(selector, object.metadata.labels) &&
    pairs(target.query.get('fieldSelector')).every((pair) => {
      const [field = '', value = ''] = pair.split('=', 2);
      if (!target.kind.selectableFields.includes(field))
        throw new ApiRefusal(400, 'BadRequest', `field label not supported: ${field}`);
      return String(fieldOf(object, field) ?? '') === value;
    })
  );
}

function fieldOf(object: ApiObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);
}

/** An object as JSON, with the type of its kind, which not all stored objects carry. Stored objects never change and go
 *  to the writer and all watches: each is serialised once. */
export function textOf(kind: ApiKind, object: ApiObject): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify({ ...object, ...typeOf(kind) });
  texts.set(object, text);
  return text;
}

const texts = new WeakMap<ApiObject, string>();

export function typeOf({ group, version, kind }: ApiKind): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind };
}

/** @throws ApiRefusal 404 for a subresource that this kind lacks */
function halfOf({ subresource, resource }: Target): 'spec' | 'status' | 'resize' {
  if (subresource !== 'resize') return subresource === 'status' ? 'status' : 'spec';
  if (resource === 'pods') return 'resize';
  throw new ApiRefusal(404, 'NotFound', 'the server could not find the requested resource');
}

/** @returns JSON */
function carryOut(server: MemoryApiServer, request: WireRequest, target: Target): string {
  const { kind, resource, namespace, name } = target;
  const ref: ApiRef = { namespace, name: name ?? '' };
  const half = halfOf(target);
  switch (request.verb) {
    case 'get':
      return textOf(kind, server.get(resource, ref));
    case 'list':
      return JSON.stringify({
        kind: `${kind.kind}List`,
        metadata: { resourceVersion: String(server.version) },
        items: server.list(resource).filter((object) => selects(target, object)),
      });
    case 'create':
      return textOf(kind, server.create(resource, inputOf(request, namespace)));
    case 'update':
      return textOf(kind, server.update(resource, inputOf(request, namespace), half));
    case 'patch':
      if (request.contentType?.includes('apply') === true) {
        const manager = target.query.get('fieldManager') ?? 'unknown';
        const isForced = target.query.get('force') === 'true';
        return textOf(kind, server.apply(resource, manager, inputOf(request, namespace), isForced));
      }
      return textOf(
        kind,
        server.patch(resource, ref, inputOf(request, namespace), half, target.query.get('dryRun') === 'All'),
      );
    case 'delete':
      return remove(server, request, kind, ref);
  }
}

function remove(server: MemoryApiServer, request: WireRequest, kind: ApiKind, ref: ApiRef): string {
  const options = (request.body ?? {}) as {
    readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
    readonly gracePeriodSeconds?: number;
    readonly propagationPolicy?: string;
  };
  const resource = resourceOfKind(kind);
  const isOrphaning = options.propagationPolicy === 'Orphan';
  const last = server.remove(resource, ref, options.preconditions ?? {}, options.gracePeriodSeconds, isOrphaning);
  const isThere = server.find(resource, ref)?.metadata.uid === last.metadata.uid;
  if (isThere || kind.answersDeleteWithObject) return textOf(kind, last);
  return JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: ref.name },
  });
}

/** The body as if parsed from JSON: a copy, in which undefined is absent. */
function inputOf({ body }: WireRequest, namespace: string | undefined): ApiInput {
  const input: ApiInput = JSON.parse(JSON.stringify(body ?? {}));
  return { ...input, metadata: { ...input.metadata, ...(namespace === undefined ? {} : { namespace }) } };
}

export function statusOf({ code, reason, message, causes }: ApiRefusal): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    reason,
    message,
    ...(causes.length === 0 ? {} : { details: { causes } }),
  };
}
