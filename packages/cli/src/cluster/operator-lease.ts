// Answers: does an operator look after this cluster now, and if not, since when? Read from the leases of its replicas:
// the one of the leader, or where replicas share, that of the replica to which the register gives the cluster's slot.
// What objects say is as old as the last renewal.

import { ANNOTATIONS, type MarekvsCluster, OPERATOR_LEASE, OPERATOR_NAMESPACE } from '@marekvs/api';
import { timeMs } from '@marekvs/planner';
import { ApiError, isReplicaLease, type Lease, leases, ordinalOfLease, parseRegister, slotOf } from '@marekvs/runtime';
import type { Run } from '../connection/cli.ts';
import { ageText } from '../screen/text.ts';

export type LeaseFact =
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'read';
      readonly name: string;
      readonly holder: string;
      readonly renewedMs: number | undefined;
      readonly durationMs: number;
    };

export interface OperatorLease {
  readonly namespace: string;
  readonly lease: LeaseFact;
}

/** Nobody looks after the cluster. `isFree`: for a moment only, as in an update of the operator. */
export interface OperatorAbsence {
  readonly message: string;
  readonly sinceMs: number | undefined;
  readonly isFree: boolean;
}

const DEFAULT_LEASE_MS = 15_000;
/** Counted from the end of the lease's own duration: within this time another replica takes it over. */
const TAKEOVER_MS = 15_000;

/** @param wanted where the operator runs; undefined: the cluster's own namespace if there is a lease, else the default
 *  one */
export async function readOperatorLease(
  run: Run,
  cluster: MarekvsCluster,
  wanted: string | undefined,
): Promise<OperatorLease> {
  const candidates = wanted === undefined ? [cluster.metadata.namespace, OPERATOR_NAMESPACE] : [wanted];
  const facts = await Promise.all(
    candidates.map(async (namespace) => ({ namespace, lease: await leaseIn(run, namespace, cluster) })),
  );
  const known = facts.find(({ lease }) => lease.kind === 'read') ?? facts.at(-1);
  return known ?? { namespace: OPERATOR_NAMESPACE, lease: { kind: 'unknown', why: 'not asked' } };
}

async function leaseIn(run: Run, namespace: string, { metadata }: MarekvsCluster): Promise<LeaseFact> {
  try {
    const all = await run.list(leases, { namespace });
    return factOf(leaseFor(all, slotOf(`${metadata.namespace}/${metadata.name}`)));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { kind: 'unknown', why: `${error.status} ${error.reason}` };
  }
}

/** The lease of whoever has this slot; that of the leader where nobody shares, or where the register cannot be read. */
export function leaseFor(all: readonly Lease[], slot: number): Lease | undefined {
  const leader = all.find(({ metadata }) => metadata.name === OPERATOR_LEASE);
  const register = isSole(leader) ? undefined : parseRegister(leader?.metadata.annotations?.[ANNOTATIONS.shares]);
  const owner = register?.now[slot];
  if (owner === undefined) return leader;
  const own = all.find(({ metadata: { name = '' } }) => {
    return isReplicaLease(OPERATOR_LEASE, name) && ordinalOfLease(OPERATOR_LEASE, name) === owner;
  });
  return own ?? leader;
}

/** Whether the leader's lease is held by a replica that does not say that it shares. */
export function isSole(leader: Lease | undefined): boolean {
  const holder = leader?.spec?.holderIdentity ?? '';
  return holder !== '' && leader?.metadata.annotations?.[ANNOTATIONS.sharedBy] !== holder;
}

function factOf(lease: Lease | undefined): LeaseFact {
  if (lease === undefined) return { kind: 'missing' };
  const { metadata, spec } = lease;
  return {
    kind: 'read',
    name: metadata.name ?? OPERATOR_LEASE,
    holder: spec?.holderIdentity ?? '',
    renewedMs: timeMs(spec?.renewTime),
    durationMs: spec?.leaseDurationSeconds === undefined ? DEFAULT_LEASE_MS : spec.leaseDurationSeconds * 1000,
  };
}

/** Undefined while somebody looks after the cluster, and when that is not known. */
export function absenceOf({ lease, namespace }: OperatorLease, nowMs: number): OperatorAbsence | undefined {
  if (lease.kind === 'unknown') return undefined;
  if (lease.kind === 'missing') {
    const message = `no operator has ever held a lease in namespace ${namespace}: it is not installed there, or never started`;
    return { message, sinceMs: undefined, isFree: false };
  }
  const { renewedMs, durationMs, holder } = lease;
  if (holder === '') {
    const isFree = renewedMs === undefined || nowMs - renewedMs <= TAKEOVER_MS;
    const message = 'the operator has released its lease and nobody has taken it since';
    return { message, sinceMs: renewedMs, isFree };
  }
  if (renewedMs === undefined || nowMs - renewedMs <= durationMs + TAKEOVER_MS) return undefined;
  const message = `the operator ${holder.split('_')[0]} has stopped renewing its lease, and no other has taken it`;
  return { message, sinceMs: renewedMs, isFree: false };
}

/** The line above what was true when an operator last looked; undefined while one does, and where no lease was found:
 *  the operator may run in another namespace than those that were looked at. */
export function absenceLine(operator: OperatorLease, nowMs: number): string | undefined {
  const absence = absenceOf(operator, nowMs);
  if (absence?.sinceMs === undefined || absence.isFree) return undefined;
  const at = new Date(absence.sinceMs).toISOString().slice(0, 19);
  return `no operator since ${at}Z (${ageText(nowMs - absence.sinceMs)}): below is what was true then`;
}
