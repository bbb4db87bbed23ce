// A cluster that is Healthy is still followed by writes that are delayed until what they tell stays the same: the last
// statuses of its nodes, its contents, its budget. Here is when there are no more of them.

import { type Kube, ownPath, type Seen } from './kube.ts';
import { type ConditionSeen, says } from './seen.ts';

interface StatusSeen extends Seen {
  readonly status?: {
    readonly seenBy?: string;
    readonly ownedPartitions?: number;
    readonly conditions?: readonly ConditionSeen[];
  };
}

interface BudgetSeen extends Seen {
  readonly spec?: { readonly minAvailable?: number };
}

/** Every node of the only cluster in a namespace says that it is ready and seen by all. */
export async function nodesSettled(kube: Kube, namespace: string, nodes: number): Promise<void> {
  await kube.until(
    `${nodes} nodes are ready and seen by all`,
    ownPath('marekvsnodes', namespace),
    (all: readonly StatusSeen[]) =>
      all.length === nodes &&
      all.every(
        (node) =>
          node.status?.seenBy === `${nodes}/${nodes}` &&
          node.status.ownedPartitions !== undefined &&
          says(node, 'Ready', 'True') &&
          says(node, 'Joined', 'True'),
      ),
  );
}

/** Every cluster of a namespace says that the contents of its members were compared, and nothing is missing. */
export async function contentsCompared(kube: Kube, namespace: string): Promise<void> {
  await kube.until('contents were compared', ownPath('marekvsclusters', namespace), (clusters: readonly StatusSeen[]) =>
    clusters.every((cluster) => says(cluster, 'FullyReplicated', 'True')),
  );
}

/** Besides, one of them may be away. */
export async function settle(kube: Kube, namespace: string, nodes = 3): Promise<void> {
  await nodesSettled(kube, namespace, nodes);
  await contentsCompared(kube, namespace);
  await kube.until(
    'one of them may be away',
    `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
    (budgets: readonly BudgetSeen[]) => budgets.every(({ spec }) => spec?.minAvailable === nodes - 1),
  );
}
