// The request to let a StatefulSet run the members again, written by `kubectl mkv release` as one annotation of the
// cluster; and the labels by which that StatefulSet, and the Services of the existing operator, select the members
// (docs/decisions/adopting-and-releasing.md).

import { ANNOTATIONS, type Labels, MANAGED_BY } from '../names/labels.ts';

/** The annotation's text. It applies only to this cluster as formed at that time: a copied annotation, or one left from
 *  before the members were taken over again, has no effect. */
export function releaseText(clusterUid: string, formedAt: string): string {
  return `${clusterUid}/${formedAt}`;
}

/** Whether this very cluster, as it is formed now, is to be handed to a StatefulSet. */
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

/** The labels that the existing operator sets on everything it makes. */
export function releasedLabels(cluster: string): Labels {
  return {
    ...releasedSelector(cluster),
    'app.kubernetes.io/name': 'marekvs',
    'app.kubernetes.io/instance': cluster,
    'app.kubernetes.io/managed-by': MANAGED_BY,
  };
}

/** The server's default for keeping tombstones, which the existing operator does not change
 *  (docs/design/server.md#settings). */
export const DEFAULT_SERVER_GC_GRACE_SECONDS = 3600;
