// Which test keys a removal writes and where each must be found: pure arithmetic over the placement (marekvs.md 5.8).
// Writing and reading them is the operator's business, asking for them the operation's.

import { homesAt, PARTITIONS, type Placement, partitionOfKey, placementOf } from '@marekvs/api';
import type { AuditRequest } from './audit.ts';

/** Most test keys of one removal. With n of them found everywhere, fewer than 3/n of the partitions were missed (95 %). */
export const MAX_CANARIES = 2_048;

/** The partitions that get a test key, ascending: all that the target homes, or MAX_CANARIES of them spread evenly.
 *  @param memberIds all members, the target included */
export function canaryPartitions(
  memberIds: Iterable<number>,
  replicationFactor: number,
  targetId: number,
): readonly number[] {
  const placement = placementOf(memberIds, replicationFactor);
  const known = chosenOf.get(placement) ?? new Map<number, readonly number[]>();
  chosenOf.set(placement, known);
  const chosen = known.get(targetId) ?? choosePartitions(placement, targetId);
  known.set(targetId, chosen);
  return chosen;
}

/** By placement and target: the same ones are asked for in every pass of a removal. */
const chosenOf = new WeakMap<Placement, Map<number, readonly number[]>>();

function choosePartitions(placement: Placement, targetId: number): readonly number[] {
  const homed: number[] = [];
  for (let partition = 0; partition < PARTITIONS; partition += 1)
    if (homesAt(placement, partition).includes(targetId)) homed.push(partition);
  if (homed.length <= MAX_CANARIES) return homed;
  return Array.from({ length: MAX_CANARIES }, (_, i) => homed[Math.floor((i * homed.length) / MAX_CANARIES)] ?? 0);
}

/** The test key of one partition. Its leading NUL hides it from SCAN, KEYS, DBSIZE and FLUSHALL (marekvs.md 3).
 *  @throws RangeError for an operation id that would carry a hash tag of its own, or a partition that does not exist */
export function canaryKey(operationId: string, partition: number): string {
  const keys = keysOf(operationId);
  const known = keys[partition];
  if (known !== undefined) return known;
  const key = `\0mkv:${operationId}:{${tagOf(partition)}}`;
  keys[partition] = key;
  return key;
}

/** Each key is asked for at several members and several times over, by the thousand. */
function keysOf(operationId: string): (string | undefined)[] {
  const known = keysOfOperations.get(operationId);
  if (known !== undefined) return known;
  if (operationId.includes('{')) throw new RangeError(`operation id ${JSON.stringify(operationId)}: has a brace`);
  for (const oldest of keysOfOperations.keys()) {
    if (keysOfOperations.size < KEPT_OPERATIONS) break;
    keysOfOperations.delete(oldest);
  }
  const keys: (string | undefined)[] = [];
  keysOfOperations.set(operationId, keys);
  return keys;
}

/** 200 KB each. */
const KEPT_OPERATIONS = 16;
const keysOfOperations = new Map<string, (string | undefined)[]>();

/** What every test key of an operation holds: another operation's is not mistaken for it. */
export function canaryValue(operationId: string): string {
  return `mkv:${operationId}`;
}

/** The members at which the work on one partition's key is to be done, best first: every one of them, for `clean` one of them.
 *  - `write`: the target. - `readBefore`: its other homes while the target still is one.
 *  - `readAfter`, `clean`: its homes among the members of the request. */
export function homesForReading(request: AuditRequest, partition: number): readonly number[] {
  const { kind, members, replicationFactor, targetId } = request;
  if (kind === 'write') return [targetId];
  let placement = placementsOf.get(request);
  if (placement === undefined) {
    placement = placementOf(
      members.map((member) => member.nodeId),
      replicationFactor,
    );
    placementsOf.set(request, placement);
  }
  const homes = homesAt(placement, partition);
  return kind === 'readBefore' ? homes.filter((id) => id !== targetId) : homes;
}

/** A request is asked about thousands of partitions, one after the other. */
const placementsOf = new WeakMap<AuditRequest, Placement>();

const tags: (string | undefined)[] = [];
let tried = 0;

/** A short text in that partition. Texts are tried in order once per process, as far as somebody asks: all take about 50 ms. */
function tagOf(partition: number): string {
  if (!Number.isInteger(partition) || partition < 0 || partition >= PARTITIONS)
    throw new RangeError(`partition ${partition}: not in 0..${PARTITIONS - 1}`);
  for (;;) {
    const known = tags[partition];
    if (known !== undefined) return known;
    const tag = tried.toString(36);
    tried += 1;
    tags[partitionOfKey(tag)] ??= tag;
  }
}
