// One piece of work on test keys, attempt by attempt: which keys are still open, at which member, and what a member's reply means.
// When attempts are made, and who is told, is in audits.ts.

import { placementOf } from '@marekvs/api';
import { type AuditMember, type AuditRequest, canaryKey, canaryValue, homesForReading } from '@marekvs/planner';
import {
  digestOfSlots,
  expectedSlotRanges,
  type MemberAddress,
  RespErrorReply,
  type RespValue,
  StoreAuthError,
  type StoreClient,
  type StoreCommand,
  type StoreSession,
} from '@marekvs/store-client';

/** What the work needs from the outside. */
export interface AuditOutside {
  readonly store: StoreClient;
  /** @param isStale the last one given was refused */
  readonly passwordOf: (nodeId: number, isStale: boolean, signal: AbortSignal) => Promise<string | undefined>;
  /** We speak RESP to the member in that Pod until the returned function is called. */
  readonly onOwnExchange: (podUid: string) => () => void;
}

export interface AuditWork {
  /** Does what is still open, once. Keeps what it learned also when it is aborted half-way.
   *  @returns what went wrong first, undefined when every member gave its answers. Never throws. */
  attempt(signal: AbortSignal): Promise<string | undefined>;
  /** Where a key is still open. */
  open(): readonly { readonly partition: number; readonly nodeId: number }[];
}

/** Sessions under way at once. */
const MAX_SESSIONS = 8;
const MAX_ERROR_LENGTH = 200;

/** A key that is still to be written, found or deleted: at one member, or at the first of several that answers. */
interface Item {
  readonly partition: number;
  readonly homes: readonly number[];
  at: number;
}

const homeOf = ({ homes, at }: Item): number => homes[at % homes.length] ?? -1;

export function createAuditWork(request: AuditRequest, outside: AuditOutside): AuditWork {
  const { kind, operationId } = request;
  const isReading = kind === 'readBefore' || kind === 'readAfter';
  const value = canaryValue(operationId);
  const expected = Buffer.from(value);
  const members = new Map(request.members.map((member) => [member.nodeId, member]));
  /** Members whose table was found to be the expected one. */
  const verified = new Set<number>();
  let expectedTable: string | undefined;
  let isPasswordStale = false;
  let items = itemsOf(request);

  function commandFor(partition: number): StoreCommand {
    const key = canaryKey(operationId, partition);
    if (kind === 'write') return ['SET', key, value];
    return kind === 'clean' ? ['DEL', key] : ['GET', key];
  }

  function isDone(reply: RespValue | undefined): boolean {
    if (kind === 'write') return reply === 'OK';
    if (kind === 'clean') return typeof reply === 'number';
    return reply instanceof Uint8Array && expected.equals(reply);
  }

  /** A member that is no home reads through and keeps a copy, which would look like a replica later on (marekvs.md 5.8). */
  async function verify(member: AuditMember, address: MemberAddress, signal: AbortSignal): Promise<void> {
    if (!isReading || verified.has(member.nodeId)) return;
    expectedTable ??= tableOf(request);
    const table = await outside.store.slots(address, { signal });
    if (table.digest !== expectedTable)
      throw new Error(`member ${member.nodeId} shows another placement than expected: nothing is read there`);
    verified.add(member.nodeId);
  }

  /** Settles the items of one member; returns what is wrong with its replies. */
  async function exchange(member: AuditMember, own: readonly Item[], signal: AbortSignal): Promise<string | undefined> {
    const password = await outside.passwordOf(member.nodeId, isPasswordStale, signal);
    isPasswordStale = false;
    const address: MemberAddress = { host: member.ip, ...(password === undefined ? {} : { password }) };
    const over = outside.onOwnExchange(member.podUid);
    let session: StoreSession | undefined;
    try {
      await verify(member, address, signal);
      session = await outside.store.session(address, { signal });
      const replies = await session.commands(
        own.map((item) => commandFor(item.partition)),
        { signal },
      );
      const done = new Set(own.filter((_, index) => isDone(replies[index])));
      items = items.filter((item) => !done.has(item));
      const refusal = replies.find((reply) => reply instanceof RespErrorReply);
      if (refusal === undefined) return undefined;
      return `member ${member.nodeId} answered ${JSON.stringify(refusal.message.slice(0, 120))}`;
    } finally {
      session?.close();
      over();
    }
  }

  async function visit(nodeId: number, own: readonly Item[], signal: AbortSignal): Promise<string | undefined> {
    const member = members.get(nodeId);
    let problem: string | undefined;
    try {
      if (member === undefined) throw new Error(`member ${nodeId} is not part of the request`);
      problem = await exchange(member, own, signal);
    } catch (error) {
      if (error instanceof StoreAuthError) isPasswordStale = true;
      verified.delete(nodeId);
      problem = error instanceof Error ? error.message : String(error);
    }
    // Whoever did not do it lets the next home try, where one is enough.
    if (problem !== undefined) for (const item of own) item.at += 1;
    return problem?.slice(0, MAX_ERROR_LENGTH);
  }

  return {
    async attempt(signal) {
      const perMember = [...Map.groupBy(items, homeOf)];
      const problems: (string | undefined)[] = [];
      const visitNext = async (): Promise<void> => {
        for (let next = perMember.shift(); next !== undefined && !signal.aborted; next = perMember.shift())
          problems.push(await visit(...next, signal));
      };
      await Promise.all(Array.from({ length: Math.min(MAX_SESSIONS, perMember.length) }, visitNext));
      return problems.find((problem) => problem !== undefined);
    },
    open: () => items.map((item) => ({ partition: item.partition, nodeId: homeOf(item) })),
  };
}

function itemsOf(request: AuditRequest): readonly Item[] {
  return request.partitions.flatMap((partition) => {
    const homes = homesForReading(request, partition);
    if (request.kind === 'clean') return homes.length === 0 ? [] : [{ partition, homes, at: 0 }];
    return homes.map((home) => ({ partition, homes: [home], at: 0 }));
  });
}

/** Digest of the CLUSTER SLOTS that every member of the request shows when it sees the members of the request and nobody else. */
function tableOf({ kind, members, replicationFactor, targetId }: AuditRequest): string {
  const placement = placementOf(
    members.map((member) => member.nodeId),
    replicationFactor,
  );
  return digestOfSlots(expectedSlotRanges(placement, new Set(kind === 'readBefore' ? [targetId] : [])));
}
