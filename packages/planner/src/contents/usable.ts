// Is an answer one to its question? What is not counts as no answer at all.

import type { ContentAnswer, ContentQuestion } from './comparison.ts';
import { emptyBuckets } from './digest.ts';

export type UsableAnswer =
  /** `empties`: for each digest the number of its empty buckets. */
  | { readonly kind: 'digests'; readonly digests: readonly string[]; readonly empties: readonly number[] }
  | Extract<ContentAnswer, { kind: 'entries' | 'record' }>;

export function usableAnswer(question: ContentQuestion, answer: ContentAnswer): UsableAnswer | undefined {
  if (question.kind === 'digests' && answer.kind === 'digests') {
    const { digests } = answer;
    if (digests.length !== question.partitions.length) return undefined;
    const empties: number[] = [];
    for (const digest of digests) {
      const empty = emptyBuckets(digest);
      if (empty === undefined) return undefined;
      empties.push(empty);
    }
    return { kind: 'digests', digests, empties };
  }
  if (question.kind === 'entries' && answer.kind === 'entries') {
    return question.buckets.every((bucket) => answer.entries.has(bucket)) ? answer : undefined;
  }
  return question.kind === 'record' && answer.kind === 'record' ? answer : undefined;
}
