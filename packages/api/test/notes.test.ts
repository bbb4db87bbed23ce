// The notes that a replica of the operator writes on its Lease, and the plugin reads.

import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  formatNamespacesNote,
  formatReplicaLoad,
  type NamespacesNote,
  parseNamespacesNote,
  parseReplicaLoad,
  type ReplicaLoad,
} from '../src/index.ts';

const count = fc.nat();
const share = fc.integer({ min: 0, max: 1000 }).map((hundredths) => hundredths / 100);
const load: fc.Arbitrary<ReplicaLoad> = fc.record(
  { clusters: count, queue: share, loop: share, cpu: share, memory: share },
  { requiredKeys: ['clusters'] },
);
const word = fc.string({ maxLength: 160 });
const note: fc.Arbitrary<NamespacesNote> = fc.record({
  from: word,
  held: count,
  quiet: count,
  starting: count,
  refused: count,
  leaving: count,
  streams: count,
  without: fc.array(fc.record({ namespace: word, why: word }), { maxLength: 5 }),
  problems: fc.array(word, { maxLength: 5 }),
});

describe('the note about the load of a replica', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(load, (one) => {
        expect(parseReplicaLoad(formatReplicaLoad(one))).to.deep.equal(one);
      }),
    );
  });

  it('is not read from any other text', () => {
    for (const text of [undefined, '', 'queue=0.10', 'clusters=', 'clusters=x'])
      expect(parseReplicaLoad(text)).to.equal(undefined);
  });
});

describe('the note about the namespaces of a replica', () => {
  it('is read as it was written, as long as its lists are short', () => {
    fc.assert(
      fc.property(note, (one) => {
        expect(parseNamespacesNote(formatNamespacesNote(one))).to.deep.equal(one);
      }),
    );
  });

  it('is short enough to be read, however many namespaces there are and however long their problems', () => {
    const long = 'ä"\\\u0001'.repeat(500);
    const many = Array.from({ length: 900 }, (_, index) => index);
    const written = formatNamespacesNote({
      from: 'a/b',
      held: 1,
      quiet: 2,
      starting: 3,
      refused: 4,
      leaving: 5,
      streams: 6,
      without: many.map((index) => ({ namespace: `n-${index}`, why: long })),
      problems: many.map(() => long),
    });
    const read = parseNamespacesNote(written);
    expect(read?.without.map(({ namespace }) => namespace)).to.deep.equal(['n-0', 'n-1', 'n-2', 'n-3', 'n-4']);
    expect(read?.problems).to.have.length(5);
  });

  it('is not read from any other text', () => {
    for (const text of [undefined, '', '[]', '{}', '{"from":1}', '{"from":"a"', `{"from":"${'x'.repeat(9_000)}"}`])
      expect(parseNamespacesNote(text)).to.equal(undefined);
  });
});
