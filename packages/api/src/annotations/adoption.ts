// The request to take over the members of a StatefulSet: written by `kubectl mkv adopt` as one annotation of the
// cluster, before the StatefulSet gives up its Pods, so that everything is known even when a Pod ends in between
// (docs/decisions/adopting-and-releasing.md).

import { ANNOTATIONS } from '../names/labels.ts';
import { parseNodeIdText } from '../names/names.ts';

export interface AdoptionRequest {
  /** Of the MarekvsCluster that takes the members over: a request that was copied to another cluster is ignored. */
  readonly clusterUid: string;
  /** Of the StatefulSet that the Pods and volumes belong to. */
  readonly statefulSetUid: string;
  /** MAREKVS_CLUSTER that the members run with; it stays the same. */
  readonly clusterIdentity: string;
  /** The path in our Pods where a member finds its data on such a volume. */
  readonly dataDir: string;
  /** One for each member, by node id, ascending. */
  readonly volumes: readonly AdoptedVolume[];
}

export interface AdoptedVolume {
  readonly nodeId: number;
  readonly uid: string;
}

/** Where our Pods mount a member's volume; the data is there or in a folder below it. */
export const DATA_MOUNT = '/data';

/** MAREKVS_CLUSTER of a server for which it is not set (docs/design/server.md#settings). */
export const DEFAULT_CLUSTER_IDENTITY = 'marekvs';

/** The annotation's text. */
export function adoptionText({ volumes, ...request }: AdoptionRequest): string {
  return JSON.stringify({ ...request, volumes: Object.fromEntries(volumes.map(({ nodeId, uid }) => [nodeId, uid])) });
}

/** The request in the annotation; undefined when it is malformed or incomplete. */
export function parseAdoption(text: string): AdoptionRequest | undefined {
  const { clusterUid, statefulSetUid, clusterIdentity, dataDir, volumes } = parseRecord(text);
  if (
    !isText(clusterUid) ||
    !isText(statefulSetUid) ||
    !isText(clusterIdentity) ||
    !isText(dataDir) ||
    !isDataDir(dataDir)
  )
    return undefined;
  if (typeof volumes !== 'object' || volumes === null || Array.isArray(volumes)) return undefined;
  const named = Object.entries(volumes).flatMap(([id, uid]: [string, unknown]): AdoptedVolume[] => {
    const nodeId = parseNodeIdText(id);
    return nodeId === undefined || !isText(uid) ? [] : [{ nodeId, uid }];
  });
  if (named.length === 0 || named.length !== Object.keys(volumes).length) return undefined;
  return { clusterUid, statefulSetUid, clusterIdentity, dataDir, volumes: named.sort((a, b) => a.nodeId - b.nodeId) };
}

/** What this very cluster is asked to take over; undefined when there is no request for it. */
export function adoptionOf(cluster: {
  readonly metadata: {
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}): AdoptionRequest | 'unreadable' | undefined {
  const { uid, annotations } = cluster.metadata;
  const text = annotations?.[ANNOTATIONS.adopt];
  if (text === undefined) return undefined;
  const request = parseAdoption(text);
  if (request === undefined) return 'unreadable';
  return request.clusterUid === uid ? request : undefined;
}

/** Whether the path is the mounted volume itself or a folder on it; it never leads outside. */
export function isDataDir(path: string): boolean {
  return /^\/data(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(path);
}

function parseRecord(text: string): Partial<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 512;
}
