// One member of a comparison: its connection, opened again after a failure, and how long to leave it alone now.
// What is asked is the planner's, when is comparison-run.ts's.

import type { ComparedMember, ContentAnswer, ContentQuestion } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';
import {
  type CallOptions,
  type ContentClient,
  type ContentReader,
  StoreError,
  StoreProtocolError,
  StoreTooLargeError,
} from '@marekvs/store-client';

export interface ContentLink {
  readonly nodeId: number;
  readonly isOpen: boolean;
  /** On `clock.steadyMs`: until then it is neither opened nor asked. */
  readonly heldUntilMs: number;
  /** Why it could not be read when that was last tried; undefined while it answers or has only just begun not to. */
  readonly problem: string | undefined;
  /** Never rejects: a failure shows in the properties above. */
  open(signal: AbortSignal): Promise<void>;
  /** Only while it is open, one question at a time. Never rejects. */
  ask(question: ContentQuestion, signal: AbortSignal): Promise<ContentAnswer>;
  /** Closes the connection; it may be opened again. A failure that the signal of a call explains is not counted. */
  close(): void;
}

export interface ContentLinkOptions {
  readonly client: ContentClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly member: ComparedMember;
  /** A look at rest: the member is asked rarely enough that its clients do not notice. */
  readonly isPaced: boolean;
}

/** After the first, the second and every later failure in a row, less up to a fifth. */
const AGAIN_MS = [1_000, 2_000, 5_000] as const;
/** Failures in a row that are a problem: of any kind, and with answers that no member gives. */
const MANY_FAILURES = 3;
const MANY_NONSENSE = 2;
const OPEN_LIMIT_MS = 5_000;
/** A member that is behind with its own anti-entropy answers after many seconds: its answer is worth waiting for. */
const ANSWER_LIMIT_MS = 30_000;
/** A record larger than a frame is never answered. */
const RECORD_LIMIT_MS = 10_000;
/** At rest, after a question about so many partitions: eight partitions a second. */
export const REST_MS = 2_000;
const REST_PARTITIONS = 16;
/** An answer that takes longer doubles the rest, a quicker one halves it again. */
const SLOW_MS = 1_000;
const MAX_REST_MS = 64_000;

export function createContentLink({ client, clock, random, member, isPaced }: ContentLinkOptions): ContentLink {
  const { nodeId } = member;
  let reader: ContentReader | undefined;
  let heldUntilMs = 0;
  let restMs = REST_MS;
  let failures = 0;
  let nonsense = 0;
  let problem: string | undefined;

  function close(): void {
    reader?.close();
    reader = undefined;
  }

  function fail(error: unknown, signal: AbortSignal): void {
    close();
    if (signal.aborted) return;
    failures += 1;
    nonsense = isNonsense(error) ? nonsense + 1 : 0;
    // What is not the member's failure is ours, and will not pass by itself.
    const isTold = failures >= MANY_FAILURES || nonsense >= MANY_NONSENSE || !(error instanceof StoreError);
    if (isTold || problem !== undefined) problem = error instanceof Error ? error.message : String(error);
    const againMs = AGAIN_MS[Math.min(failures, AGAIN_MS.length) - 1] ?? 0;
    heldUntilMs = clock.steadyMs() + againMs * (1 - 0.2 * random());
  }

  function answered(question: ContentQuestion, askedAtMs: number): void {
    failures = 0;
    nonsense = 0;
    problem = undefined;
    if (!isPaced) return;
    const nowMs = clock.steadyMs();
    restMs = nowMs - askedAtMs > SLOW_MS ? Math.min(restMs * 2, MAX_REST_MS) : Math.max(restMs / 2, REST_MS);
    const partitions = question.kind === 'digests' ? question.partitions.length : 1;
    heldUntilMs = nowMs + restMs * Math.max(1, partitions / REST_PARTITIONS);
  }

  return {
    nodeId,
    get isOpen() {
      return reader !== undefined;
    },
    get heldUntilMs() {
      return heldUntilMs;
    },
    get problem() {
      return problem;
    },
    async open(signal) {
      try {
        reader = await client.open({ host: member.ip }, { nodeId, signal, timeoutMs: OPEN_LIMIT_MS });
        if (signal.aborted) close();
      } catch (error) {
        fail(error, signal);
      }
    },
    async ask(question, signal) {
      const askedAtMs = clock.steadyMs();
      try {
        if (reader === undefined) throw new Error(`member ${nodeId} is not connected`);
        const answer = await askReader(reader, question, signal);
        answered(question, askedAtMs);
        return answer;
      } catch (error) {
        fail(error, signal);
        return { kind: 'failed' };
      }
    },
    close,
  };
}

async function askReader(
  reader: ContentReader,
  question: ContentQuestion,
  signal: AbortSignal,
): Promise<ContentAnswer> {
  const options: CallOptions = { signal, timeoutMs: question.kind === 'record' ? RECORD_LIMIT_MS : ANSWER_LIMIT_MS };
  switch (question.kind) {
    case 'digests':
      return { kind: 'digests', digests: await reader.digests(question.partitions, options) };
    case 'entries': {
      const { partition, buckets, own } = question;
      return { kind: 'entries', entries: await reader.entries(partition, buckets, own, options) };
    }
    case 'record': {
      const { partition, bucket, hash } = question;
      return { kind: 'record', record: await reader.record(partition, bucket, hash, options) };
    }
  }
}

/** It answers, but not as a member does: waiting helps less than with one that is silent. */
function isNonsense(error: unknown): boolean {
  return error instanceof StoreProtocolError || error instanceof StoreTooLargeError;
}
