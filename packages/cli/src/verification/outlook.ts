// Answers: how far is the requested comparison, according to the status of the cluster? Pure.

import { ANNOTATIONS, type MarekvsCluster, type MarekvsClusterStatus } from '@marekvs/api';

export type Verification = NonNullable<MarekvsClusterStatus['verification']>;

export type Outlook =
  /** It is answered. `missing` may still become `covered`: copies that were on their way arrive within seconds. */
  | { readonly kind: 'covered' | 'missing'; readonly verification: Verification }
  /** A member cannot be read; the operator goes on trying. */
  | { readonly kind: 'unreadable'; readonly verification: Verification }
  | { readonly kind: 'comparing'; readonly verification: Verification }
  /** It comes after something else, which ends by itself. */
  | { readonly kind: 'waiting'; readonly why: string }
  /** It does not come unless somebody acts. */
  | { readonly kind: 'blocked'; readonly why: string; readonly next: string }
  /** Nothing says that the operator has seen the request. */
  | { readonly kind: 'unseen' };

/** The outlook of the request that the cluster has now. It replaces earlier ones, as its comparison is newer. */
export function outlookOf(cluster: MarekvsCluster): Outlook {
  const asked = cluster.metadata.annotations?.[ANNOTATIONS.verify];
  const verification = cluster.status?.verification;
  if (verification !== undefined && asked !== undefined && verification.requested === asked)
    return answered(verification);
  const obstacle = obstacleOf(cluster) ?? (asked === undefined ? withdrawn(cluster) : undefined);
  if (obstacle !== undefined) return { kind: 'blocked', ...obstacle };
  const first = comesFirst(cluster);
  if (first !== undefined) return { kind: 'waiting', why: first };
  switch (verification?.state) {
    case 'Waiting':
    case 'Running':
      return { kind: 'comparing', verification };
    case 'Unreadable':
      return { kind: 'unreadable', verification };
    default:
      // The verification is that of an earlier request.
      return { kind: 'unseen' };
  }
}

function answered(verification: Verification): Outlook {
  switch (verification.state) {
    case 'Covered':
      return { kind: 'covered', verification };
    case 'Missing':
      return { kind: 'missing', verification };
    case 'Unreadable':
      return { kind: 'unreadable', verification };
    default:
      // The members have changed since, and are compared anew.
      return { kind: 'comparing', verification };
  }
}

/** Why nothing is compared at all, before a request or after it; undefined when nothing prevents it. */
export function obstacleOf({
  metadata,
  spec,
}: MarekvsCluster): { readonly why: string; readonly next: string } | undefined {
  const { name, namespace, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined)
    return { why: `${name} is being deleted`, next: `kubectl mkv explain ${name} -n ${namespace}` };
  if (spec.paused === true)
    return {
      why: `${name} is paused, and nothing is compared meanwhile`,
      next: `kubectl mkv resume ${name} -n ${namespace}`,
    };
  return undefined;
}

function withdrawn({ metadata: { name, namespace } }: MarekvsCluster) {
  const next = `kubectl mkv verify ${name} -n ${namespace}`;
  return { why: `somebody has taken the annotation ${ANNOTATIONS.verify} off ${name}`, next };
}

function comesFirst({ metadata, status }: MarekvsCluster): string | undefined {
  const operation = status?.operation;
  if (operation !== undefined) {
    const { type, target, roll, blocked } = operation;
    if (type === 'Hibernate') return `${metadata.name} is hibernated, or on its way there or back`;
    if (type === 'Suspend') return `${roll?.name ?? 'a member'} is off its volume, or on its way there or back`;
    const what =
      roll === undefined
        ? `the ${type === 'Replace' ? 'replacement' : 'removal'} of ${target?.name ?? 'a node'}`
        : `the turn of ${roll.name} in a rolling update`;
    const waits = blocked === undefined ? '' : `, which waits (${blocked.reason}: ${blocked.message})`;
    return `it comes after ${what}${waits}`;
  }
  return status !== undefined && status.formed === undefined ? `${metadata.name} has not been formed yet` : undefined;
}

/** The least number of records that are missing. */
export function missingRecords({ members = [] }: Verification): number {
  return members.reduce((sum, { missing = [] }) => missing.reduce((part, { records }) => part + records, sum), 0);
}

/** Compared partitions and all, read from the operator's sentence; undefined when it has no such figures. */
export function partitionsIn(message: string): { readonly done: number; readonly total: number } | undefined {
  const [, done, total] = /^([\d,]+) of ([\d,]+) partitions compared/.exec(message) ?? [];
  if (done === undefined || total === undefined) return undefined;
  return { done: numberIn(done), total: numberIn(total) };
}

function numberIn(text: string): number {
  return Number(text.replaceAll(',', ''));
}
