// When a cluster has come to rest, healthy or not, and what it reports then.

import { findCondition, minimumNodes, type Reason } from '@marekvs/api';
import type { MemberWorld } from '../world/member-world.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';

export interface Rest {
  readonly snapshot: Snapshot;
  readonly isReady: boolean;
  readonly size: number;
  /** Why it is not ready, or is paused by a person; undefined when it is ready. */
  readonly reason: Reason | undefined;
  /** Why a member failed with the changed template, so that no other one gets it. */
  readonly stopped: string | undefined;
  /** Nodes that are reported with an older template. */
  readonly outdated: readonly number[];
  /** Paths of fields that are reported as never coming into force. */
  readonly unsupported: readonly string[];
  /** All reasons of all conditions. */
  readonly reasons: readonly string[];
}

const CHECK_MS = 5_000;
const LIMIT_MS = 900_000;
/** How long nothing may change. A removal begins half a minute after the last change, and failed pulls are retried at
 *  growing intervals. */
const STILL_MS = { ready: 10_000, otherwise: 70_000 };

/** @throws Error when it still changes after a quarter of an hour */
export async function untilRest(world: MemberWorld): Promise<Rest> {
  const startedMs = world.nowMs;
  let before = '';
  let sinceMs = world.nowMs;
  for (;;) {
    await world.advance(CHECK_MS);
    const text = textOf(world);
    if (text !== before) [before, sinceMs] = [text, world.nowMs];
    const neededMs = isReady(world) ? STILL_MS.ready : STILL_MS.otherwise;
    if (isSeen(world) && isSized(world) && world.nowMs - sinceMs >= neededMs) return restOf(world);
    if (world.nowMs - startedMs > LIMIT_MS) throw new Error('the cluster does not come to rest');
  }
}

function restOf(world: MemberWorld): Rest {
  const { conditions = [], pendingChanges: pending = [] } = world.cluster()?.status ?? {};
  const stalled = findCondition(conditions, 'Stalled');
  const paused = findCondition(conditions, 'Paused');
  const rollingOut = findCondition(conditions, 'RollingOut');
  const why = [stalled, paused].find((one) => one?.status === 'True') ?? findCondition(conditions, 'Ready');
  return {
    snapshot: snapshotOf(world),
    isReady: isReady(world),
    size: world.nodeIds().length,
    reason: why?.type === 'Ready' && why.status === 'True' ? undefined : why?.reason,
    stopped: world.cluster()?.status?.update?.stopped?.reason,
    outdated:
      rollingOut?.reason === 'TemplateCurrent'
        ? []
        : [...(rollingOut?.message.matchAll(/demo-(\d+)/g) ?? [])].map(([, id]) => Number(id)),
    unsupported: pending.flatMap(({ field, reason }) => (FOR_GOOD.has(reason) ? [field] : [])),
    reasons: conditions.map(({ reason }) => reason),
  };
}

/** Reasons that no restart of a member removes; new members have them too. */
const FOR_GOOD: ReadonlySet<string> = new Set<Reason>(['AuthNotInForce', 'SecretMissing']);

/** Whether a size decided by load is final: without clients it goes down to the smallest, a node per window. */
function isSized(world: MemberWorld): boolean {
  const { spec, status } = world.cluster() ?? {};
  if (spec?.autoscale === undefined || status?.autoscale === undefined || !isReady(world)) return true;
  return status.autoscale.size <= Math.max(spec.autoscale.minNodes, minimumNodes(spec));
}

/** Ready, at the wanted size, and not held by a person. */
function isReady(world: MemberWorld): boolean {
  const desired = world.cluster()?.status?.desiredNodes ?? -1;
  return world.isHealthy(desired) && world.condition('Paused') !== 'True' && world.condition('RollingOut') !== 'True';
}

function isSeen(world: MemberWorld): boolean {
  const cluster = world.cluster();
  return cluster?.status?.observedGeneration === cluster?.metadata.generation;
}

function textOf(world: MemberWorld): string {
  const { operation, message } = world.cluster()?.status ?? {};
  const pods = world.kube.server.list('pods').map(({ metadata }) => metadata.uid);
  const nodes = world.nodes().map(({ metadata, spec, status }) => [metadata.name, spec, status?.phase]);
  return JSON.stringify([message, operation?.phase, pods, nodes, world.cluster()?.status?.conditions]);
}
