// Asks the API server about each cluster beside its passes, in the background and without a watch. The caller knows the
// question, and when it is asked again.

import { sameValue } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';
import { createBoundedWork } from './bounded-work.ts';

export interface BackgroundAnswers<Question, Answer> {
  /** The present answer; undefined while there is none. A missing or expired one is asked for in the background. Cheap.
   *  Another question starts without an answer; on another occasion the same one is asked again, and its answer stays
   *  until then. */
  ask(clusterKey: string, question: Question, occasion?: string): Answer | undefined;
  /** The present answer, of this question if one is given. Asks nothing. */
  known(clusterKey: string, question?: Question): Answer | undefined;
  /** The answer may be wrong by now: asks again, and the cluster is reconciled whatever the new answer is. */
  doubt(clusterKey: string): void;
  forget(clusterKey: string): void;
  /** Asks until aborted. Before it runs, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface BackgroundAnswersOptions<Question, Answer> {
  readonly clock: Clock;
  /** The answer for a cluster has changed: reconcile it again. */
  readonly onAnswer: (clusterKey: string) => void;
  /** Never throws. Undefined when the question may not be asked, or gets no answer. */
  readonly read: (question: Question, signal: AbortSignal) => Promise<Answer | undefined>;
  /** When the same question is asked again on the same occasion. */
  readonly again: (answer: Answer | undefined) => Again;
}

export interface Again {
  /** The first pass after this time asks again. */
  readonly afterMs: number;
  /** Causes that pass: somebody waits for a change that no event tells of. */
  readonly isAwaited: boolean;
}

const MAX_IN_FLIGHT = 4;

interface Entry<Question, Answer> {
  readonly clusterKey: string;
  readonly question: Question;
  occasion: string;
  answer: Answer | undefined;
  isDoubted: boolean;
  /** Steady: when it is due again. */
  dueMs: number;
  isAsking: boolean;
}

export function createBackgroundAnswers<Question, Answer>({
  clock,
  onAnswer,
  read,
  again,
}: BackgroundAnswersOptions<Question, Answer>): BackgroundAnswers<Question, Answer> {
  const entries = new Map<string, Entry<Question, Answer>>();
  const due = createBoundedWork<Entry<Question, Answer>>(MAX_IN_FLIGHT, answer);

  async function answer(entry: Entry<Question, Answer>, signal: AbortSignal): Promise<void> {
    const { occasion, isDoubted } = entry;
    entry.isDoubted = false;
    const found = await read(entry.question, signal);
    entry.isAsking = false;
    if (signal.aborted || entries.get(entry.clusterKey) !== entry) return;
    const before = entry.answer;
    // Without an answer the last one stays.
    if (found !== undefined) entry.answer = found;
    // A request that came meanwhile may be about something newer than this answer.
    if (entry.occasion === occasion && !entry.isDoubted) putOff(entry, again(found));
    else askWhenDue(entry);
    if (isDoubted || !sameValue(entry.answer, before)) onAnswer(entry.clusterKey);
  }

  function putOff(entry: Entry<Question, Answer>, { afterMs, isAwaited }: Again): void {
    entry.dueMs = clock.steadyMs() + afterMs;
    if (isAwaited) clock.after(afterMs, () => wake(entry));
  }

  function wake(entry: Entry<Question, Answer>): void {
    if (entries.get(entry.clusterKey) === entry) onAnswer(entry.clusterKey);
  }

  function askWhenDue(entry: Entry<Question, Answer>): void {
    if (entry.isAsking || clock.steadyMs() < entry.dueMs) return;
    entry.isAsking = true;
    due.add(entry);
  }

  function entryOf(clusterKey: string, question: Question, occasion: string): Entry<Question, Answer> {
    const known = entries.get(clusterKey);
    if (known !== undefined && sameValue(known.question, question)) return known;
    const dueMs = Number.NEGATIVE_INFINITY;
    const fresh = { clusterKey, question, occasion, answer: undefined, isDoubted: false, dueMs, isAsking: false };
    entries.set(clusterKey, fresh);
    return fresh;
  }

  return {
    ask(clusterKey, question, occasion = '') {
      const entry = entryOf(clusterKey, question, occasion);
      if (entry.occasion !== occasion) {
        entry.occasion = occasion;
        entry.dueMs = Number.NEGATIVE_INFINITY;
      }
      askWhenDue(entry);
      return entry.answer;
    },
    known(clusterKey, question) {
      const entry = entries.get(clusterKey);
      return question === undefined || sameValue(entry?.question, question) ? entry?.answer : undefined;
    },
    doubt(clusterKey) {
      const entry = entries.get(clusterKey);
      if (entry === undefined) return;
      entry.isDoubted = true;
      entry.dueMs = Number.NEGATIVE_INFINITY;
      askWhenDue(entry);
    },
    forget: (clusterKey) => void entries.delete(clusterKey),
    run: due.run,
  };
}
