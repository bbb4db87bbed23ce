// Moments of a removal as they can be seen from outside, from the claim to the last proof. An operator that ends at one
// of them loses its memory, and what is stored has to be enough for its successor.

import { createStoreClient } from '@marekvs/store-client';
import type { ClusterHandle } from './cluster-handle.ts';
import { eventually } from './eventually.ts';
import type { OperationSeen, RemovalLog } from './removal-log.ts';
import type { PodSeen } from './seen.ts';
import type { World } from './world.ts';

const LIMIT_MS = 60_000;

export interface Scene {
  readonly world: World;
  readonly cluster: ClusterHandle;
  readonly log: RemovalLog;
  /** The id of the node that leaves. */
  readonly target: number;
  /** The id of a node that stays. */
  readonly survivor: number;
}

/** Each resolves as soon as its moment has come. */
export const MOMENTS = {
  'when it has claimed the operation': async ({ log, target }: Scene) => {
    await log.until('the operation is claimed', (operation) => operation.target?.nodeId === target, LIMIT_MS);
  },
  'when it has marked the node as leaving': async ({ cluster, target }: Scene) => {
    await cluster.node(target, 'the node is to leave', ({ spec }) => spec.intent === 'Leaving', LIMIT_MS);
  },
  'when the member has handed its clients over': async ({ world, cluster, target, survivor }: Scene) => {
    const host = world.testbed.kubelet.pod(`${cluster.namespace}/${cluster.name}-${survivor}`)?.ip ?? '';
    await eventually(
      `demo-${survivor} shows demo-${target} without primaries`,
      async () =>
        (await createStoreClient().nodes({ host })).some((line) => line.id === target && line.primarySlots === 0),
      LIMIT_MS,
    );
  },
  'when it has permitted to close the door': async ({ cluster, target }: Scene) => {
    await cluster.node(target, 'its door is to be closed', ({ spec }) => spec.intent === 'Sealed', LIMIT_MS);
  },
  'when it has made the Pod with the closed door': async ({ cluster, target }: Scene) => {
    await cluster.pod(target, 'its door is closed', isSealed, LIMIT_MS);
  },
  'when it has stored the proof': async ({ log, target }: Scene) => {
    await log.until(
      'the proof is stored',
      (operation) => operation.target?.nodeId === target && operation.proof?.pre !== undefined,
      LIMIT_MS,
    );
  },
  'when it has deleted the MarekvsNode': async ({ cluster, target }: Scene) => {
    const isDeleted = ({ metadata }: { readonly metadata: { readonly deletionTimestamp?: unknown } }): boolean =>
      metadata.deletionTimestamp !== undefined;
    await cluster.node(target, 'the node is deleted', isDeleted, LIMIT_MS);
  },
  'when the Pod is ending': async ({ cluster, target }: Scene) => {
    await cluster.pod(
      target,
      'the Pod is ending',
      ({ metadata }) => metadata.deletionTimestamp !== undefined,
      LIMIT_MS,
    );
  },
  /** It may also be over, since a first comparison that finds nothing missing ends the removal in the same write. */
  'when the node is gone and its absence is being proven': async ({ log, target }: Scene) => {
    const isProving = ({ records }: OperationSeen): boolean =>
      records.some((record) => record.target?.nodeId === target && record.phase === 'Settling');
    const isProven = (): boolean => log.ended().some((ended) => ended.target?.nodeId === target);
    await eventually('it settles', () => log.operations().some(isProving) || isProven(), LIMIT_MS);
  },
} as const satisfies Readonly<Record<string, (scene: Scene) => Promise<void>>>;

export type Moment = keyof typeof MOMENTS;

/** Holds the Pod, because Pods of a testbed end at once, and the moment would be over. */
export const MOMENTS_OF_ENDING: readonly Moment[] = ['when it has deleted the MarekvsNode', 'when the Pod is ending'];

function isSealed({ spec }: PodSeen): boolean {
  const env = spec.containers?.[0]?.env ?? [];
  return env.some(({ name, value }) => name === 'MAREKVS_RESP_ADDR' && value?.startsWith('127.') === true);
}
