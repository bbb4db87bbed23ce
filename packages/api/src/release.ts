// What the user asks for when the members are to be run by a StatefulSet again, and by which labels that
// StatefulSet, and the Services of the existing operator, know them (docs/decisions/0035). Written by `kubectl mkv
// release` as one annotation of the cluster.

import { ANNOTATIONS, type Labels, MANAGED_BY } from './labels.ts';

/** The annotation's text. It is about this cluster as it was formed then: one that was copied, or is left from before
 *  the members were taken over again, asks for nothing. */
export function releaseText(clusterUid: string, formedAt: string): string {
  return `${clusterUid}/${formedAt}`;
}

/** This very cluster, as it is formed now, is to be handed to a StatefulSet. */
export function isReleaseAsked(cluster: {
  readonly metadata: { readonly uid: string; readonly annotations?: Readonly<Record<string, string>> | undefined };
  readonly status?: { readonly formed?: { readonly at: string } | undefined } | undefined;
}): boolean {
  const at = cluster.status?.formed?.at;
  return (
    at !== undefined && cluster.metadata.annotations?.[ANNOTATIONS.release] === releaseText(cluster.metadata.uid, at)
  );
}

/** Matches the Pods of a StatefulSet of the existing operator: the only key by which it and its Services select. */
export function releasedSelector(cluster: string): Labels {
  return { app: cluster };
}

/** What the existing operator writes on everything it makes. */
export function releasedLabels(cluster: string): Labels {
  return {
    ...releasedSelector(cluster),
    'app.kubernetes.io/name': 'marekvs',
    'app.kubernetes.io/instance': cluster,
    'app.kubernetes.io/managed-by': MANAGED_BY,
  };
}

/** The server's own time for tombstones, which the existing operator leaves as it is
 *  (docs/design/server.md#settings). */
export const DEFAULT_SERVER_GC_GRACE_SECONDS = 3600;
