// Clusters with and without deletionProtection, and their nodes and claims with the labels of the operator, which never
// runs here.

import { ANNOTATIONS, API_VERSION, LABELS, pvcName } from '@marekvs/api';
import type { Testbed } from '@marekvs/testbed';
import { cluster as clusterObject, node } from '../../packages/api/test/objects.ts';
import type { PlainObject } from './admission.ts';
import { type Kube, ownPath } from './kube.ts';
import { createPatching } from './patching.ts';

type Texts = Readonly<Record<string, string>>;

export const OTHER_UID = '00000000-0000-4000-8000-000000000000';
const PROTECTED = { [LABELS.protected]: 'true' };

/** `guarded` with three nodes (0; 1 forced by its uid; 2 with the force of another uid), `remedied` with a
 *  node it owns, `plain` without protection; claims for the nodes 0, and one for node 1 that carries the
 *  annotation of a forced node. */
export async function createProtectedObjects(testbed: Testbed, kube: Kube, namespace: string): Promise<void> {
  const create = creating(testbed, namespace);
  await Promise.all([
    createDoomedObjects(testbed, kube, namespace),
    create(clusterObject({}, 'plain')),
    create(nodeObject('plain', 0)),
    claim(kube, namespace, 'plain', 0),
    create(nodeObject('guarded', 2, PROTECTED, { [ANNOTATIONS.forceRemove]: `${OTHER_UID}/copied` })),
    create(nodeObject('guarded', 1, PROTECTED)).then(({ uid }) =>
      kube.patchNode(namespace, 'guarded-1', {
        metadata: { annotations: { [ANNOTATIONS.forceRemove]: `${uid}/its disk is gone` } },
      }),
    ),
    claim(kube, namespace, 'guarded', 1, PROTECTED).then(({ name = '', uid }) =>
      createPatching(kube.core).claim(namespace, name, {
        metadata: { annotations: { [ANNOTATIONS.forceRemove]: `${uid}/no such thing` } },
      }),
    ),
    create(clusterObject({ deletionProtection: true }, 'remedied')).then(({ uid }) =>
      create(nodeObject('remedied', 0, PROTECTED, {}, uid)),
    ),
  ]);
}

/** `guarded` with one node and its claim, all protected. */
export async function createDoomedObjects(testbed: Testbed, kube: Kube, namespace: string): Promise<void> {
  const create = creating(testbed, namespace);
  await Promise.all([
    create(clusterObject({ deletionProtection: true }, 'guarded')),
    create(nodeObject('guarded', 0, PROTECTED)),
    claim(kube, namespace, 'guarded', 0, PROTECTED),
  ]);
}

/** A valid MarekvsNode. @param ownerUid of its cluster, for the garbage collector */
export function nodeObject(
  clusterName: string,
  nodeId: number,
  labels: Texts = {},
  annotations: Texts = {},
  ownerUid?: string,
): PlainObject {
  const owner = { apiVersion: API_VERSION, kind: 'MarekvsCluster', name: clusterName, controller: true };
  return {
    ...node({ clusterName, nodeId }),
    metadata: {
      name: `${clusterName}-${nodeId}`,
      labels: { [LABELS.cluster]: clusterName, ...labels },
      annotations,
      ...(ownerUid === undefined ? {} : { ownerReferences: [{ ...owner, uid: ownerUid }] }),
    },
  };
}

function creating({ transport }: Testbed, namespace: string) {
  return async (object: PlainObject): Promise<{ readonly uid: string }> => {
    const resource = object.kind === 'MarekvsNode' ? 'marekvsnodes' : 'marekvsclusters';
    const { metadata } = await transport.request<{ readonly metadata: { readonly uid: string } }>({
      verb: 'create',
      path: ownPath(resource, namespace),
      resource,
      subject: resource,
      body: object,
    });
    return metadata;
  };
}

async function claim(kube: Kube, namespace: string, cluster: string, nodeId: number, labels: Texts = {}) {
  const { metadata } = await kube.core.createNamespacedPersistentVolumeClaim({
    namespace,
    body: {
      metadata: { name: pvcName(cluster, nodeId), labels: { [LABELS.cluster]: cluster, ...labels } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  });
  return metadata ?? {};
}
