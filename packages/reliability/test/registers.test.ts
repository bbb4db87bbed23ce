// A comparison of simulated members that hold one HyperLogLog in different versions, on their own times: what it costs,
// and that it ends whatever the ranks are.

import { PARTITIONS } from '@marekvs/api';
import {
  type Comparison,
  type ComparisonPurpose,
  type ContentAnswer,
  type ContentQuestion,
  createComparison,
  Judged,
} from '@marekvs/planner';
import { createNetworkContentClient, MemberNetwork } from '@marekvs/simulator';
import type { ContentReader } from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';

const KEY = 'hll';
const IDS = [1, 2];
/** The members' own anti-entropy is busy with such a key all the time. */
const PATIENT = { timeoutMs: 60_000 };
const ELEMENTS = Array.from({ length: 3_000 }, (_, n) => `e${n}`);

/** The same elements, taken by each of two homes while nothing is pushed. */
function countedApart(second: readonly string[] = ELEMENTS): MemberNetwork {
  const net = new MemberNetwork({ seed: 3, replicas: 2 });
  net.formed(IDS, { knobs: { hyperLogLogRegisters: 400, pushLossRate: 1 } });
  // Until then members may still bootstrap, which merges everything.
  net.advance(30_000);
  for (const [id, elements] of [
    [1, ELEMENTS],
    [2, second],
  ] as const) {
    for (let from = 0; from < elements.length; from += 1_000)
      net.call(id, 'PFADD', KEY, ...elements.slice(from, from + 1_000));
    net.advance(100);
  }
  return net;
}

async function compare(net: MemberNetwork, purpose: ComparisonPurpose, judged: Judged) {
  const request = {
    purpose,
    id: 'test',
    members: IDS.map((nodeId) => ({ nodeId, podUid: '', ip: `127.0.1.${nodeId}`, generation: nodeId })),
    sources: purpose === 'removal' ? [1] : IDS,
    replicationFactor: 2,
    sinceMs: 0,
    isKeptFresh: false,
  };
  const client = createNetworkContentClient(net);
  const readers = new Map<number, ContentReader>();
  for (const { nodeId, ip } of request.members)
    readers.set(nodeId, await during(net, client.open({ host: ip }, { nodeId })));
  const beganMs = net.clock.now();
  const comparison = createComparison(request, beganMs, judged);
  const kinds: string[] = [];
  await drive(net, comparison, readers, kinds);
  for (const reader of readers.values()) reader.close();
  return { tookMs: net.clock.now() - beganMs, figures: comparison.figures(), kinds };
}

async function drive(
  net: MemberNetwork,
  comparison: Comparison,
  readers: ReadonlyMap<number, ContentReader>,
  kinds: string[],
): Promise<void> {
  const busy = new Set<number>();
  const untilMs = net.clock.now() + 120_000;
  while (busy.size > 0 || comparison.idleForMs(net.clock.now()) !== undefined) {
    expect(net.clock.now()).to.be.below(untilMs);
    for (const [nodeId, reader] of readers) {
      const question = busy.has(nodeId) ? undefined : comparison.next(nodeId, net.clock.now());
      if (question === undefined) continue;
      busy.add(nodeId);
      kinds.push(question.kind);
      void answerOf(reader, question).then((answer) => {
        busy.delete(nodeId);
        comparison.take(question, answer, net.clock.now());
      });
    }
    net.advance(1);
    for (let i = 0; i < 4; i += 1) await Promise.resolve();
  }
}

async function answerOf(reader: ContentReader, question: ContentQuestion): Promise<ContentAnswer> {
  switch (question.kind) {
    case 'digests':
      return { kind: 'digests', digests: await reader.digests(question.partitions, PATIENT) };
    case 'entries':
      return {
        kind: 'entries',
        entries: await reader.entries(question.partition, question.buckets, question.own, PATIENT),
      };
    case 'records':
      return {
        kind: 'records',
        records: await reader.records(question.partition, question.bucket, question.hashes, PATIENT),
      };
    case 'turn':
      return { kind: 'turn' };
    case 'stream':
      return { kind: 'stream', stream: await reader.stream(question.partition, PATIENT) };
  }
}

async function during<T>(net: MemberNetwork, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const done = promise.finally(() => {
    isSettled = true;
  });
  while (!isSettled) {
    net.advance(1);
    await Promise.resolve();
  }
  return done;
}

describe('members that hold a HyperLogLog of 400 registers in different versions', function () {
  this.timeout(20_000);

  it('are compared by one stream of each, and by digests alone after that', async () => {
    const net = countedApart();
    const judged = new Judged();
    const first = await compare(net, 'removal', judged);
    expect(first.figures).to.deep.include({ isComplete: true, diverging: { registers: 0, keys: 0 } });
    expect(first.kinds.filter((kind) => kind === 'stream')).to.have.length(2);
    expect(first.kinds.filter((kind) => kind === 'records')).to.have.length(0);
    expect(first.tookMs).to.be.below(3_000);
    const again = await compare(net, 'removal', judged);
    expect(again.figures.isComplete).to.equal(true);
    expect(new Set(again.kinds)).to.deep.equal(new Set(['digests']));
    expect(again.kinds).to.have.length.below((IDS.length * PARTITIONS) / 64 + 10);
  });

  it('end a comparison also where they have counted other elements, and say how many registers diverge', async () => {
    const net = countedApart(ELEMENTS.map((element) => `other-${element}`));
    const removal = await compare(net, 'removal', new Judged());
    expect(removal.tookMs).to.be.below(4_000);
    expect(removal.figures.isComplete).to.equal(true);
    expect(removal.figures.diverging.keys).to.equal(1);
    expect(removal.figures.diverging.registers).to.be.within(50, 350);
    expect(removal.kinds.filter((kind) => kind === 'stream')).to.have.length(2);
  });
});
