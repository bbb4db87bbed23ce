// Keys that consist of parts: one record for each part, and a head that says what the key is and up to when its parts
// were deleted (docs/design/server.md#how-records-merge).

import type { Element, Version } from '../basics/messages.ts';
import type { ServedMember } from '../interfaces/served-member.ts';
import { headValue, isExpired, tombstoneOf } from '../records/expiry.ts';
import { clockOf } from '../records/hlc.ts';
import { headKey, type PartLetter, partKey } from '../records/keys.ts';
import { wrongArguments } from './commands-cluster.ts';
import type { Call } from './resp-call.ts';

export interface Kind {
  readonly letter: PartLetter;
  /** The first byte of the head's value. */
  readonly head: string;
}

/** The key of a call; undefined, and the call is answered, when words are missing. */
export function keyOf({ args, answer, command }: Call, isComplete = true): string | undefined {
  const [key] = args;
  if (key !== undefined && isComplete) return key;
  answer(wrongArguments(command));
  return undefined;
}

export function readParts(
  member: ServedMember,
  key: string,
  { letter }: Kind,
  parts: readonly string[],
  found: (head: Version | undefined, held: readonly (Version | undefined)[]) => void,
): void {
  const records = parts.map((part) => partKey(key, letter, part));
  readAll(member, [headKey(key), ...records], ([head, ...held]) => found(head, held));
}

/** A new head keeps what the last one has deleted. */
export function beginHead(member: ServedMember, key: string, kind: Kind, head: Version | undefined): void {
  if (!member.isReadable(head))
    member.write([{ key: headKey(key), value: headValue(kind.head, clearedAt(member, head)) }]);
}

/** Whether clients see a part: it is there, and was written after the key was last deleted. */
export function isShown(
  member: ServedMember,
  head: Version | undefined,
  version: Version | undefined,
): version is Version {
  if (!member.isReadable(version)) return false;
  const { clock } = elementOf(version)?.live[0] ?? version;
  return clock > clearedAt(member, head);
}

/** A head whose time is over has deleted its parts, whether or not a sweeper has noticed. */
function clearedAt(member: ServedMember, head: Version | undefined): number {
  if (head === undefined) return 0;
  return isExpired(head, member.wallNow()) ? tombstoneOf(head).clock : clockOf(head.value.slice(1, 9));
}

export function elementOf(version: Version | undefined): Element | undefined {
  return version?.merged?.kind === 'element' ? version.merged : undefined;
}

/** Reads the records one after the other: those that a home has to be asked for take a while. */
export function readAll(
  member: ServedMember,
  keys: readonly string[],
  found: (versions: readonly (Version | undefined)[]) => void,
): void {
  const versions: (Version | undefined)[] = [];
  // What the member holds itself is there at once: thousands of such records are read in a loop, not within each other.
  let isReading = false;
  const goOn = (): void => {
    if (isReading) return;
    isReading = true;
    for (let asked = -1; asked < versions.length && versions.length < keys.length; ) {
      asked = versions.length;
      const key = keys[asked] ?? '';
      member.read(key, () => {
        // What was fetched from a home has been merged with the local record by now.
        versions.push(member.store.get(key));
        goOn();
      });
    }
    isReading = false;
    if (versions.length === keys.length) found(versions);
  };
  goOn();
}

/** Deletes the head, and with it every part that was written until now. */
export function clearParts(member: ServedMember, { key, value }: Version): void {
  member.write([({ clock }) => ({ key, value: headValue(value.slice(0, 1), clock), isDead: true })]);
}

/** The same content under a new version, with another deadline or none. */
export function restamp(member: ServedMember, { key, value, merged }: Version, expiresAtMs: number | undefined): void {
  const deadline = expiresAtMs === undefined ? {} : { expiresAtMs };
  member.write([merged === undefined ? { key, value, ...deadline } : { key, merged, ...deadline }]);
}
