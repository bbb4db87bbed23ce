// A comparison without contents: a number of questions to every member, complete when all are answered; and members
// that answer them, on a clock by hand.

import { EMPTY_DIGEST } from '@marekvs/api';
import type { Comparison, ComparisonRequest, ContentQuestion, CreateComparison } from '@marekvs/planner';
import type { ContentClient, ContentReader } from '@marekvs/store-client';
import type { ManualClock } from '../../../runtime/test/support/manual-clock.ts';

export const COMPARED = 'default/demo';

export function comparisonRequest(change: Partial<ComparisonRequest> = {}): ComparisonRequest {
  return {
    purpose: 'change',
    id: 'op-1',
    members: [1, 2].map((id) => comparedMember(id)),
    sources: [1],
    replicationFactor: 2,
    sinceMs: 0,
    isKeptFresh: false,
    ...change,
  };
}

export const comparedMember = (nodeId: number, generation = 100) => ({
  nodeId,
  podUid: `pod-${nodeId}-${generation}`,
  ip: `127.0.1.${nodeId}`,
  generation,
});

export interface FakeComparison extends Comparison {
  readonly request: ComparisonRequest;
  readonly createdAtMs: number;
  /** As text, in order. */
  readonly taken: string[];
  readonly sweeps: number[];
  readonly rests: number[];
  /** Missing records: the comparison does not become complete, and compares again every second. */
  missing: number;
  /** How often the figures were computed. */
  figuresMade: number;
}

export interface FakeComparisonOptions {
  /** For every member. @default 3 */
  readonly questions?: number;
  readonly partitions?: number;
  readonly missing?: number;
  /** Every answer shows progress, and there is always something left to ask: contents that never stand still. */
  readonly isRestless?: boolean;
  /** Runs in `take`. */
  readonly onTake?: (comparison: FakeComparison, question: ContentQuestion) => void;
}

export function createFakeComparison(
  request: ComparisonRequest,
  createdAtMs: number,
  { questions = 3, partitions = 4, missing = 0, isRestless = false, onTake = () => {} }: FakeComparisonOptions,
): FakeComparison {
  const left = new Map(request.members.map(({ nodeId }) => [nodeId, questions]));
  const outstanding = new Set<ContentQuestion>();
  let done = 0;
  let sweptAtMs = createdAtMs;
  let coveredAtMs: number | undefined;
  let movedAtMs = createdAtMs;
  let againAtMs: number | undefined;

  const fake: FakeComparison = {
    request,
    createdAtMs,
    taken: [],
    sweeps: [],
    rests: [],
    missing,
    figuresMade: 0,
    next(nodeId, nowMs) {
      if (againAtMs !== undefined && nowMs >= againAtMs) {
        againAtMs = undefined;
        left.set(request.sources[0] ?? 0, 1);
      }
      const count = left.get(nodeId) ?? 0;
      if (count === 0) return undefined;
      if ([...outstanding].some((question) => question.nodeId === nodeId))
        throw new Error(`two questions outstanding at ${nodeId}`);
      left.set(nodeId, count - 1);
      const question: ContentQuestion = {
        kind: 'digests',
        nodeId,
        partitions: Array.from({ length: partitions }, (_, i) => i),
      };
      outstanding.add(question);
      return question;
    },
    take(question, answer, nowMs) {
      fake.taken.push(`${question.nodeId} ${answer.kind}`);
      if (!outstanding.delete(question)) throw new Error('nobody asked for that');
      if (answer.kind === 'failed') {
        left.set(question.nodeId, (left.get(question.nodeId) ?? 0) + 1);
        return;
      }
      onTake(fake, question);
      done += 1;
      if (isRestless) {
        movedAtMs = nowMs;
        left.set(question.nodeId, 1);
      }
      if (sum(left.values()) + outstanding.size > 0) return;
      if (fake.missing > 0) {
        againAtMs = nowMs + 1_000;
        coveredAtMs = undefined;
      } else {
        coveredAtMs = sweptAtMs;
        movedAtMs = nowMs;
      }
    },
    idleForMs: (nowMs) => (againAtMs === undefined ? undefined : Math.max(0, againAtMs - nowMs)),
    sweep(nowMs) {
      sweptAtMs = nowMs;
      fake.sweeps.push(nowMs);
      for (const { nodeId } of request.members) left.set(nodeId, 1);
    },
    rest(nowMs) {
      if (outstanding.size > 0) throw new Error('a question is outstanding');
      fake.rests.push(nowMs);
    },
    divergingKeys: () => [],
    figures() {
      fake.figuresMade += 1;
      const isComplete = coveredAtMs !== undefined;
      const lost = { sourceId: 1, homeId: 2, partitions: 1, records: fake.missing };
      return {
        isComplete,
        coveredAtMs,
        sweptAtMs: coveredAtMs,
        partitionsDone: done,
        partitionsTotal: 4096,
        missing: fake.missing === 0 ? [] : [lost],
        diverging: { registers: 0, keys: 0 },
        records: new Map(),
        scannedAtMs: undefined,
        movedAtMs,
      };
    },
  };
  return fake;
}

/** Creates comparisons and keeps those it has created. */
export function fakeComparisons(options: FakeComparisonOptions = {}) {
  const made: FakeComparison[] = [];
  const createComparison: CreateComparison = (request, nowMs) => {
    const fake = createFakeComparison(request, nowMs, options);
    made.push(fake);
    return fake;
  };
  return { made, createComparison };
}

export interface FakeContents extends ContentClient {
  /** `<ms> open|ask|close <host>`, in order. */
  readonly log: string[];
  /** By host, the number of open connections. */
  readonly connections: Map<string, number>;
  /** What happens when a connection opens or a question is asked; may throw or wait. The default takes 10 ms. */
  onOpen: (host: string, signal: AbortSignal | undefined) => Promise<void>;
  onAsk: (host: string, signal: AbortSignal | undefined) => Promise<void>;
}

export function createFakeContents(clock: ManualClock): FakeContents {
  const log: string[] = [];
  const open = new Map<string, number>();
  const note = (what: string, host: string): void => {
    log.push(`${clock.steadyMs()} ${what} ${host.slice('127.0.1.'.length)}`);
  };
  const fake: FakeContents = {
    log,
    connections: open,
    onOpen: async () => {},
    onAsk: async (_host, signal) => clock.delay(10, signal),
    async open({ host }, options) {
      note('open', host);
      await fake.onOpen(host, options.signal);
      open.set(host, (open.get(host) ?? 0) + 1);
      return reader(host);
    },
  };

  function reader(host: string): ContentReader {
    let isClosed = false;
    const ask = async <T>(answer: T, signal: AbortSignal | undefined): Promise<T> => {
      if (isClosed) throw new Error('asked after it was closed');
      note('ask', host);
      await fake.onAsk(host, signal);
      return answer;
    };
    return {
      digests: (partitions, options) =>
        ask(
          partitions.map(() => EMPTY_DIGEST),
          options?.signal,
        ),
      entries: (_partition, _buckets, _own, options) => ask(new Map(), options?.signal),
      records: (_partition, _bucket, _hashes, options) => ask([], options?.signal),
      stream: (_partition, options) => ask(undefined, options?.signal),
      close() {
        if (isClosed) return;
        isClosed = true;
        note('close', host);
        open.set(host, (open.get(host) ?? 0) - 1);
      },
    };
  }
  return fake;
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((a, b) => a + b, 0);
