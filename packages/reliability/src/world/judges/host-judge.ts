// Is a host that an operator calls lost really lost, and the only one? The truth is the API server's own state of Nodes
// and volumes, and the processes that run. A mistake cannot be undone: a member's data is given up, or a second process
// runs on one volume.

import { ANNOTATIONS, type MarekvsCluster, type MarekvsNode, withDefaults } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import type { WorldView } from '../cluster/world-view.ts';

/** For a Node that is gone or out of service: the time between two probes. */
const CONFIRM_MS = 30_000;
/** The API server's times have whole seconds, and requests take time. */
const CLOCK_MS = 2_000;

/** Why the host of this node must not be called lost; undefined when it may. */
export function markedProblem(view: WorldView, cluster: MarekvsCluster, node: MarekvsNode): string | undefined {
  const { name, uid } = node.metadata;
  const others = view.nodes().filter(({ metadata }) => metadata.uid !== uid);
  const given = others.find(({ metadata }) => metadata.annotations?.[ANNOTATIONS.hostLost] !== undefined);
  if (given !== undefined) return `${name} is given up beside ${given.metadata.name}`;
  const deleted = others.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (deleted !== undefined) return `${name} is given up while ${deleted.metadata.name} goes`;
  if (view.member(node.spec.nodeId) !== undefined) return `${name} is given up, and its member runs`;
  // A member that was told to leave is up and still a full home; it leaves only if the operation is not taken back.
  const isTakenBack = cluster.status?.operation?.phase === 'Cancelling';
  const isUp = (phase: string | undefined) => phase === 'Active' || (phase === 'Leaving' && isTakenBack);
  const away = others.filter(({ spec }) => !isUp(view.member(spec.nodeId)?.phase));
  const isStruck = others.some(({ spec }) => view.wasStruckWithin(spec.nodeId, CLOCK_MS));
  if (away.length > 0 && !isStruck)
    return `${name} is given up while ${away.map(({ metadata }) => metadata.name)} is away`;
  const { lostAfterSeconds } = withDefaults(cluster.spec).hosts;
  if (lostAfterSeconds === 0) return `${name} is given up, and hosts.lostAfterSeconds is 0`;
  const hosts = hostsFor(view, node.spec.nodeId);
  if (hosts === undefined) return `${name} is given up, and its volume can move`;
  const early = hosts.find((host) => !isLost(view, host, lostAfterSeconds));
  return early === undefined ? undefined : `${name} is given up, and host ${early.metadata.name} is not lost`;
}

/** Why this Pod must not be force-deleted: its host may still run it. Undefined when it may. */
export function forgottenProblem(view: WorldView, pod: ApiObject): string | undefined {
  const host = view.kube.server.find('nodes', { name: String(pod.spec?.nodeName ?? '') });
  const life = view.kube.kubelet.lifeOf(pod.metadata.uid);
  if (life?.isRunning === true) return 'it is taken away by force, and its process runs';
  if (host === undefined) return undefined;
  const { taints = [] } = (host.spec ?? {}) as { readonly taints?: readonly { readonly key: string }[] };
  const isCalledOff = taints.some(({ key }) => key === 'node.kubernetes.io/out-of-service');
  return isCalledOff && readySince(host) !== undefined
    ? undefined
    : 'it is taken away by force, and its host may be on';
}

/** The hosts that can mount the node's volume; undefined when any can. */
function hostsFor(view: WorldView, id: number): readonly ApiObject[] | undefined {
  const { server } = view.kube;
  const volume = server.find('persistentvolumes', { name: String(view.claim(id)?.spec?.volumeName ?? '') });
  const place = volume?.metadata.labels?.['kubernetes.io/hostname'];
  if (place === undefined) return undefined;
  const host = server.find('nodes', { name: place });
  return host === undefined ? [] : [host];
}

function isLost(view: WorldView, host: ApiObject, lostAfterSeconds: number): boolean {
  const sinceMs = readySince(host);
  const { taints = [] } = (host.spec ?? {}) as { readonly taints?: readonly { readonly key: string }[] };
  const isCalledOff = taints.some(({ key }) => key === 'node.kubernetes.io/out-of-service');
  const limitMs = isCalledOff ? Math.min(CONFIRM_MS, lostAfterSeconds * 1000) : lostAfterSeconds * 1000;
  return sinceMs !== undefined && view.kube.nowMs() - sinceMs + CLOCK_MS >= limitMs;
}

/** Since when the host has not been ready (wall clock); undefined while it is. */
function readySince({ status }: ApiObject): number | undefined {
  const conditions = (status?.conditions ?? []) as readonly {
    readonly type: string;
    readonly status: string;
    readonly lastTransitionTime: string;
  }[];
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True' ? undefined : Date.parse(ready.lastTransitionTime);
}
