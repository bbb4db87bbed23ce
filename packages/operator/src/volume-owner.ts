import { API_VERSION } from '@marekvs/api';

/** The reference by which the garbage collector takes a volume away with its cluster. Not a controller's: the volume
 *  outlives every node, and no controller may take it for a part of the cluster. */
export function volumeOwner({ name, uid }: { readonly name: string; readonly uid: string }) {
  return { apiVersion: API_VERSION, kind: 'MarekvsCluster', name, uid, controller: false, blockOwnerDeletion: false };
}
