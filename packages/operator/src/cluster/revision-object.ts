// Answers: how is a template kept, so that there is one to go back to? As a ControllerRevision of apps/v1, the kind a
// StatefulSet keeps its templates in: `<cluster>-<hash>`, owned by the cluster. What it holds counts only while its
// hash is the one its name says.

import { API_VERSION, clusterLabels, LABELS, type MarekvsCluster, type NodeTemplate } from '@marekvs/api';
import type { ControllerRevision, NewObject } from '@marekvs/runtime';
import { slotLabel } from '../observation/share.ts';
import { valueHash } from './template.ts';

export function revisionName(cluster: string, hash: string): string {
  return `${cluster}-${hash}`;
}

/** @param number its place in the order of templates */
export function buildRevision(
  { metadata }: MarekvsCluster,
  template: NodeTemplate,
  hash: string,
  number: number,
): NewObject<ControllerRevision> {
  const { namespace, name, uid } = metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: revisionName(name, hash),
      namespace,
      labels: { ...clusterLabels(name, uid), ...slotLabel(namespace, name) },
      ownerReferences: [
        { apiVersion: API_VERSION, kind: 'MarekvsCluster', name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    data: { template },
    revision: number,
  };
}

/** As its name says it: what follows the name of the cluster. */
export function hashOfRevision({ metadata }: Pick<ControllerRevision, 'metadata'>): string {
  const cluster = metadata.labels?.[LABELS.cluster] ?? '';
  return (metadata.name ?? '').slice(cluster.length + 1);
}

/** What it holds. Undefined when that does not have the hash its name says: somebody has changed it, and
 *  nobody is restarted with it. */
export function templateOfRevision(revision: Pick<ControllerRevision, 'metadata' | 'data'>): NodeTemplate | undefined {
  const data: unknown = revision.data;
  if (typeof data !== 'object' || data === null || !('template' in data)) return undefined;
  const { template } = data;
  // Only what was a template when it was stored has this hash.
  return valueHash(template) === hashOfRevision(revision) ? (template as NodeTemplate) : undefined;
}
