// Which hosts under a cluster are being drained, and where else the volumes of their members could be. This is what the
// operator reads before it moves or replaces a member, with the same probe.

import { pvcName } from '@marekvs/api';
import { isDrained, probeHost } from '@marekvs/operator/projections';
import type { HostFinding } from '@marekvs/planner';
import type { Node } from '@marekvs/runtime';
import type { Run } from '../connection/cli.ts';
import type { ClusterParts } from './cluster-parts.ts';

export interface SeenDrains {
  /** Since when, by name of the host: a Pod that was created later was put there knowingly. */
  readonly hosts: ReadonlyMap<string, number>;
  /** By UID of the node whose member is on such a host. */
  readonly findings: ReadonlyMap<string, HostFinding>;
  /** Hosts of the cluster with other taints, which the operator may be configured to treat as a drain. */
  readonly tainted: readonly string[];
}

const CORDON = 'node.kubernetes.io/unschedulable';
const NO_TAINTS: ReadonlySet<string> = new Set();
const PROBE_LIMIT_MS = 5_000;

/** @param items all Kubernetes Nodes */
export async function readDrains(run: Run, parts: ClusterParts, items: readonly Node[]): Promise<SeenDrains> {
  const nowMs = run.ports.nowMs();
  const used = new Set(parts.pods.flatMap(({ spec }) => (spec?.nodeName === undefined ? [] : [spec.nodeName])));
  const own = items.filter(({ metadata }) => used.has(metadata.name ?? ''));
  const drained = own.filter((host) => isDrained(host, NO_TAINTS));
  const hosts = new Map(drained.map((host) => [host.metadata.name ?? '', sinceMs(host, nowMs)]));
  return {
    hosts,
    findings: hosts.size === 0 ? new Map() : await findingsOf(run, parts, hosts, nowMs),
    tainted: own
      .filter((host) => !drained.includes(host) && isTainted(host))
      .map(({ metadata }) => metadata.name ?? ''),
  };
}

async function findingsOf(
  run: Run,
  { nodes, pods, volumes }: ClusterParts,
  hosts: SeenDrains['hosts'],
  nowMs: number,
): Promise<SeenDrains['findings']> {
  const { client } = await run.connect();
  const found = nodes.map(async ({ metadata, spec }): Promise<[string, HostFinding][]> => {
    const hostName = pods.find((pod) => pod.metadata.name === metadata.name)?.spec?.nodeName;
    if (hostName === undefined || !hosts.has(hostName)) return [];
    const claim = volumes.find((one) => one.metadata.name === pvcName(spec.clusterName, spec.nodeId));
    const volumeName = claim?.spec?.volumeName;
    const question = { nodeUid: metadata.uid, podState: '', hostName, volumeName, isDrained: true };
    const call = { signal: run.ports.signal, timeoutMs: PROBE_LIMIT_MS };
    const { host, state, volume, unknown, awayMs = 0 } = await probeHost(client, question, nowMs, call);
    return [[metadata.uid, { host, state, volume, unknown, awayForMs: awayMs, otherHosts: 0 }]];
  });
  return new Map((await Promise.all(found)).flat());
}

/** Kubernetes records when it tainted a cordoned host. Without that time, every Pod on it counts as older. */
function sinceMs({ spec }: Node, nowMs: number): number {
  const at = Date.parse(spec?.taints?.find(({ key }) => key === CORDON)?.timeAdded ?? '');
  return Number.isNaN(at) ? nowMs : at;
}

function isTainted({ spec }: Node): boolean {
  return (spec?.taints ?? []).some(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute');
}
