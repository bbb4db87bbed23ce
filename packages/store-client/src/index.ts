export type { MemberAddress } from './address.ts';
export { type ClusterInfo, parseClusterInfo, parseInfo } from './cluster-info.ts';
export { digestOfNodes, type MemberLine, parseClusterNodes } from './cluster-nodes.ts';
export { createContentClient } from './contents/content-client.ts';
export {
  type ContentClient,
  type ContentOptions,
  type ContentReader,
  MAX_BUCKETS,
  MAX_PARTITIONS,
  MAX_RECORDS,
  MAX_STREAM_BYTES,
  MAX_STREAM_RECORDS,
} from './contents/content-reader.ts';
export {
  StoreAuthError,
  StoreError,
  StoreProtocolError,
  StoreTooLargeError,
  StoreUnreachableError,
  type UnreachableReason,
} from './errors.ts';
export { createStoreClient } from './member-client.ts';
export { GLANCE, type MemberGlance, readGlance } from './member-glance.ts';
export {
  clientCommands,
  isMemberMetric,
  isYounger,
  type MemberMetrics,
  parseMetricsText,
  readMetrics,
} from './member-metrics.ts';
export { RespDecoder } from './resp-decoder.ts';
export { RespErrorReply, type RespValue } from './resp-value.ts';
export type {
  CallOptions,
  MemberPoll,
  Outcome,
  StoreClient,
  StoreClientOptions,
  StoreCommand,
  StoreSession,
} from './store-client.ts';
