// Keeps templates, so that there is one to go back to, as ControllerRevisions of apps/v1, as a StatefulSet does: named
// `<cluster>-<hash>`, owned by the cluster. The content counts only while it has the hash of the name.

import { clusterLabels, LABELS, type MarekvsCluster, type NodeTemplate } from '@marekvs/api';
import type { ControllerRevision, NewObject } from '@marekvs/runtime';
import { slotLabel } from '../sharing/share.ts';
import { controlledBy } from './owners.ts';
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
      ownerReferences: [controlledBy('MarekvsCluster', metadata)],
    },
    data: { template },
    revision: number,
  };
}

/** The number of a revision: after all others. The exception is a revision that was deleted while members still had it:
 *  it gets a number before the wanted one, or the history would show the change the wrong way round. */
export function numberOfRevision(
  hash: string,
  asked: string,
  kept: readonly { readonly hash: string; readonly number: number }[],
): number {
  const numbers = new Set(kept.map(({ number }) => number));
  const ofAsked = kept.find((one) => one.hash === asked)?.number ?? 0;
  // Of this many numbers one is free, or there is none.
  for (let number = ofAsked - 1; hash !== asked && number > 0 && number >= ofAsked - kept.length; number -= 1)
    if (!numbers.has(number)) return number;
  return Math.max(0, ...numbers) + 1;
}

/** The hash in the name of the revision, after the name of the cluster. */
export function hashOfRevision({ metadata }: Pick<ControllerRevision, 'metadata'>): string {
  const cluster = metadata.labels?.[LABELS.cluster] ?? '';
  return (metadata.name ?? '').slice(cluster.length + 1);
}

/** The stored template; undefined when it does not have the hash of the name: somebody has changed it, and no member is
 *  restarted with it. */
export function templateOfRevision(revision: Pick<ControllerRevision, 'metadata' | 'data'>): NodeTemplate | undefined {
  const data: unknown = revision.data;
  if (typeof data !== 'object' || data === null || !('template' in data)) return undefined;
  const { template } = data;
  // Only what was a template when it was stored has this hash.
  return valueHash(template) === hashOfRevision(revision) ? (template as NodeTemplate) : undefined;
}
