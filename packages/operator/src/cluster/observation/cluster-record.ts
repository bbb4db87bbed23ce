// Converts a MarekvsCluster into the planner's record. Pure.

import { ANNOTATIONS, cutText, type MarekvsCluster } from '@marekvs/api';
import { type ClusterRecord, passwordSource } from '@marekvs/planner';
import { sizeRecordOf } from '../../sizing/size-record.ts';
import type { SpecInForce } from './spec-in-force.ts';

/** The longest text that the status accepts, in characters. */
const MAX_RETRY_TEXT = 253;

/** Leaves out what the object does not show: the StatefulSet of an adoption or a release, and whether the Secret can be
 *  used. */
export function clusterRecordOf(
  cluster: MarekvsCluster,
  { spec, problems, stamp, joiner, asked }: SpecInForce,
): ClusterRecord {
  const { metadata, status } = cluster;
  const retry = metadata.annotations?.[ANNOTATIONS.rolloutRetry];
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    generation: metadata.generation,
    isDeleting: metadata.deletionTimestamp !== undefined,
    createdAtMs: Date.parse(metadata.creationTimestamp),
    problems,
    templateHash: stamp.hash,
    joinerHash: joiner.hash,
    password: {
      asked: passwordSource(asked.template.authSecretRef),
      // Filled in by observe.ts, which knows the state of the Secret.
      isUsable: false,
      stamped: passwordSource(stamp.template.authSecretRef),
    },
    adoption: undefined,
    release: undefined,
    highestNodeId: status?.highestNodeId ?? -1,
    operation: status?.operation,
    lastOperation: status?.lastOperation,
    detachedVolumes: status?.detachedVolumes ?? [],
    instanceNames: status?.instanceNames ?? [],
    ...sizeRecordOf(cluster, spec),
    update: status?.update,
    mayStartAfterOutage: (metadata.annotations?.[ANNOTATIONS.startAfterOutage] ?? '').trim() !== '',
    rollout: {
      approved: metadata.annotations?.[ANNOTATIONS.rolloutApproved],
      isPaused: metadata.annotations?.[ANNOTATIONS.rolloutPaused] === 'true',
      retry: retry === undefined ? undefined : cutText(retry, MAX_RETRY_TEXT),
    },
    verification: status?.verification,
    verifyAsked: metadata.annotations?.[ANNOTATIONS.verify],
  };
}
