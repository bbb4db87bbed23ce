// Asks a member with a password that it takes: first the one it should require, and when it refuses that, every other
// one it may require. Only a member that has said who it is gets one.

import { NO_PASSWORD } from '@marekvs/planner';
import { keyOf, namespaceOf } from '@marekvs/runtime';
import type { MemberAddress } from '@marekvs/store-client';
import type { MemberPasswords, TriedPassword } from '../secrets/member-passwords.ts';
import type { Followed } from './followed-member.ts';
import { ownAnswer } from './member-answer.ts';
import type { Probe, ProbeOptions, ProbeResult } from './probe.ts';

/** For members that require no password. */
export const NO_PASSWORDS: MemberPasswords = {
  first: async () => ({ source: NO_PASSWORD, password: undefined }),
  others: async () => [],
};

/** @param askedFor what to ask; called once the first password is known */
export async function askMember(
  { probe, passwords }: { readonly probe: Probe; readonly passwords: MemberPasswords },
  entry: Pick<Followed, 'clusterKey' | 'target' | 'isUnauthorized' | 'isIdentified'>,
  askedFor: () => ProbeOptions,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const { clusterKey, target, isUnauthorized } = entry;
  // A node is in the namespace of its cluster.
  const nodeKey = keyOf({ namespace: namespaceOf(clusterKey), name: target.name });
  const first = await passwords.first(nodeKey, isUnauthorized, signal);
  const asked = askedFor();
  const probeWith = (one: string | undefined): Promise<ProbeResult> => {
    const address: MemberAddress = { host: target.ip, ...(one === undefined ? {} : { password: one }) };
    return probe(address, signal, asked);
  };
  const stranger = first.password === undefined ? undefined : await identify(probe, entry, signal);
  if (stranger !== undefined) return stranger;
  const result = await probeWith(first.password);
  if (result.kind !== 'silent' || !result.isUnauthorized) return guardedBy(first, result);
  let refused = result;
  for (const other of await passwords.others(nodeKey, first.source, signal)) {
    if ((await identify(probe, entry, signal)) !== undefined) return refused;
    const answer = await probeWith(other.password);
    if (answer.kind === 'serving') return guardedBy(other, answer);
    if (answer.kind === 'silent' && answer.isUnauthorized) refused = answer;
  }
  return refused;
}

/** What answers at the address instead of the member, or nothing does; undefined for the member itself. Another Pod may
 *  have the address by now, and must not be sent a password. */
async function identify(
  probe: Probe,
  entry: Pick<Followed, 'target' | 'isIdentified'>,
  signal: AbortSignal,
): Promise<ProbeResult | undefined> {
  if (entry.isIdentified) return undefined;
  const { target } = entry;
  const result = ownAnswer(await probe({ host: target.ip }, signal, { onlyFigures: true }), target);
  if (result.kind !== 'figures') return result;
  if (result.metrics.nodeId === undefined)
    return {
      kind: 'silent',
      error: `${target.ip} does not say which member it is`,
      isUnauthorized: false,
      isInvalid: true,
    };
  entry.isIdentified = true;
  return undefined;
}

/** Adds the source of the password that the member took. */
function guardedBy({ source, isOld }: TriedPassword, result: ProbeResult): ProbeResult {
  if (result.kind !== 'serving' || result.isGuarded !== true) return result;
  return { ...result, wants: source, ...(isOld === true ? { hasOldPassword: true } : {}) };
}
