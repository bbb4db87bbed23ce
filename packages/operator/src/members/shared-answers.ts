// What is asked of the API server about things that several are interested in, such as a host: in the background, one
// question for all of them. What the question is, and how long its answer holds, is the caller's business.

import { sameValue } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';
import { createBoundedWork } from './bounded-work.ts';

export interface SharedAnswers<Answer> {
  /** What is known of a subject now; what is not known yet, or not any more, is asked for in the background.
   *  Cheap.
   *  @param asker is told when there is another answer */
  ask(asker: string, subject: string): Answer | undefined;
  /** Runs until aborted. Until then, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface SharedAnswersOptions<Answer> {
  readonly clock: Clock;
  /** Never throws but for an abort. Undefined: nothing was found out, and whoever is told so may ask again at once. */
  readonly read: (subject: string, signal: AbortSignal) => Promise<Found<Answer> | undefined>;
  /** There is another answer than was given before, or none: reconcile again. */
  readonly onAnswer: (asker: string) => void;
  /** Askers are told of another answer for so long after the last question. @default as long as the answer stands */
  readonly forgetMs?: number;
}

export interface Found<Answer> {
  readonly answer: Answer;
  /** Whoever asks later than this has it asked again. */
  readonly freshMs: number;
  /** For so long it is given, also while it is asked again. @default freshMs */
  readonly standsMs?: number;
}

const MAX_IN_FLIGHT = 4;

interface Entry<Answer> {
  readonly subject: string;
  readonly askers: Set<string>;
  found: Found<Answer> | undefined;
  /** Steady: when the answer came, and when somebody asked last. */
  atMs: number;
  askedAtMs: number;
  isAsking: boolean;
}

export function createSharedAnswers<Answer>(options: SharedAnswersOptions<Answer>): SharedAnswers<Answer> {
  const { clock, read, onAnswer, forgetMs = 0 } = options;
  const entries = new Map<string, Entry<Answer>>();
  const due = createBoundedWork<Entry<Answer>>(MAX_IN_FLIGHT, readEntry);

  async function readEntry(entry: Entry<Answer>, signal: AbortSignal): Promise<void> {
    const given = answerOf(entry, clock.steadyMs());
    const found = await read(entry.subject, signal);
    entry.isAsking = false;
    if (signal.aborted) return;
    entry.found = found;
    entry.atMs = clock.steadyMs();
    if (found === undefined) entries.delete(entry.subject);
    else if (sameValue(found.answer, given)) return;
    for (const asker of entry.askers) onAnswer(asker);
  }

  function entryOf(subject: string, nowMs: number): Entry<Answer> {
    const known = entries.get(subject);
    if (known !== undefined) return known;
    const fresh = { subject, askers: new Set<string>(), found: undefined, atMs: 0, askedAtMs: nowMs, isAsking: false };
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
      return answerOf(entry, nowMs);
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
