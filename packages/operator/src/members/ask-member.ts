// Asks a member with a password that it takes: first the one it should require, and when it refuses that, every other
// one it may require.

import { NO_PASSWORD } from '@marekvs/planner';
import { keyOf, namespaceOf } from '@marekvs/runtime';
import type { MemberAddress } from '@marekvs/store-client';
import type { Followed } from './followed-member.ts';
import type { MemberPasswords, TriedPassword } from './member-passwords.ts';
import type { Probe, ProbeOptions, ProbeResult } from './probe.ts';

/** For members that require no password. */
export const NO_PASSWORDS: MemberPasswords = {
  first: async () => ({ source: NO_PASSWORD, password: undefined }),
  others: async () => [],
};

/** @param askedFor what to ask; called once the first password is known */
export async function askMember(
  { probe, passwords }: { readonly probe: Probe; readonly passwords: MemberPasswords },
  { clusterKey, target, isUnauthorized }: Pick<Followed, 'clusterKey' | 'target' | 'isUnauthorized'>,
  askedFor: () => ProbeOptions,
  signal: AbortSignal,
): Promise<ProbeResult> {
  // A node is in the namespace of its cluster.
  const nodeKey = keyOf({ namespace: namespaceOf(clusterKey), name: target.name });
  const first = await passwords.first(nodeKey, isUnauthorized, signal);
  const asked = askedFor();
  const probeWith = (one: string | undefined): Promise<ProbeResult> => {
    const address: MemberAddress = { host: target.ip, ...(one === undefined ? {} : { password: one }) };
    return probe(address, signal, asked);
  };
  const result = await probeWith(first.password);
  if (result.kind !== 'silent' || !result.isUnauthorized) return guardedBy(first, result);
  let refused = result;
  for (const other of await passwords.others(nodeKey, first.source, signal)) {
    const answer = await probeWith(other.password);
    if (answer.kind === 'serving') return guardedBy(other, answer);
    if (answer.kind === 'silent' && answer.isUnauthorized) refused = answer;
  }
  return refused;
}

/** Adds the source of the password that the member took. */
function guardedBy({ source, isOld }: TriedPassword, result: ProbeResult): ProbeResult {
  if (result.kind !== 'serving' || result.isGuarded !== true) return result;
  return { ...result, wants: source, ...(isOld === true ? { hasOldPassword: true } : {}) };
}
