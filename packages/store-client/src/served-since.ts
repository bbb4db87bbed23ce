// Answers: have clients sent a member anything since its figures were read last? Found in the text of its figures without reading the rest of
// them: whoever asks a hundred members every few seconds asks this, and nearly always nothing has happened. In doubt the answer is yes, and
// the figures are read as always.

import { clientCommands, HOUSEKEEPING_COMMANDS, isYounger, type MemberMetrics } from './member-metrics.ts';

const LF = 0x0a;
const QUOTE = 0x22;
const SPACE = 0x20;
/** Digits in ASCII. */
export const ZERO = 0x30;
const NINE = 0x39;
/** More is no whole number any more. */
const MAX_DIGITS = 15;

/** As a line begins: what stands in a comment or in the name of a command does not count. */
const COMMANDS = Buffer.from('\nmarekvs_commands_total{cmd="');
const NODE_ID = Buffer.from('\nmarekvs_info{node_id="');
const UP = Buffer.from('\nmarekvs_uptime_seconds ');
const MEMBERS = Buffer.from('\nmarekvs_cluster_members ');
const OWNED = Buffer.from('\nmarekvs_cluster_owned_partitions ');
const HOUSEKEEPING: readonly Buffer[] = [...HOUSEKEEPING_COMMANDS].map((name) => Buffer.from(`${name}"`));

/** The text is of the same life of the same member in the same membership, and clients have sent it nothing since. False in doubt, and where
 *  families do not come in the order of their names. Pure.
 *  @param text the body of an answer of `/metrics` */
export function isUnserved(text: Uint8Array, known: MemberMetrics): boolean {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  if (!known.isFresh || known.nodeId === undefined || bytes.at(-1) !== LF) return false;
  // Each is looked for behind the one before, so that the text is gone through once.
  const membersAt = bytes.indexOf(MEMBERS);
  if (membersAt < 0 || numberAfter(bytes, MEMBERS, membersAt) !== known.clusterMembers) return false;
  const ownedAt = bytes.indexOf(OWNED, membersAt);
  if (ownedAt < 0 || numberAfter(bytes, OWNED, ownedAt) !== known.ownedPartitions) return false;
  const idAt = bytes.indexOf(NODE_ID, ownedAt);
  if (idAt < 0 || numberAfter(bytes, NODE_ID, idAt) !== known.nodeId) return false;
  const upAt = bytes.indexOf(UP, idAt);
  const upSeconds = upAt < 0 ? undefined : numberAfter(bytes, UP, upAt);
  if (upSeconds === undefined || upSeconds < (known.upSeconds ?? 0)) return false;
  return commandsIn(bytes) === clientCommands(known);
}

/** The same of figures that were read. */
export function isUnservedSince(now: MemberMetrics, known: MemberMetrics): boolean {
  return (
    known.isFresh &&
    known.nodeId !== undefined &&
    now.nodeId === known.nodeId &&
    now.upSeconds !== undefined &&
    !isYounger(now, known) &&
    now.clusterMembers === known.clusterMembers &&
    now.ownedPartitions === known.ownedPartitions &&
    clientCommands(now) === clientCommands(known)
  );
}

/** Of clients; undefined where a line is not one of those that members write. */
function commandsIn(bytes: Buffer): number | undefined {
  let sum = 0;
  let at = bytes.indexOf(COMMANDS);
  // They follow each other without anything between.
  while (at >= 0 && startsWith(bytes, COMMANDS, at)) {
    const nameAt = at + COMMANDS.length;
    const end = bytes.indexOf(LF, nameAt);
    if (!HOUSEKEEPING.some((name) => startsWith(bytes, name, nameAt))) {
      const count = numberAtEnd(bytes, end);
      if (count === undefined) return undefined;
      sum += count;
    }
    at = end;
  }
  return sum;
}

export function startsWith(bytes: Buffer, start: Buffer, at = 0): boolean {
  for (let n = 0; n < start.length; n += 1) if (bytes[at + n] !== start[n]) return false;
  return true;
}

/** The whole number at the end of a line, behind a space. */
function numberAtEnd(bytes: Buffer, end: number): number | undefined {
  let at = end;
  while (at > 0 && isDigit(bytes[at - 1])) at -= 1;
  return bytes[at - 1] === SPACE ? numberIn(bytes, at, end) : undefined;
}

/** The whole number behind these bytes, which are there, up to a line end or a quote. */
function numberAfter(bytes: Buffer, before: Buffer, at: number): number | undefined {
  const start = at + before.length;
  let end = start;
  while (isDigit(bytes[end])) end += 1;
  return bytes[end] === LF || bytes[end] === QUOTE ? numberIn(bytes, start, end) : undefined;
}

function numberIn(bytes: Buffer, start: number, end: number): number | undefined {
  if (end <= start || end - start > MAX_DIGITS) return undefined;
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 10 + (bytes[at] ?? ZERO) - ZERO;
  return value;
}

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
