// Owner references, by which the garbage collector deletes an object with its owner.

import { API_VERSION } from '@marekvs/api';

interface Owner {
  readonly name: string;
  readonly uid: string;
}

/** For a part of its owner. */
export function controlledBy(kind: 'MarekvsCluster' | 'MarekvsNode', { name, uid }: Owner) {
  return { apiVersion: API_VERSION, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** For a volume that is deleted with its cluster. Not a controller reference: the volume outlives every node, and no
 *  controller may take it for a part of the cluster. */
export function volumeOwner({ name, uid }: Owner) {
  return { apiVersion: API_VERSION, kind: 'MarekvsCluster', name, uid, controller: false, blockOwnerDeletion: false };
}
