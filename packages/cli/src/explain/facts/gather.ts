// Gathers the facts that explain judges. Only the cluster and its nodes have to be readable; what else is not readable
// is listed, and never assumed to be well.

import type { MarekvsCluster } from '@marekvs/api';
import {
  ApiError,
  defineKind,
  nodes as hosts,
  type KubeObject,
  type PodDisruptionBudget,
  podDisruptionBudgets,
} from '@marekvs/runtime';
import { readSeenParts, unlessForbidden } from '../../cluster/cluster-parts.ts';
import { readOperatorLease } from '../../cluster/operator-lease.ts';
import type { Run } from '../../connection/cli.ts';
import { readEvents } from './events.ts';
import type { ExplainFacts, QuotaFact } from './finding.ts';
import { missingOperatorPermissions } from './operator-permissions.ts';

const OPERATOR_LABEL = 'app.kubernetes.io/name=marekvs-operator';

interface Quota extends KubeObject {
  readonly status?: { readonly hard?: Record<string, string>; readonly used?: Record<string, string> };
}
const deployments = defineKind<KubeObject>('apps/v1', 'Deployment');
const quotas = defineKind<Quota>('v1', 'ResourceQuota');

/** @param operatorNamespace where the operator runs; undefined: looked for (cluster/operator-lease.ts) */
export async function gatherFacts(
  run: Run,
  cluster: MarekvsCluster,
  operatorNamespace: string | undefined,
): Promise<ExplainFacts> {
  const { namespace } = cluster.metadata;
  const unread: string[] = [];
  const optional = <T>(what: string, read: Promise<T>) => unlessForbidden(what, read, unread);
  const [parts, events, budgets, quotaList, hostList, operator] = await Promise.all([
    readSeenParts(run, cluster),
    optional('events', readEvents(run, namespace)),
    optional('disruption budgets', run.list(podDisruptionBudgets, { namespace })),
    optional('quotas', run.list(quotas, { namespace })),
    optional('hosts', run.list(hosts)),
    readOperatorLease(run, cluster, operatorNamespace),
  ]);
  if (operator.lease.kind === 'unknown')
    unread.push(`the operator's lease in ${operator.namespace} (${operator.lease.why})`);
  const missingPermissions = needsReview(cluster)
    ? await missingOperatorPermissions(run, operator.namespace, namespace)
    : undefined;
  const deployment = await operatorDeployment(run, operator.namespace);
  const names = new Set(
    [cluster, ...parts.nodes, ...(parts.pods ?? []), ...(parts.volumes ?? [])].map(
      ({ metadata }) => metadata.name ?? '',
    ),
  );
  return {
    nowMs: run.ports.nowMs(),
    parts,
    events: (events ?? []).filter(({ name }) => names.has(name)),
    budgets: (budgets ?? []) as readonly PodDisruptionBudget[],
    quotas: (quotaList ?? []).map(toQuota),
    drainingHosts: hostList?.flatMap(({ metadata, spec }) => (spec?.unschedulable === true ? [metadata.name] : [])),
    operator: { ...operator, missingPermissions, deployment },
    unread: [...parts.unread, ...unread],
  };
}

/** Undefined when it may not be read, or there is none: on a testbed the operator is a process. */
async function operatorDeployment(run: Run, namespace: string): Promise<string | undefined> {
  try {
    const [first] = await run.list(deployments, { namespace, labelSelector: OPERATOR_LABEL });
    return first?.metadata.name;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Some forty reviews are made only when they may be the answer: no operator has seen this spec, or a request was
 *  refused. */
function needsReview({ metadata, status }: MarekvsCluster): boolean {
  const isRefused = status?.conditions?.some(({ reason }) => reason === 'Unauthorized') === true;
  return isRefused || status?.observedGeneration !== metadata.generation;
}

function toQuota({ metadata, status }: Quota): QuotaFact {
  return { name: metadata.name ?? '', hard: status?.hard ?? {}, used: status?.used ?? {} };
}
