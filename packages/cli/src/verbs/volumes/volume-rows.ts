// Answers: which volumes has a cluster, and may a person delete them? Only what is known to be proven
// elsewhere is called safe. Pure.

import { type MarekvsCluster, type MarekvsNode, pvcName } from '@marekvs/api';
import { toVolumeView } from '@marekvs/operator/projections';
import { isLarger, type VolumeRecord } from '@marekvs/planner';
import type { ClusterParts } from '../../cluster/cluster-parts.ts';
import { isoText } from '../../screen/text.ts';

export interface VolumeRow {
  readonly name: string;
  readonly uid: string;
  /** The node that mounts it; undefined for a detached one. */
  readonly node: string | undefined;
  readonly state: string;
  readonly size: string | undefined;
  readonly createdAt: string | undefined;
  readonly detachedAt: string | undefined;
  readonly lastActiveAt: string | undefined;
  readonly safeToDelete: 'yes' | 'no' | 'unknown';
  readonly why: string;
}

export function volumeRows({ cluster, nodes, volumes }: ClusterParts): readonly VolumeRow[] {
  return volumes
    .map((claim) => ({ claim, view: toVolumeView(claim) }))
    .sort((a, b) => (a.view.nodeId ?? 0) - (b.view.nodeId ?? 0))
    .map(({ claim, view }) => {
      const node = nodes.find(({ spec }) => pvcName(spec.clusterName, spec.nodeId) === view.name);
      const listed = cluster.status?.detachedVolumes?.find(({ pvcUID }) => pvcUID === view.uid);
      return {
        name: view.name,
        uid: view.uid,
        node: node?.metadata.name,
        state: isOther(node, view.uid) ? 'Unused' : stateOf(view.isTerminating, view.isBound, node, listed?.state),
        size: sizeText(view, node),
        createdAt: claim.metadata.creationTimestamp,
        detachedAt: listed?.detachedAt ?? isoText(view.detachedAtMs),
        lastActiveAt: listed?.lastActiveAt ?? isoText(view.lastActiveAtMs),
        ...safety(cluster, node, view.uid),
      };
    });
}

/** The size of the volume, and the wanted size if it is larger. */
function sizeText(view: VolumeRecord, node: MarekvsNode | undefined): string | undefined {
  const has = view.capacity ?? view.requestedSize;
  const asked = [view.requestedSize, node?.spec.storage.size].filter((one) => one !== undefined);
  const most = asked.find((one) => has !== undefined && isLarger(one, has));
  return most === undefined ? has : `${has} of ${most}`;
}

/** An id lives as long as its volume: a new claim with the name of the lost one does not belong to the node. */
function isOther(node: MarekvsNode | undefined, uid: string): boolean {
  return node?.status?.pvcUID !== undefined && node.status.pvcUID !== uid;
}

function stateOf(
  isTerminating: boolean,
  isBound: boolean,
  node: MarekvsNode | undefined,
  detached: string | undefined,
): string {
  if (isTerminating) return 'Terminating';
  if (node !== undefined) return isBound ? 'Attached' : 'Pending';
  return detached ?? 'Detached';
}

/** A detached volume may hold the only copy of something unless a proof says otherwise, and a proof is on record
 *  only for the last removal. */
function safety(
  { status }: MarekvsCluster,
  node: MarekvsNode | undefined,
  uid: string,
): Pick<VolumeRow, 'safeToDelete' | 'why'> {
  if (node !== undefined && isOther(node, uid))
    return {
      safeToDelete: 'unknown',
      why: `${node.metadata.name} lived on another volume of this name and never uses this one`,
    };
  if (node !== undefined) return { safeToDelete: 'no', why: `${node.metadata.name} lives on it` };
  const last = status?.lastOperation;
  const isProven = last?.target?.pvcUID === uid && last.outcome === 'Succeeded' && last.proof?.post !== undefined;
  if (isProven && last.basis === 'Proof')
    return { safeToDelete: 'yes', why: `operation ${last.id} proved its data to be elsewhere, before and after` };
  if (last?.target?.pvcUID === uid)
    return {
      safeToDelete: 'no',
      why: `its node went without proof (${last.basis ?? last.reason}): it may hold the only copy`,
    };
  return {
    safeToDelete: 'unknown',
    why: 'no proof about it is on record any more: keep it unless the data is known to be complete',
  };
}
