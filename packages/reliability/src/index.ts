export { CLAIMS, CLUSTERS, NAME, NAMESPACE, NODES, WorldView } from './world/cluster/world-view.ts';
export { MemberWorld, type WriterRates } from './world/member-world.ts';
export {
  createMemoryTransport,
  type MemoryTransportOptions,
  type WriteCall,
  type WriteFate,
} from './world/operator/memory-transport.ts';
export type { OperatorProcess } from './world/operator/operator-process.ts';
