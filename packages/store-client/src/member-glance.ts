// The cheapest check whether a member is still the same process with the same list: CLUSTER MYID, CLUSTER INFO and INFO
// clients, together half a kilobyte, while its list alone is 36 KB and its figures are 12 KB.

import { type ClusterInfo, numbersOf, parseClusterInfo } from './cluster-info.ts';
import { StoreProtocolError } from './errors.ts';
import { parseNodeId } from './node-id.ts';

export interface MemberGlance {
  /** Node id of the member that answered. */
  readonly nodeId: number;
  readonly info: ClusterInfo;
  /** Open connections to the RESP port, including ours. */
  readonly clients: number;
}

/** The commands, in the order in which {@link readGlance} takes their answers. */
export const GLANCE = [
  ['CLUSTER', 'MYID'],
  ['CLUSTER', 'INFO'],
  ['INFO', 'clients'],
] as const;

/** @throws StoreProtocolError for anything but the answers of a member */
export function readGlance([id, info, clients]: readonly Uint8Array[]): MemberGlance {
  const nodeId = id === undefined ? undefined : parseNodeId(id);
  if (nodeId === undefined) throw new StoreProtocolError('CLUSTER MYID is no node id');
  const number = numbersOf('INFO clients', clients ?? '');
  return { nodeId, info: parseClusterInfo(info ?? ''), clients: number('connected_clients') };
}
