// May a stored template be deleted, and may a node get this one? One that is in use stays, and one whose update has
// stopped goes to no further node.

import { ANNOTATIONS, type MarekvsCluster, type MarekvsNode, type NodeTemplate, withDefaults } from '@marekvs/api';
import { nodeStamp, templateHash, templateOfRevision } from '@marekvs/operator/projections';
import { type ApiObject, mergePatch } from '@marekvs/simulator';
import type { WorldView } from '../cluster/world-view.ts';
import type { WriteBody } from '../operator/write-effect.ts';
import { isLeaving, type Lately } from './under-way.ts';

/** A revision may go only when no Pod runs it, no node has it, and no update goes to it or back to it. */
export function revisionProblem(
  view: WorldView,
  revision: ApiObject,
  clusters: readonly MarekvsCluster[],
): string | undefined {
  const { metadata, data } = revision;
  const cluster = clusters.find(({ metadata: { uid } }) => uid === metadata.ownerReferences?.[0]?.uid);
  if (cluster === undefined || isLeaving(cluster)) return undefined;
  const hash = metadata.name.slice(cluster.metadata.name.length + 1);
  if (data === undefined || templateOfRevision({ metadata, data }) === undefined) return undefined;
  const { update, operation } = cluster.status ?? {};
  const pods = view.kube.server.list('pods');
  const running = pods.map((pod) => pod.metadata.annotations?.[ANNOTATIONS.templateHash]);
  const nodes = view.nodes().map(({ spec }) => templateHash(spec.template));
  const inUse = [update?.revision, update?.previous, operation?.roll?.previous, ...running, ...nodes];
  return inUse.includes(hash) ? 'it is in use' : undefined;
}

/** A template whose update has stopped goes to no node: only the previous one, or one requested since. */
export function stampProblem(
  view: WorldView,
  { spec }: WriteBody,
  { metadata }: MarekvsNode,
  cluster: MarekvsCluster,
  lately: Lately,
): string | undefined {
  if (spec?.template === undefined) return undefined;
  const isStopped = (one: MarekvsCluster) =>
    one.status?.update?.stopped !== undefined && one.status.update.revision === asked(one);
  if (!lately(cluster).every(isStopped)) return undefined;
  const { update } = cluster.status ?? {};
  if (update?.retried !== cluster.metadata.annotations?.[ANNOTATIONS.rolloutRetry]) return undefined;
  const given = mergedTemplateHash(view, metadata.name, spec.template);
  return given === update?.revision ? `it gets revision ${given}, whose update has stopped` : undefined;
}

/** The template that the cluster asks for now. */
function asked(cluster: MarekvsCluster): string {
  return nodeStamp(cluster, withDefaults(cluster.spec)).hash;
}

/** The hash of a node's template after this patch. */
function mergedTemplateHash(view: WorldView, name: string, patch: unknown): string {
  const before = view.nodes().find(({ metadata }) => metadata.name === name)?.spec.template;
  return templateHash(mergePatch(before, patch) as NodeTemplate);
}
