export { MemberWorld, type WriterRates } from './world/member-world.ts';
export {
  createMemoryTransport,
  type MemoryTransportOptions,
  type WriteCall,
  type WriteFate,
} from './world/memory-transport.ts';
export type { OperatorProcess } from './world/operator-process.ts';
export { CLAIMS, CLUSTERS, NAME, NAMESPACE, NODES, WorldView } from './world/world-view.ts';
