// The connection to one member of a comparison: opened again after a failure, and how long to leave the member alone.
// The planner decides what is asked, comparison-run.ts when.

import type { ComparedMember, ContentAnswer, ContentQuestion } from '@marekvs/planner';
import { type Clock, errorText } from '@marekvs/runtime';
import {
  type CallOptions,
  type ContentClient,
  type ContentReader,
  StoreError,
  StoreProtocolError,
  StoreTooLargeError,
  StoreUnreachableError,
} from '@marekvs/store-client';

export interface ContentLink {
  readonly nodeId: number;
  /** On `clock.steadyMs`: the member is to be left alone until then. */
  readonly pausedUntilMs: number;
  /** Why the member could not be read at the last try; undefined while it answers or has failed only a few times. */
  readonly problem: string | undefined;
  /** Opens the connection if needed. One question at a time. Never rejects: without a usable answer the result is
   *  `failed`, and the next question opens another connection. A failure after an abort is not counted. */
  ask(question: ContentQuestion, signal: AbortSignal): Promise<ContentAnswer>;
  /** Called when there is nothing to ask: closes a connection that has been unused for long. */
  rest(): void;
  /** Closes the connection; the next question opens another one. */
  close(): void;
}

export interface ContentLinkOptions {
  readonly client: ContentClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly member: ComparedMember;
  /** A comparison at rest: the member is asked so rarely that its clients do not notice. */
  readonly isPaced: boolean;
}

/** Waits after the first, the second and every later failure in a row, less up to a fifth. */
const AGAIN_MS = [1_000, 2_000, 5_000] as const;
/** Failures in a row that are reported as a problem: of any kind, and with invalid answers. */
const MANY_FAILURES = 3;
const MANY_NONSENSE = 2;
const OPEN_LIMIT_MS = 5_000;
/** A member that lags with its own anti-entropy answers after many seconds, and that answer is worth the wait. */
const ANSWER_LIMIT_MS = 30_000;
/** Answers about records may never come. */
const RECORD_LIMIT_MS = 10_000;
/** A member that is no home, or has just sent the same, says nothing. 16,384 records take half a second. */
const STREAM_LIMIT_MS = 10_000;
/** Pause at rest after a question about so many partitions: eight partitions a second. */
export const REST_MS = 2_000;
const REST_PARTITIONS = 16;
/** A slower answer doubles the pause, a quicker one halves it again. */
const SLOW_MS = 1_000;
const MAX_REST_MS = 64_000;

/** An unused connection is closed. If another observer uses our number and leaves, the member drops us from its peers
 *  as well. It then counts one peer less than we expect for as long as we stay, and the mesh would never seem complete.
 *  A question would show that; silence does not. */
export const UNUSED_MS = 10_000;

export function createContentLink({ client, clock, random, member, isPaced }: ContentLinkOptions): ContentLink {
  const { nodeId } = member;
  let reader: ContentReader | undefined;
  let pausedUntilMs = 0;
  let heardAtMs = 0;
  let restMs = REST_MS;
  let failures = 0;
  let nonsense = 0;
  let problem: string | undefined;

  function close(): void {
    reader?.close();
    reader = undefined;
  }

  function fail(question: ContentQuestion, error: unknown, signal: AbortSignal): void {
    // Without a reader the failure is that of the opening.
    const isUnanswered = reader !== undefined && question.kind === 'records' && isTimeout(error);
    close();
    if (signal.aborted) return;
    // Records larger than a frame are never answered, which says nothing about the member.
    if (!isUnanswered) count(error);
    const againMs = AGAIN_MS[Math.min(failures, AGAIN_MS.length) - 1] ?? AGAIN_MS[0];
    pausedUntilMs = clock.steadyMs() + againMs * (1 - 0.2 * random());
  }

  function count(error: unknown): void {
    failures += 1;
    nonsense = isNonsense(error) ? nonsense + 1 : 0;
    // An error that is not the member's is ours, and does not pass by itself.
    const isReported = failures >= MANY_FAILURES || nonsense >= MANY_NONSENSE || !(error instanceof StoreError);
    if (isReported || problem !== undefined) problem = errorText(error);
  }

  function answered(question: ContentQuestion, askedAtMs: number): void {
    failures = 0;
    nonsense = 0;
    problem = undefined;
    const nowMs = clock.steadyMs();
    heardAtMs = nowMs;
    if (!isPaced) return;
    restMs = nowMs - askedAtMs > SLOW_MS ? Math.min(restMs * 2, MAX_REST_MS) : Math.max(restMs / 2, REST_MS);
    const partitions = question.kind === 'digests' ? question.partitions.length : 1;
    const pauseMs = restMs * Math.max(1, partitions / REST_PARTITIONS);
    pausedUntilMs = nowMs + pauseMs;
    // Whatever a member publishes meanwhile would be read for nothing.
    if (pauseMs > UNUSED_MS) close();
  }

  async function connected(signal: AbortSignal): Promise<ContentReader> {
    reader ??= await client.open({ host: member.ip }, { nodeId, signal, timeoutMs: OPEN_LIMIT_MS });
    signal.throwIfAborted();
    return reader;
  }

  return {
    nodeId,
    get pausedUntilMs() {
      return pausedUntilMs;
    },
    get problem() {
      return problem;
    },
    async ask(question, signal) {
      if (question.kind === 'turn') return { kind: 'turn' };
      try {
        const opened = await connected(signal);
        const askedAtMs = clock.steadyMs();
        const answer = await askReader(opened, question, signal);
        answered(question, askedAtMs);
        return answer;
      } catch (error) {
        fail(question, error, signal);
        return { kind: 'failed' };
      }
    },
    rest() {
      if (reader !== undefined && clock.steadyMs() - heardAtMs > UNUSED_MS) close();
    },
    close,
  };
}

async function askReader(
  reader: ContentReader,
  question: Exclude<ContentQuestion, { readonly kind: 'turn' }>,
  signal: AbortSignal,
): Promise<ContentAnswer> {
  const options: CallOptions = { signal, timeoutMs: question.kind === 'records' ? RECORD_LIMIT_MS : ANSWER_LIMIT_MS };
  switch (question.kind) {
    case 'digests':
      return { kind: 'digests', digests: await reader.digests(question.partitions, options) };
    case 'entries': {
      const { partition, buckets, own } = question;
      return { kind: 'entries', entries: await reader.entries(partition, buckets, own, options) };
    }
    case 'stream':
      return { kind: 'stream', stream: await streamOf(reader, question.partition, signal) };
    case 'records': {
      const { partition, bucket, hashes } = question;
      return { kind: 'records', records: await reader.records(partition, bucket, hashes, options) };
    }
  }
}

/** Undefined also for a partition that is larger than we take, which says nothing about the member. */
async function streamOf(reader: ContentReader, partition: number, signal: AbortSignal) {
  try {
    return await reader.stream(partition, { signal, timeoutMs: STREAM_LIMIT_MS });
  } catch (error) {
    if (error instanceof StoreTooLargeError) return undefined;
    throw error;
  }
}

/** The member answers, but not as a member does: waiting helps less than with a silent one. */
function isNonsense(error: unknown): boolean {
  return error instanceof StoreProtocolError || error instanceof StoreTooLargeError;
}

function isTimeout(error: unknown): boolean {
  return error instanceof StoreUnreachableError && error.reason === 'timeout';
}
