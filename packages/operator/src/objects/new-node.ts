// Answers: what does a MarekvsNode look like when it is made? Pure.

import {
  ANNOTATIONS,
  API_VERSION,
  FINALIZERS,
  LABELS,
  type MarekvsCluster,
  type MarekvsNode,
  type NodeTemplate,
  nodeLabels,
  nodeName,
  type ObjectMeta,
  pvcName,
} from '@marekvs/api';
import { type ClusterStep, type NodeRecord, sizeOfNewVolume, type VolumeRecord } from '@marekvs/planner';
import { slotLabel } from '../sharing/share.ts';
import { controlledBy } from './owners.ts';
import { type NodeStamp, nodeStorage } from './template.ts';

export type CreateNode = Extract<ClusterStep, { kind: 'createNode' }>;

/** A MarekvsNode as we create it: the API server adds the rest of its metadata. */
type NewNode = Pick<MarekvsNode, 'apiVersion' | 'kind' | 'spec'> & {
  readonly metadata: Pick<
    ObjectMeta,
    'name' | 'namespace' | 'labels' | 'annotations' | 'finalizers' | 'ownerReferences'
  >;
};

/** Everything a node needs for its whole life is in the create: a second write could be lost. */
export function buildNode(
  step: CreateNode,
  template: NodeTemplate,
  {
    cluster,
    stamp,
    nodes,
    volumes,
  }: {
    readonly cluster: MarekvsCluster;
    readonly stamp: NodeStamp;
    readonly nodes: readonly NodeRecord[];
    readonly volumes: readonly VolumeRecord[];
  },
): NewNode {
  const { id, adopts } = step;
  const { namespace, name, uid } = cluster.metadata;
  const annotations = volumeNotes(step, name, volumes);
  return {
    kind: 'MarekvsNode' as const,
    apiVersion: API_VERSION,
    metadata: {
      name: nodeName(name, id),
      namespace,
      labels: {
        ...nodeLabels(name, uid, id),
        ...slotLabel(namespace, name),
        ...(stamp.spec.deletionProtection ? { [LABELS.protected]: 'true' } : {}),
      },
      ...(annotations === undefined ? {} : { annotations }),
      finalizers: [FINALIZERS.memberSafeRemoval],
      ownerReferences: [controlledBy('MarekvsCluster', cluster.metadata)],
    },
    spec: {
      clusterName: name,
      nodeId: id,
      template,
      storage: nodeStorage(stamp.spec, sizeOfNewVolume(stamp.spec, nodes)),
      // Clients already use an adopted member, and go on using it.
      serving: adopts !== undefined,
      intent: 'Active',
    },
  };
}

/** Which volume the node is made for, if that is there already. By its name: a copy may carry the same labels, and is
 *  never mounted. */
function volumeNotes(
  { id, adopts }: CreateNode,
  clusterName: string,
  volumes: readonly VolumeRecord[],
): ObjectMeta['annotations'] {
  if (adopts !== undefined)
    return { [ANNOTATIONS.adoptedVolume]: adopts.volumeUid, [ANNOTATIONS.dataDir]: adopts.dataDir };
  const kept = volumes.find(({ name }) => name === pvcName(clusterName, id));
  return kept === undefined ? undefined : { [ANNOTATIONS.keptVolume]: kept.uid };
}
