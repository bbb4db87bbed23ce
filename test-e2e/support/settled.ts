// After a cluster is Healthy, some writes still follow, delayed until their contents stay the same: the last statuses
// of its nodes, the comparison of its members, its disruption budget. These functions wait until there are no more.

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

/** Resolves when every node of the only cluster in a namespace reports that it is ready and seen by all. */
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

/** Resolves when every cluster of a namespace reports that its members were compared and nothing is missing. */
export async function contentsCompared(kube: Kube, namespace: string): Promise<void> {
  await kube.until('contents were compared', ownPath('marekvsclusters', namespace), (clusters: readonly StatusSeen[]) =>
    clusters.every((cluster) => says(cluster, 'FullyReplicated', 'True')),
  );
}

/** The same, and in addition the disruption budgets let one member be away. */
export async function settle(kube: Kube, namespace: string, nodes = 3): Promise<void> {
  await nodesSettled(kube, namespace, nodes);
  await contentsCompared(kube, namespace);
  await kube.until(
    'one of them may be away',
    `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
    (budgets: readonly BudgetSeen[]) => budgets.every(({ spec }) => spec?.minAvailable === nodes - 1),
  );
}
