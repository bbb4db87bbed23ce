// What documents and tools need and the operator does not: texts and schemas that would only fill its memory.

export { CLUSTER_KIND } from './crd/cluster-kind.ts';
export { type KindDefinition, objectSchema } from './crd/definition.ts';
export { NODE_KIND } from './crd/node-kind.ts';
export type { Json, JsonObject } from './crd/structural.ts';
export { envMessages, MESSAGES, podMetadataMessages } from './rules/messages.ts';
