// Asks the API server in the background about subjects that several askers share, such as a host, with one question for
// all of them. The caller knows the question, and how long an answer holds.

import { sameValue } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';
import { createBoundedWork } from './bounded-work.ts';

export interface SharedAnswers<Answer> {
  /** The present answer about a subject; undefined while there is none. A missing or expired one is asked for in the
   *  background. Cheap.
   *  @param asker notified when the answer changes */
  ask(asker: string, subject: string): Answer | undefined;
  /** Asks until aborted. Before it runs, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface SharedAnswersOptions<Answer> {
  readonly clock: Clock;
  /** Rejects only for an abort. Undefined: no answer; the askers are notified and may ask again at once. */
  readonly read: (subject: string, signal: AbortSignal) => Promise<Found<Answer> | undefined>;
  /** The answer differs from the one given before, or there is none: reconcile again. */
  readonly onAnswer: (asker: string) => void;
  /** Askers are notified of changes for this long after the last question. @default as long as the answer stands */
  readonly forgetMs?: number;
}

export interface Found<Answer> {
  readonly answer: Answer;
  /** A question after this time asks the API server again. */
  readonly freshMs: number;
  /** The answer is given for this long, also while it is asked for again. @default freshMs */
  readonly standsMs?: number;
}

const MAX_IN_FLIGHT = 4;

interface Entry<Answer> {
  readonly subject: string;
  readonly askers: Set<string>;
  found: Found<Answer> | undefined;
  /** The answer that the last caller got. */
  given: Answer | undefined;
  /** Steady: when the answer came, and when it was last asked for. */
  atMs: number;
  askedAtMs: number;
  isAsking: boolean;
}

export function createSharedAnswers<Answer>(options: SharedAnswersOptions<Answer>): SharedAnswers<Answer> {
  const { clock, read, onAnswer, forgetMs = 0 } = options;
  const entries = new Map<string, Entry<Answer>>();
  const due = createBoundedWork<Entry<Answer>>(MAX_IN_FLIGHT, readEntry);

  async function readEntry(entry: Entry<Answer>, signal: AbortSignal): Promise<void> {
    const found = await read(entry.subject, signal);
    entry.isAsking = false;
    if (signal.aborted) return;
    entry.found = found;
    entry.atMs = clock.steadyMs();
    if (found === undefined) entries.delete(entry.subject);
    else if (sameValue(found.answer, entry.given)) return;
    for (const asker of entry.askers) onAnswer(asker);
  }

  function entryOf(subject: string, nowMs: number): Entry<Answer> {
    const known = entries.get(subject);
    if (known !== undefined) return known;
    const fresh: Entry<Answer> = {
      subject,
      askers: new Set(),
      found: undefined,
      given: undefined,
      atMs: 0,
      askedAtMs: nowMs,
      isAsking: false,
    };
    entries.set(subject, fresh);
    return fresh;
  }

  return {
    ask(asker, subject) {
      const nowMs = clock.steadyMs();
      for (const entry of entries.values()) if (isOver(entry, nowMs, forgetMs)) entries.delete(entry.subject);
      const entry = entryOf(subject, nowMs);
      entry.askers.add(asker);
      entry.askedAtMs = nowMs;
      const isFresh = entry.found !== undefined && nowMs - entry.atMs < entry.found.freshMs;
      if (!entry.isAsking && !isFresh) {
        entry.isAsking = true;
        due.add(entry);
      }
      entry.given = answerOf(entry, nowMs);
      return entry.given;
    },
    run: due.run,
  };
}

function answerOf<Answer>({ found, atMs }: Entry<Answer>, nowMs: number): Answer | undefined {
  if (found === undefined) return undefined;
  return nowMs - atMs < (found.standsMs ?? found.freshMs) ? found.answer : undefined;
}

function isOver<Answer>(entry: Entry<Answer>, nowMs: number, forgetMs: number): boolean {
  return !entry.isAsking && answerOf(entry, nowMs) === undefined && nowMs - entry.askedAtMs >= forgetMs;
}
