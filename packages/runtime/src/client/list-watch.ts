// The two ways to read a whole kind, pages of a list and lines of a watch: paths, queries and parsing.
// reflector-scope.ts decides what is followed, and what happens when a stream ends.
import { TransportError } from '../errors/errors.ts';
import type { StreamRequest, Transport } from '../http/transport.ts';
import type { Kind, KubeObject, ObjectMeta } from '../objects/kinds.ts';
import { collectionPath, metricResource, subjectOf, withQuery } from './paths.ts';

/** What is listed or watched. */
export interface Selection {
  /** Undefined = all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** The same on every page: they are one consistent snapshot. */
  readonly resourceVersion: string;
  readonly isLast: boolean;
}

/** Pages keep one answer, and one JSON.parse, small (500 Pods are about 4 MB and 25 ms). */
const PAGE_SIZE = 500;

interface ListBody<T> {
  readonly items?: readonly T[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

/** A consistent list (no resourceVersion: read through to etcd's latest). @throws ApiError 410 when it took so long
 *  that the snapshot is gone */
export async function* listPages<T extends KubeObject>(
  transport: Transport,
  kind: Kind<T>,
  selection: Selection,
  call: { readonly timeoutMs?: number | undefined; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Page<T>> {
  const { namespace, labelSelector, fieldSelector } = selection;
  let next: string | undefined;
  do {
    const query = { labelSelector, fieldSelector, limit: PAGE_SIZE, continue: next };
    const body: ListBody<T> = await transport.request<ListBody<T>>({
      verb: 'list',
      path: withQuery(collectionPath(kind, namespace), query),
      resource: metricResource(kind),
      subject: subjectOf(kind, { namespace }),
      ...call,
    });
    next = body.metadata.continue || undefined;
    yield {
      items: body.items ?? [],
      resourceVersion: body.metadata.resourceVersion,
      isLast: next === undefined,
    };
  } while (next !== undefined);
}

/** From a version on, or with the whole state first (WatchList, consistent since no resourceVersion is given). */
export type WatchStart = { readonly resourceVersion: string } | 'initial-events';

/** @param timeoutSeconds after which the server ends the stream; vary it, so that clients do not reconnect together */
export function watchRequest(
  kind: Kind<KubeObject>,
  selection: Selection,
  start: WatchStart,
  timeoutSeconds: number,
): Pick<StreamRequest, 'path' | 'resource' | 'subject'> {
  const { namespace, labelSelector, fieldSelector } = selection;
  const from =
    start === 'initial-events'
      ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
      : { resourceVersion: start.resourceVersion };
  const query = { watch: true, allowWatchBookmarks: true, timeoutSeconds, labelSelector, fieldSelector, ...from };
  return {
    path: withQuery(collectionPath(kind, namespace), query),
    resource: metricResource(kind),
    subject: subjectOf(kind, { namespace }),
  };
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: WatchedObject }
  | { readonly type: 'BOOKMARK'; readonly object: WatchedObject }
  | { readonly type: 'ERROR'; readonly object: object };

export interface WatchedObject extends KubeObject {
  readonly metadata: ObjectMeta & { managedFields?: unknown; readonly name: string; readonly resourceVersion: string };
}

/** Parses synchronously and sets managedFields to undefined (deleting the property would cost the object its shape and
 *  700 bytes). @throws TransportError for anything that is not an event: a line is never skipped */
export function parseEvent(line: Buffer, request: { readonly path: string; readonly subject: string }): WatchEvent {
  const broken = (why: string, cause?: unknown): TransportError =>
    new TransportError(`watch ${request.subject}: ${why}`, {
      verb: 'watch',
      path: request.path,
      phase: 'truncated',
      cause,
    });
  let event: { readonly type?: unknown; readonly object?: WatchedObject };
  try {
    event = JSON.parse(line.toString('utf8'));
  } catch (cause) {
    throw broken(`a line of ${line.length} bytes is not JSON`, cause);
  }
  const { type, object } = event ?? {};
  if (typeof object !== 'object' || object === null) throw broken('an event without object');
  if (type === 'ERROR') return { type, object };
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED' && type !== 'BOOKMARK') {
    throw broken('an event of unknown type');
  }
  if (typeof object.metadata?.resourceVersion !== 'string') throw broken('an event without resourceVersion');
  if (object.metadata.managedFields !== undefined) object.metadata.managedFields = undefined;
  return { type, object };
}

/** The bookmark that ends the initial events of a WatchList. */
export function isInitialEventsEnd(event: WatchEvent): boolean {
  return event.type === 'BOOKMARK' && event.object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
}
