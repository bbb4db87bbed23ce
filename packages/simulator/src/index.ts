export { FolderLockedError, InvalidKnobError, InvalidSettingError } from './member/errors.ts';
export type { HttpAnswer } from './member/http-answers.ts';
export { type Drop, defaultKnobs, type MemberKnobs } from './member/knobs.ts';
export { createSimulatedMember, SimulatedMember, type SimulatedMemberOptions } from './member/member.ts';
export type { GossipMessage, MeshMessage, Phase, Version } from './member/messages.ts';
export { type Environment, type MemberSettings, readSettings } from './member/settings.ts';
export type { View, ViewMember } from './member/view.ts';
export type { CancelTimer, DiskFile, MemberDisk, MemberWorld, MeshLink } from './member/world.ts';
