// Gathers the facts that explain judges. Only the cluster and its nodes have to be readable; what else is not readable
// is listed, and never assumed to be well.

import { type MarekvsCluster, OPERATOR_LEASE, OPERATOR_NAMESPACE } from '@marekvs/api';
import { timeMs } from '@marekvs/planner';
import {
  ApiError,
  defineKind,
  nodes as hosts,
  type KubeObject,
  leases,
  type PodDisruptionBudget,
  podDisruptionBudgets,
} from '@marekvs/runtime';
import { readSeenParts, unlessForbidden } from '../../cluster/cluster-parts.ts';
import type { Run } from '../../connection/cli.ts';
import { readEvents } from './events.ts';
import type { ExplainFacts, LeaseFact, QuotaFact } from './finding.ts';
import { missingOperatorPermissions } from './operator-permissions.ts';

const OPERATOR_LABEL = 'app.kubernetes.io/name=marekvs-operator';
const DEFAULT_LEASE_MS = 15_000;

interface Quota extends KubeObject {
  readonly status?: { readonly hard?: Record<string, string>; readonly used?: Record<string, string> };
}
const deployments = defineKind<KubeObject>('apps/v1', 'Deployment');
const quotas = defineKind<Quota>('v1', 'ResourceQuota');

/** @param operatorNamespace where the operator runs; undefined: the cluster's own namespace if there is a
 *  lease, else the default one */
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
    readLease(run, namespace, operatorNamespace),
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

async function readLease(run: Run, own: string, wanted: string | undefined) {
  const candidates = wanted === undefined ? [own, OPERATOR_NAMESPACE] : [wanted];
  const facts: { readonly namespace: string; readonly lease: LeaseFact }[] = await Promise.all(
    candidates.map(async (namespace) => ({ namespace, lease: await leaseIn(run, namespace) })),
  );
  const known = facts.find(({ lease }) => lease.kind === 'read') ?? facts.at(-1);
  return known ?? { namespace: OPERATOR_NAMESPACE, lease: { kind: 'unknown', why: 'not asked' } as const };
}

async function leaseIn(run: Run, namespace: string): Promise<LeaseFact> {
  try {
    const { spec } = await run.get(leases, { namespace, name: OPERATOR_LEASE });
    return {
      kind: 'read',
      holder: spec?.holderIdentity ?? '',
      renewedMs: timeMs(spec?.renewTime),
      durationMs: spec?.leaseDurationSeconds === undefined ? DEFAULT_LEASE_MS : spec.leaseDurationSeconds * 1000,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.status === 404 ? { kind: 'missing' } : { kind: 'unknown', why: `${error.status} ${error.reason}` };
  }
}

function toQuota({ metadata, status }: Quota): QuotaFact {
  return { name: metadata.name ?? '', hard: status?.hard ?? {}, used: status?.used ?? {} };
}
