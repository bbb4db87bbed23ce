// Answers: what should the volumes of the nodes be? Each node is compared with the spec, whatever the others have. The
// node controller then changes its claim. Volumes only ever get larger.

import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import type { Hold } from '../values/hold.ts';
import { autoGrowHold, autoGrowth } from './auto-grow.ts';
import { isLarger, volumeHold } from './claim-change.ts';

export function storageSteps(o: ClusterObservation): readonly ClusterStep[] {
  return o.nodes.filter(({ isDeleting }) => !isDeleting).flatMap((node) => storageStep(o, node));
}

function storageStep(o: ClusterObservation, node: NodeRecord): readonly ClusterStep[] {
  const { size, volumeAttributesClassName: attributesClass } = o.cluster.spec.storage;
  const isOther = attributesClass !== undefined && attributesClass !== node.storage.attributesClass;
  const attributes = isOther ? { attributesClass } : {};
  if (isLarger(size, node.storage.size)) return [{ kind: 'setStorage', node, size, ...attributes }];
  const growth = autoGrowth(o, node);
  if (growth !== undefined) return [{ kind: 'setStorage', node, size: growth.size, grown: growth.why, ...attributes }];
  return isOther ? [{ kind: 'setStorage', node, ...attributes }] : [];
}

/** What a person has to know about the volumes; nothing else in the cluster waits for it. */
export function volumeHolds(o: ClusterObservation): readonly Hold[] {
  return o.nodes.flatMap((node) => {
    const growth = node.isDeleting ? undefined : volumeHold(node, o.nowMs);
    const full = autoGrowHold(o, node);
    return [growth?.needsPerson === true ? growth : undefined, full].filter((one) => one !== undefined);
  });
}
