// What tells at a glance whether a member is the one it was and shows the list it showed: CLUSTER MYID, CLUSTER INFO
// and INFO clients, half a kilobyte together where its list alone is 36 KB and its figures are 12 KB.

import { type ClusterInfo, parseClusterInfo, parseInfo } from './cluster-info.ts';
import { StoreProtocolError } from './errors.ts';
import { parseNodeId } from './node-id.ts';

export interface MemberGlance {
  /** Who answered. */
  readonly nodeId: number;
  readonly info: ClusterInfo;
  /** Open connections to the RESP port, the one we ask over among them. */
  readonly clients: number;
}

/** In the order in which {@link readGlance} takes the answers. */
export const GLANCE = [
  ['CLUSTER', 'MYID'],
  ['CLUSTER', 'INFO'],
  ['INFO', 'clients'],
] as const;

/** @throws StoreProtocolError for anything but the answers of a member */
export function readGlance([id, info, clients]: readonly Uint8Array[]): MemberGlance {
  const nodeId = id === undefined ? undefined : parseNodeId(id);
  if (nodeId === undefined) throw new StoreProtocolError('CLUSTER MYID is no node id');
  return { nodeId, info: parseClusterInfo(info ?? ''), clients: clientsOf(clients ?? '') };
}

function clientsOf(text: Uint8Array | string): number {
  const count = parseInfo(text).get('connected_clients') ?? '';
  if (!/^[0-9]{1,15}$/.test(count)) throw new StoreProtocolError('INFO clients has no number in connected_clients');
  return Number(count);
}
