// Puts the questions of a comparison to the members of a model, in turn and without delay, on a clock of its own.

import type { Comparison, ComparisonRequest, ContentAnswer, ContentQuestion } from '../../../src/index.ts';
import { createComparison, Judged } from '../../../src/index.ts';
import { type Held, ModelMember } from './model.ts';

export function requestOf(ids: readonly number[], change: Partial<ComparisonRequest> = {}): ComparisonRequest {
  return {
    purpose: 'asked',
    id: 'test',
    members: ids.map((nodeId) => ({ nodeId, podUid: `uid-${nodeId}`, ip: `10.0.0.${nodeId + 1}`, generation: 1 })),
    sources: ids,
    replicationFactor: 2,
    sinceMs: 0,
    isKeptFresh: false,
    ...change,
  };
}

/** What a member says instead of the truth; undefined for the truth. */
export type Answering = (question: ContentQuestion, member: ModelMember) => ContentAnswer | undefined;

export class Driven {
  readonly members: ReadonlyMap<number, ModelMember>;
  readonly comparison: Comparison;
  readonly asked: { readonly question: ContentQuestion; readonly atMs: number }[] = [];
  nowMs: number;
  answering: Answering = () => undefined;

  /** @param judged what earlier comparisons have found out */
  constructor(request: ComparisonRequest, nowMs = 1000, judged = new Judged()) {
    this.members = new Map(request.members.map(({ nodeId }) => [nodeId, new ModelMember(nodeId)]));
    this.comparison = createComparison(request, nowMs, judged);
    this.nowMs = nowMs;
  }

  member(id: number): ModelMember {
    const member = this.members.get(id);
    if (member === undefined) throw new Error(`no member ${id}`);
    return member;
  }

  /** Puts the same record on these members. */
  put(partition: number, held: Held, ...ids: readonly number[]): void {
    for (const id of ids) this.member(id).set(partition, held);
  }

  /** Takes the members of another comparison. */
  with({ members }: Driven): this {
    for (const [id, member] of members) (this.members as Map<number, ModelMember>).set(id, member);
    return this;
  }

  /** Asks every question there is now; returns how many. */
  round(): number {
    let count = 0;
    for (const member of this.members.values()) {
      const question = this.comparison.next(member.id, this.nowMs);
      if (question === undefined) continue;
      count += 1;
      this.asked.push({ question, atMs: this.nowMs });
      this.comparison.take(question, this.answering(question, member) ?? member.answer(question), this.nowMs);
    }
    return count;
  }

  /** Runs until nothing is left to ask now. */
  settle(): this {
    for (let rounds = 0; this.round() > 0; rounds += 1) {
      if (rounds > 10_000) throw new Error('asks without end');
    }
    return this;
  }

  /** Runs until the comparison is complete, or until this time. */
  runUntil(untilMs: number): this {
    this.settle();
    for (;;) {
      const idleMs = this.comparison.idleForMs(this.nowMs);
      if (idleMs === undefined || this.nowMs + idleMs > untilMs) return this;
      if (idleMs <= 0) throw new Error('says that there is a question, and there is none');
      this.nowMs += idleMs;
      this.settle();
    }
  }

  questions(kind: ContentQuestion['kind'], nodeId?: number): readonly ContentQuestion[] {
    return this.asked
      .map(({ question }) => question)
      .filter((question) => question.kind === kind && (nodeId === undefined || question.nodeId === nodeId));
  }
}

export function string(hash: bigint, version: bigint, payload = version): Held {
  return { hash, payload, state: { kind: 'replaced', version } };
}

export function register(hash: bigint, version: bigint, rank: number): Held {
  return { hash, payload: 0n, state: { kind: 'register', version, rank } };
}

/** @param slots increments by node id
 *  @param base the version it was last set in, by node 0 */
export function counter(hash: bigint, version: bigint, slots: Record<number, bigint>, base = 1n): Held {
  const counted = Object.entries(slots).map(
    ([nodeId, increments]) => [Number(nodeId), { increments, decrements: 0n }] as const,
  );
  return {
    hash,
    payload: 0n,
    state: { kind: 'counter', version, base: { version: base, origin: 0 }, slots: new Map(counted) },
  };
}
