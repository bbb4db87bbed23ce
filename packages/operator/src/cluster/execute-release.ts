// Carries out what the cluster controller does while members are handed to a StatefulSet: Services and budget are
// switched to what that selects by, and nodes whose Pods it has go.

import { ANNOTATIONS, GROUP, releasedLabels } from '@marekvs/api';
import type { ClusterStep } from '@marekvs/planner';
import { type Kind, type KubeObject, podDisruptionBudgets, services } from '@marekvs/runtime';
import { DONE, STALE, type StepOutcome } from '../fence.ts';
import { MAREKVS_NODE } from '../kinds.ts';
import { correction } from './drift.ts';
import type { LiveContext } from './live-context.ts';
import { childView, handedSpec } from './read-release.ts';

/** Selector, labels and the mark of what we applied are one write: it finds the same Pods before and after, and the
 *  next pass takes it for one of the existing operator's. */
export async function handChild(
  { child }: Extract<ClusterStep, { kind: 'handChild' }>,
  { cluster, ports, signal }: LiveContext,
): Promise<StepOutcome> {
  const { namespace, name } = cluster.metadata;
  const live = childView(child, namespace, ports.caches);
  if (live === undefined || live.ownerUid !== cluster.metadata.uid) return STALE;
  const own = Object.keys(live.labels).filter((key) => key.startsWith(`${GROUP}/`));
  const patch = {
    metadata: {
      labels: { ...Object.fromEntries(own.map((key) => [key, null])), ...releasedLabels(name) },
      annotations: { [ANNOTATIONS.appliedHash]: null },
    },
    spec: correction(live.spec, handedSpec(child.kind, name)),
  };
  const isService = child.kind === 'Service';
  const kind: Kind<KubeObject> = isService ? services : podDisruptionBudgets;
  const cache = isService ? ports.caches.services : ports.caches.budgets;
  cache.observe(await ports.client.patch(kind, { namespace, name: child.name }, patch, live, { signal }));
  return DONE;
}

/** Its finalizer is the node controller's to take off, once it has seen live that no Pod of it is left. */
export async function dropNode(
  { node }: Extract<ClusterStep, { kind: 'dropNode' }>,
  { cluster, ports, signal }: LiveContext,
): Promise<StepOutcome> {
  const { name, uid, resourceVersion } = node;
  const ref = { namespace: cluster.metadata.namespace, name };
  const answer = await ports.client.delete(MAREKVS_NODE, ref, { uid, resourceVersion }, { signal });
  ports.caches.nodes.observeDelete({ ...ref, uid }, answer);
  return DONE;
}
