// Members whose contents change at random while they are compared. Everything each of them ever held is kept, so that
// "covered" can be judged from outside, by a model of its own.

import { homesAt, placementOf } from '@marekvs/api';
import type { Comparison, ComparisonRequest, ContentAnswer, ContentQuestion } from '../../../src/index.ts';
import { createComparison } from '../../../src/index.ts';
import { type Held, ModelMember, markOf, merged, type RecordState } from './model.ts';

interface Moment {
  readonly atMs: number;
  readonly held: Held | undefined;
}

interface Outstanding {
  readonly question: ContentQuestion;
  answer: ContentAnswer | undefined;
}

/** Few partitions and keys, so that much happens to each. */
const PARTITIONS = [0, 63, 64, 4095];
const HASHES = Array.from({ length: 24 }, (_, i) => BigInt(i * 37));

export class Life {
  readonly comparison: Comparison;
  readonly request: ComparisonRequest;
  readonly startedAtMs: number;
  nowMs = 0;
  failures = 0;
  questions = 0;
  readonly #random: () => number;
  readonly #members: readonly ModelMember[];
  readonly #histories = new Map<string, Moment[]>();
  readonly #outstanding = new Map<number, Outstanding>();
  readonly #expired = new Map<string, bigint>();
  #version = 0n;

  /** @param seed any integer; the same one gives the same life
   *  @param differences changes since the members were equal; undefined when they never were */
  constructor(request: ComparisonRequest, seed: number, differences: number | undefined) {
    this.#random = mulberry32(seed);
    this.request = request;
    this.#members = request.members.map(({ nodeId }) => new ModelMember(nodeId));
    for (let i = 0; i < 60; i += 1) this.change();
    if (differences !== undefined) this.converge();
    for (let i = 0; i < (differences ?? 0); i += 1) this.change();
    this.#tick();
    this.startedAtMs = this.nowMs;
    this.comparison = createComparison(request, this.nowMs);
  }

  get outstanding(): number {
    return this.#outstanding.size;
  }

  /** One thing happens: with likelihood `changes` a change of contents, otherwise a question, or an answer that is made
   *  or arrives. */
  step(changes: number, failures = 0): void {
    this.#tick();
    const dice = this.#random();
    if (dice < changes) this.change();
    else if (dice < changes + (1 - changes) / 3) this.#ask();
    else this.#answer(failures);
  }

  /** Everything outstanding fails, and the comparison goes on later. */
  pause(): void {
    for (const { question } of this.#outstanding.values())
      this.comparison.take(question, { kind: 'failed' }, this.nowMs);
    this.#outstanding.clear();
    this.comparison.rest(this.nowMs);
  }

  #ask(): void {
    const member = this.#pick(this.#members);
    if (this.#outstanding.has(member.id)) return;
    const question = this.comparison.next(member.id, this.nowMs);
    if (question === undefined) return;
    this.questions += 1;
    this.#outstanding.set(member.id, { question, answer: undefined });
  }

  #answer(failures: number): void {
    const [id, waiting] = this.#pick([...this.#outstanding]) ?? [];
    if (id === undefined || waiting === undefined) return;
    // A member answers at one moment, and the answer arrives at a later one.
    waiting.answer ??= this.#memberOf(id).answer(waiting.question);
    if (this.#random() < 0.4) return;
    this.#outstanding.delete(id);
    const isFailing = this.#random() < failures;
    this.failures += isFailing ? 1 : 0;
    this.comparison.take(waiting.question, isFailing ? { kind: 'failed' } : waiting.answer, this.nowMs);
  }

  /** Something happens to the contents of a member. */
  change(): void {
    const [partition, hash, member] = [this.#pick(PARTITIONS), this.#pick(HASHES), this.#pick(this.#members)];
    const dice = this.#random();
    if (dice < 0.45) this.#set(member, partition, this.#written(member, partition, hash));
    else if (dice < 0.9) this.#push(member, this.#pick(this.#members), partition, hash);
    else if (dice < 0.97) this.#expire(member, partition, hash);
    else this.#conflict(member, partition, hash);
  }

  /** Members give each other everything they hold. Then homes are equal, and strays stay as they are where the records
   *  of the homes cover them. */
  converge(): void {
    this.#tick();
    for (const partition of PARTITIONS) {
      const homes = this.homes(partition);
      for (const hash of HASHES) {
        let best: Held | undefined;
        for (const member of this.#members) {
          const held = member.get(partition, hash);
          if (held !== undefined) best = merged(best, held);
        }
        if (best === undefined) continue;
        for (const member of this.#members) {
          const held = member.get(partition, hash);
          if (homes.includes(member.id) || (held !== undefined && !contains(best, held))) {
            this.#set(member, partition, best);
          }
        }
      }
    }
  }

  homes(partition: number): readonly number[] {
    const ids = this.#members.map(({ id }) => id);
    return homesAt(placementOf(ids, this.request.replicationFactor), partition);
  }

  /** Records that a source has held since `coveredAtMs` and that another home never had.
   *  @param fromMs states of the homes count from then on */
  uncovered(coveredAtMs: number, fromMs: number): readonly string[] {
    const problems: string[] = [];
    for (const source of this.request.sources) {
      for (const partition of PARTITIONS) {
        for (const hash of HASHES) {
          const states = since(this.#history(source, partition, hash), coveredAtMs);
          if (states.some((held) => held === undefined)) continue;
          for (const home of this.homes(partition)) {
            const there = since(this.#history(home, partition, hash), fromMs);
            const isCovered = states.some((a) =>
              there.some((b) => a !== undefined && b !== undefined && contains(b, a)),
            );
            if (home !== source && !isCovered) problems.push(`${hash} of ${partition}: at ${source}, never at ${home}`);
          }
        }
      }
    }
    return problems;
  }

  #written({ id }: ModelMember, partition: number, hash: bigint): Held {
    const own = this.#memberOf(id).get(partition, hash)?.state;
    this.#version += 1n;
    const version = this.#version;
    const kind = this.#random() < 0.05 ? Number(this.#version % 3n) : Number(hash % 3n);
    if (kind === 0) return { hash, payload: version, state: { kind: 'replaced', version } };
    if (kind === 1) {
      const rank = Math.max(own?.kind === 'register' ? own.rank : 0, Math.floor(this.#random() * 8));
      return { hash, payload: 0n, state: { kind: 'register', version, rank } };
    }
    return { hash, payload: 0n, state: this.#counted(id, own, version) };
  }

  #counted(id: number, own: RecordState | undefined, version: bigint): RecordState {
    if (own?.kind !== 'counter' || this.#random() < 0.15) {
      return { kind: 'counter', version, base: { version, origin: id }, slots: new Map() };
    }
    const { increments, decrements } = own.slots.get(id) ?? { increments: 0n, decrements: 0n };
    const isUp = this.#random() < 0.5;
    const counted = isUp ? { increments: increments + 1n, decrements } : { increments, decrements: decrements + 1n };
    return { ...own, version, slots: new Map(own.slots).set(id, counted) };
  }

  #push(from: ModelMember, to: ModelMember, partition: number, hash: bigint): void {
    const held = from.get(partition, hash);
    if (held === undefined || held.state.version <= (this.#expired.get(`${partition} ${hash}`) ?? -1n)) return;
    const result = merged(to.get(partition, hash), held);
    if (result !== to.get(partition, hash)) this.#set(to, partition, result);
  }

  /** Every member drops the record at a time of its own, and none takes it again. */
  #expire(member: ModelMember, partition: number, hash: bigint): void {
    const held = member.get(partition, hash);
    if (held === undefined) return;
    const key = `${partition} ${hash}`;
    if (this.#random() < 0.3) this.#expired.set(key, held.state.version);
    if (held.state.version > (this.#expired.get(key) ?? -1n)) return;
    member.drop(partition, hash);
    this.#note(member.id, partition, hash, undefined);
  }

  /** The same version with other content. */
  #conflict(member: ModelMember, partition: number, hash: bigint): void {
    const held = member.get(partition, hash);
    if (held?.state.kind === 'replaced') this.#set(member, partition, { ...held, payload: held.payload + 1_000_000n });
  }

  #set(member: ModelMember, partition: number, held: Held): void {
    member.set(partition, held);
    this.#note(member.id, partition, held.hash, held);
  }

  #note(id: number, partition: number, hash: bigint, held: Held | undefined): void {
    const key = `${id} ${partition} ${hash}`;
    const history = this.#histories.get(key) ?? [];
    history.push({ atMs: this.nowMs, held });
    this.#histories.set(key, history);
  }

  #history(id: number, partition: number, hash: bigint): readonly Moment[] {
    return this.#histories.get(`${id} ${partition} ${hash}`) ?? [];
  }

  #memberOf(id: number): ModelMember {
    const member = this.#members.find((one) => one.id === id);
    if (member === undefined) throw new Error(`no member ${id}`);
    return member;
  }

  #tick(): void {
    this.nowMs += 1 + Math.floor(this.#random() * this.#random() * 300);
  }

  #pick<T>(of: readonly T[]): T {
    return of[Math.floor(this.#random() * of.length)] as T;
  }
}

/** What was held at that moment and ever after; undefined where there was nothing. */
function since(history: readonly Moment[], fromMs: number): readonly (Held | undefined)[] {
  const before = history.filter(({ atMs }) => atMs <= fromMs).at(-1);
  return [before?.held, ...history.filter(({ atMs }) => atMs > fromMs).map(({ held }) => held)];
}

/** Whether the merge of `whole` with `part` changes nothing. Registers that diverge are not missing. */
function contains(whole: Held, part: Held): boolean {
  if (whole.state.kind === 'register' && part.state.kind === 'register') return true;
  const [a, b] = [markOf(whole), markOf(merged(whole, part))];
  return a.version === b.version && a.content === b.content;
}

function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
