export {
  ConnectionRefusedError,
  FolderLockedError,
  InvalidKnobError,
  InvalidSettingError,
} from './member/basics/errors.ts';
export type { GossipMessage, MeshMessage, Phase, Version } from './member/basics/messages.ts';
export type { CancelTimer, DiskFile, MemberDisk, MemberWorld, MeshLink } from './member/basics/world.ts';
export { registerKey } from './member/commands/commands-hyperloglog.ts';
export type { RespSession, SessionPort } from './member/commands/resp-session.ts';
export type { HttpAnswer } from './member/http/http-answers.ts';
export { createSimulatedMember, SimulatedMember, type SimulatedMemberOptions } from './member/member.ts';
export type { View, ViewMember } from './member/membership/view.ts';
export { isRegisterKey, partitionOf } from './member/records/keys.ts';
export { contains, merge } from './member/records/merging.ts';
export { storedRecord } from './member/records/stored-record.ts';
export { type Drop, defaultKnobs, type MemberKnobs } from './member/settings/knobs.ts';
export { type Environment, type MemberSettings, readSettings } from './member/settings/settings.ts';
export { MemberNetwork } from './memory/member-network.ts';
export { MemoryClient } from './memory/memory-client.ts';
export { MemoryDisk } from './memory/memory-disk.ts';
export {
  createNetworkContentClient,
  type NetworkContentClient,
  type NetworkContentOptions,
} from './memory/network-content-client.ts';
export { type MemberName, type MemberNetworkOptions, OBSERVERS, type StartOptions } from './memory/network-options.ts';
export { createNetworkStoreClient } from './memory/network-store-client.ts';
export { seededRandom } from './memory/random.ts';
export { VirtualClock } from './memory/virtual-clock.ts';
export { mergePatch } from './world/api-server/api-merge.ts';
export { type ApiInput, type ApiMeta, type ApiObject, ApiRefusal, apiKey } from './world/api-server/api-object.ts';
export { answerRequest, type WireAnswer, type WireRequest } from './world/api-server/api-requests.ts';
export { MemoryApiServer } from './world/api-server/api-server.ts';
export type { ApiEvent } from './world/api-server/api-store.ts';
export { openWatch, type WatchOptions } from './world/api-server/api-watch.ts';
export { WatchCache } from './world/api-server/watch-cache.ts';
export { recordsOf } from './world/clients/client-command.ts';
export type { WriteOptions } from './world/clients/client-writes.ts';
export type { LedgerReport } from './world/clients/ledger.ts';
export type { Stranger } from './world/clients/stranger.ts';
export { containerOf } from './world/hosts/pod-spec.ts';
export { InvariantError, KubeWorld, type KubeWorldOptions, START_WALL_MS } from './world/kube-world.ts';
export { WorldLoop } from './world/world-loop.ts';
