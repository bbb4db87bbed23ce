export { DEFAULT_METRICS_PORT, DEFAULT_RESP_PORT, type MemberAddress } from './address.ts';
export { type ClusterInfo, parseClusterInfo, parseInfo } from './cluster-info.ts';
export { digestOfNodes, type MemberLine, parseClusterNodes } from './cluster-nodes.ts';
export { digestOfSlots, parseClusterSlots, type SlotRange, type SlotsTable } from './cluster-slots.ts';
export { CommandDecoder, type CommandLimits } from './command-decoder.ts';
export {
  type AuthProblem,
  StoreAuthError,
  StoreError,
  StoreProtocolError,
  StoreTooLargeError,
  StoreUnreachableError,
  type UnreachableReason,
} from './errors.ts';
export { type MemberMetrics, parseMetricsText } from './member-metrics.ts';
export { RespDecoder, type RespLimits } from './resp-decoder.ts';
export { RespErrorReply, type RespValue } from './resp-value.ts';
export {
  encodeBulk,
  encodeCommand,
  encodeError,
  encodeInteger,
  encodeNull,
  encodeSimple,
  encodeValue,
  type RespVersion,
  RespWriter,
} from './resp-writer.ts';
export {
  type AliveAnswer,
  type Bytes,
  type CallOptions,
  createStoreClient,
  type InfoSection,
  type MemberPoll,
  type MemberView,
  type Outcome,
  type ReadyAnswer,
  type StoreClient,
  type StoreClientOptions,
  type StoreCommand,
  type StoreSession,
} from './store-client.ts';
