// The steps of the cluster controller while members are handed to a StatefulSet: Services and budget are switched to
// the labels of its Pods, and the nodes whose Pods it has are deleted.

import { ANNOTATIONS, GROUP, releasedLabels } from '@marekvs/api';
import type { ClusterStep } from '@marekvs/planner';
import { type Kind, type KubeObject, podDisruptionBudgets, services } from '@marekvs/runtime';
import { MAREKVS_NODE } from '../../objects/kinds.ts';
import { correction } from '../../pass/drift.ts';
import { DONE, STALE, type StepOutcome } from '../../pass/fence.ts';
import { childView, handedSpec } from '../observation/read-release.ts';
import type { LiveContext } from './live-context.ts';

/** Changes selector, labels and the hash of what we applied in one write. The child selects the same Pods before and
 *  after, and the next pass treats it as one of the existing operator's. */
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

/** Deletes the node. The node controller removes its finalizer, once a live read has shown that no Pod of the node is
 *  left. */
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
