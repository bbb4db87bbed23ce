export { registerKey } from './member/commands-collections.ts';
export {
  ConnectionRefusedError,
  FolderLockedError,
  InvalidKnobError,
  InvalidSettingError,
} from './member/errors.ts';
export type { HttpAnswer } from './member/http-answers.ts';
export { isRegisterKey, partitionOf } from './member/keys.ts';
export { type Drop, defaultKnobs, type MemberKnobs } from './member/knobs.ts';
export { createSimulatedMember, SimulatedMember, type SimulatedMemberOptions } from './member/member.ts';
export { contains, merge } from './member/merging.ts';
export type { GossipMessage, MeshMessage, Phase, Version } from './member/messages.ts';
export type { RespSession, SessionPort } from './member/resp-session.ts';
export { type Environment, type MemberSettings, readSettings } from './member/settings.ts';
export { storedRecord } from './member/stored-record.ts';
export type { View, ViewMember } from './member/view.ts';
export type { CancelTimer, DiskFile, MemberDisk, MemberWorld, MeshLink } from './member/world.ts';
export {
  type MemberName,
  MemberNetwork,
  type MemberNetworkOptions,
  OBSERVERS,
  type StartOptions,
} from './memory/member-network.ts';
export { MemoryClient } from './memory/memory-client.ts';
export { MemoryDisk } from './memory/memory-disk.ts';
export {
  createNetworkContentClient,
  type NetworkContentClient,
  type NetworkContentOptions,
} from './memory/network-content-client.ts';
export { createNetworkStoreClient } from './memory/network-store-client.ts';
export { seededRandom } from './memory/random.ts';
export { VirtualClock } from './memory/virtual-clock.ts';
export { mergePatch } from './world/api-merge.ts';
export { type ApiInput, type ApiMeta, type ApiObject, ApiRefusal, apiKey } from './world/api-object.ts';
export { answerRequest, type WireAnswer, type WireRequest } from './world/api-requests.ts';
export { type ApiEvent, MemoryApiServer } from './world/api-server.ts';
export { openWatch, type WatchOptions } from './world/api-watch.ts';
export { recordsOf } from './world/client-command.ts';
export type { WriteOptions } from './world/client-writes.ts';
export { InvariantError, KubeWorld, type KubeWorldOptions, START_WALL_MS } from './world/kube-world.ts';
export type { LedgerReport } from './world/ledger.ts';
export { containerOf } from './world/pod-spec.ts';
export type { Stranger } from './world/stranger.ts';
export { WatchCache } from './world/watch-cache.ts';
export { WorldLoop } from './world/world-loop.ts';
