// What is asked of the API server about each cluster beside its passes, in the background and without a watch. What the
// question is, and when it is asked again, is the caller's business.

import { sameValue } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';
import { createBoundedWork } from './bounded-work.ts';

export interface BackgroundAnswers<Question, Answer> {
  /** What is known now; what is not known yet, or not any more, is asked for in the background.
   *  Cheap. Of another question nothing is known; on another occasion the same one is asked again,
   *  and what is known stands until then. */
  ask(clusterKey: string, question: Question, occasion?: string): Answer | undefined;
  /** What is known now, of this question if one is given; nothing is asked. */
  known(clusterKey: string, question?: Question): Answer | undefined;
  /** Something says that what is known may not be so any more: asked anew, and the cluster is
   *  reconciled whatever the answer is. */
  doubt(clusterKey: string): void;
  forget(clusterKey: string): void;
  /** Runs until aborted. Until then, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface BackgroundAnswersOptions<Question, Answer> {
  readonly clock: Clock;
  /** An answer that a cluster was given has changed: reconcile the cluster again. */
  readonly onAnswer: (clusterKey: string) => void;
  /** Never throws: who may not ask, or gets no answer, knows nothing. */
  readonly read: (question: Question, signal: AbortSignal) => Promise<Answer | undefined>;
  /** When the same is asked again, without another occasion. */
  readonly again: (answer: Answer | undefined) => Again;
}

export interface Again {
  /** A pass that comes later than this asks again. */
  readonly afterMs: number;
  /** That pass is brought about: somebody waits for another answer, and nothing else tells of it. */
  readonly isAwaited: boolean;
}

const MAX_IN_FLIGHT = 4;

interface Entry<Question, Answer> {
  readonly clusterKey: string;
  readonly question: Question;
  occasion: string;
  answer: Answer | undefined;
  isDoubted: boolean;
  /** Steady: when it is to be asked for again. */
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
    // No answer says nothing: the last one stands.
    if (found !== undefined) entry.answer = found;
    // What was asked for meanwhile may have come after this answer.
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
