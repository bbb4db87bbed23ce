import { ownedCounts, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { parseClusterInfo, parseInfo } from '../src/cluster-info.ts';
import { digestOfNodes, type MemberLine, maxBytesOfNodes, parseClusterNodes } from '../src/cluster-nodes.ts';
import { StoreError, StoreProtocolError, StoreTooLargeError } from '../src/errors.ts';
import { parseNodeId } from '../src/node-id.ts';
import { RespDecoder } from '../src/resp-decoder.ts';
import { RespErrorReply, type RespValue } from '../src/resp-value.ts';
import { digestOfSlots, parseClusterSlots } from './support/cluster-slots.ts';
import { expectedNodeSlots, expectedSlotRanges } from './support/expected-view.ts';
import { sample, sampleText } from './support/samples.ts';

const GENERATION = 1_795_262_237;
const slotsOf = ({ primarySlots, rangeCount, slotsDigest }: MemberLine) => ({ primarySlots, rangeCount, slotsDigest });
const line = (over: Partial<Record<'id' | 'addr' | 'flags' | 'gen' | 'ranges', string>> = {}): string =>
  `${over.id ?? formatNodeId(1)} ${over.addr ?? '10.0.0.1:6379@7946'} ${over.flags ?? 'master'} - 0 0 ` +
  `${over.gen ?? '17'} connected${over.ranges ?? ' 0-3'}\n`;

/** The real answer to CLUSTER SLOTS, decoded. */
function realSlots(): RespValue {
  const decoder = new RespDecoder();
  decoder.push(sample('cluster_slots.raw.gz'));
  return decoder.next() ?? null;
}

/** As a member prints it. */
const formatNodeId = (id: number): string => id.toString(16).padStart(40, '0');

describe('parseClusterNodes', () => {
  it('reads the three members of the real answer with their exact figures', () => {
    const nodes = parseClusterNodes(sample('cluster_nodes.txt'));
    expect(
      nodes.map(({ id, ip, myself, primarySlots, rangeCount }) => [id, ip, myself, primarySlots, rangeCount]),
    ).to.deep.equal([
      [1, '127.0.1.1', true, 5396, 1103],
      [2, '127.0.1.2', false, 5308, 1103],
      [3, '127.0.1.3', false, 5680, 1177],
    ]);
    for (const node of nodes) {
      expect([node.respPort, node.gossipPort, node.generation]).to.deep.equal([6379, 7946, GENERATION]);
    }
    expect(nodes.reduce((sum, node) => sum + node.primarySlots, 0)).to.equal(16384);
    expect(
      nodes.reduce((sum, node) => sum + node.rangeCount, 0),
      'as many as CLUSTER SLOTS has',
    ).to.equal(3383);
  });

  it('shows a leaving member without slots', () => {
    const nodes = parseClusterNodes(sampleText('cluster_nodes_while_3_leaving_from_1.txt'));
    expect(nodes.map((node) => [node.id, node.primarySlots])).to.deep.equal([
      [1, 8208],
      [2, 8176],
      [3, 0],
    ]);
  });

  it('reads node ids as hexadecimal numbers', () => {
    expect(parseClusterNodes(line({ id: formatNodeId(300) }))[0]?.id).to.equal(300);
    expect(parseClusterNodes(line({ id: formatNodeId(65534) }))[0]?.id).to.equal(65534);
    expect(sampleText('cluster_myid.txt').trim()).to.equal(formatNodeId(1));
  });

  it('accepts a single slot and a member without slots', () => {
    const [one] = parseClusterNodes(line({ ranges: ' 7 9-12' }));
    expect([one?.primarySlots, one?.rangeCount]).to.deep.equal([5, 2]);
    expect(parseClusterNodes(line({ ranges: '' }))[0]?.primarySlots).to.equal(0);
  });

  const bad: [what: string, text: string][] = [
    ['an empty answer', ''],
    ['a line without its end', line().trimEnd()],
    ['ranges that overlap', line({ ranges: ' 0-3 3-7' })],
    ['ranges that go back', line({ ranges: ' 8-11 0-3' })],
    ['a range beyond slot 16383', line({ ranges: ' 16380-16384' })],
    ['a range that ends before it starts', line({ ranges: ' 5-4' })],
    ['a range without an end', line({ ranges: ' 5-' })],
    ['two blanks', line({ ranges: '  5-6' })],
    ['a range of letters', line({ ranges: ' a-b' })],
    ['an id with too many digits', line({ id: `0${formatNodeId(1)}` })],
    ['an id above 65535', line({ id: (65536).toString(16).padStart(40, '0') })],
    ['an IPv6 address', line({ addr: '::1:6379@7946' })],
    ['an address that is none', line({ addr: '10.0.0.256:6379@7946' })],
    ['a port that is none', line({ addr: '10.0.0.1:65536@7946' })],
    ['another role', line({ flags: 'slave' })],
    ['a generation that is no number', line({ gen: 'x' })],
    ['a member twice', line() + line()],
    [
      'two who say myself',
      line({ flags: 'myself,master' }) + line({ id: formatNodeId(2), flags: 'myself,master', ranges: '' }),
    ],
    ['more slots than there are', line({ ranges: ' 0-16383' }) + line({ id: formatNodeId(2) })],
    ['an answer of another kind', '-ERR\n'],
    ['CRLF instead of LF', line().replace('\n', '\r\n')],
  ];
  for (const [what, text] of bad) {
    it(`refuses ${what}`, () => {
      expect(() => parseClusterNodes(text)).to.throw(StoreProtocolError);
    });
  }

  it('gives fewer complete members or an error for a cut-off answer, never a wrong member or figure', () => {
    const text = sample('cluster_nodes.txt');
    const whole = parseClusterNodes(text);
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), (cut) => {
        let part: readonly MemberLine[] = [];
        try {
          part = parseClusterNodes(text.subarray(0, cut));
        } catch (error) {
          expect(error).to.be.instanceOf(StoreProtocolError);
        }
        expect(part).to.deep.equal(whole.slice(0, part.length));
      }),
    );
  });

  it('reads as many members as the caller allows, and refuses one more by the figure alone', () => {
    const lines = Array.from({ length: 9 }, (_, id) => line({ id: formatNodeId(id), flags: 'master', ranges: '' }));
    expect(parseClusterNodes(lines.slice(0, 8).join(''), 8)).to.have.length(8);
    expect(() => parseClusterNodes(lines.join(''), 8))
      .to.throw(StoreTooLargeError, 'more than 8 members')
      .with.property('limit', 8);
  });

  it('stops at the member with which more slots are assigned than there are', () => {
    const all = line({ ranges: ' 0-16383' }) + line({ id: formatNodeId(2), ranges: ' 7' });
    expect(() => parseClusterNodes(`${all}and not one byte more is read`)).to.throw(
      StoreProtocolError,
      '16385 of 16384',
    );
  });

  it('leaves room in its bytes for a list of so many members, each slot a range', () => {
    const slots = Array.from({ length: 16_384 }, (_, slot) => ` ${slot}-${slot}`).join('');
    const longest = { addr: '255.255.255.255:65535@65535', flags: 'myself,master', gen: '999999999999999' };
    const text =
      line({ ...longest, ranges: slots }) + line({ id: formatNodeId(2), ...longest, ranges: '' }).repeat(999);
    expect(text.length).to.be.at.most(maxBytesOfNodes(1000));
  });

  it('refuses ten answers in one', () => {
    expect(() => parseClusterNodes(sampleText('cluster_nodes.txt').repeat(10))).to.throw(StoreProtocolError);
  });

  it('never gives the same digest to a table with one byte changed', () => {
    const text = sample('cluster_nodes.txt');
    const digest = digestOfNodes(parseClusterNodes(text));
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), fc.constantFrom(...Buffer.from('0123456789 -\n')), (at, byte) => {
        // Bytes that do not matter for agreement: who answered, and addresses.
        const lineStart = text.lastIndexOf(0x0a, at - 1) + 1;
        fc.pre(text[at] !== byte && (at - lineStart < 40 || at - lineStart > 85));
        const changed = text.slice();
        changed[at] = byte;
        try {
          expect(digestOfNodes(parseClusterNodes(changed))).to.not.equal(digest);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('digestOfNodes', () => {
  const nodes = parseClusterNodes(sample('cluster_nodes.txt'));
  const digest = digestOfNodes(nodes);

  it('does not depend on who answered or in which order', () => {
    const asSeenBy3 = nodes.map((node) => ({ ...node, myself: node.id === 3 })).reverse();
    expect(digestOfNodes(asSeenBy3)).to.equal(digest);
  });

  it('changes with a generation, a missing member and a leaving one', () => {
    const restarted = nodes.map((node) => (node.id === 2 ? { ...node, generation: GENERATION + 1 } : node));
    const leaving = parseClusterNodes(sample('cluster_nodes_while_3_leaving_from_1.txt'));
    const all = [digest, digestOfNodes(restarted), digestOfNodes(nodes.slice(0, 2)), digestOfNodes(leaving)];
    expect(new Set(all).size).to.equal(4);
    for (const one of all) expect(one).to.match(/^[0-9a-f]{16}$/);
  });
});

describe('parseClusterSlots', () => {
  const table = parseClusterSlots(realSlots());

  it('reads all 3,383 ranges of the real answer and the homes of node 1', () => {
    expect(table.ranges).to.have.length(3383);
    expect(table.assignedSlots).to.equal(16384);
    expect(table.ranges[0]).to.deep.equal({ start: 0, end: 3, owners: [1, 3] });
    const homed = table.ranges.filter((range) => range.owners.includes(1));
    const partitions = homed.reduce((sum, range) => sum + (range.end - range.start + 1) / 4, 0);
    expect(partitions, 'what its metrics say').to.equal(2716);
    expect(ownedCounts([1, 2, 3], 2).get(1)).to.equal(partitions);
  });

  it('reads exactly what the placement predicts', () => {
    const expected = expectedSlotRanges(placementOf([1, 2, 3], 2));
    expect(table.ranges).to.deep.equal(expected);
    expect(table.digest).to.equal(digestOfSlots(expected));
  });

  it('gives a digest that does not depend on how neighbours with equal homes are cut', () => {
    const cut = table.ranges.flatMap(({ start, end, owners }) =>
      Array.from({ length: (end - start + 1) / 4 }, (_, i) => ({
        start: start + 4 * i,
        end: start + 4 * i + 3,
        owners,
      })),
    );
    expect(cut).to.have.length(4096);
    expect(digestOfSlots(cut)).to.equal(table.digest);
  });

  it('gives another digest when slots in between have no home', () => {
    const [left, right, whole] = [
      [0, 3],
      [8, 11],
      [0, 11],
    ].map(([start = 0, end = 0]) => ({ start, end, owners: [1] }));
    if (!left || !right || !whole) throw new Error('three ranges');
    expect(digestOfSlots([left, right])).to.not.equal(digestOfSlots([whole]));
  });

  it('gives another digest for another replication factor, another member and another order of homes', () => {
    const swapped = table.ranges.map((range, i) => (i === 9 ? { ...range, owners: range.owners.toReversed() } : range));
    const digests = [
      table.digest,
      digestOfSlots(swapped),
      ...[placementOf([1, 2, 3], 3), placementOf([1, 2], 2), placementOf([1, 2, 4], 2)].map((placement) =>
        digestOfSlots(expectedSlotRanges(placement)),
      ),
    ];
    expect(new Set(digests).size).to.equal(5);
  });

  const home: RespValue = ['10.0.0.1', 6379, new TextEncoder().encode(formatNodeId(1))];
  const bad: [what: string, answer: RespValue][] = [
    ['an error reply', new RespErrorReply('ERR no')],
    ['null', null],
    ['an entry that is no array', [1]],
    ['a range without homes', [[0, 3]]],
    ['a home twice', [[0, 3, home, home]]],
    ['a home without an id', [[0, 3, ['10.0.0.1', 6379]]]],
    ['an id that is none', [[0, 3, ['10.0.0.1', 6379, new Uint8Array(40)]]]],
    ['a range beyond the last slot', [[16380, 16384, home]]],
    [
      'ranges that overlap',
      [
        [0, 3, home],
        [3, 7, home],
      ],
    ],
    ['borders that are no numbers', [['0', '3', home]]],
  ];
  for (const [what, answer] of bad) {
    it(`refuses ${what}`, () => {
      expect(() => parseClusterSlots(answer)).to.throw(StoreProtocolError);
    });
  }
});

describe('expectedNodeSlots', () => {
  it('predicts every line of the real answer digit for digit', () => {
    const expected = expectedNodeSlots(placementOf([1, 2, 3], 2));
    for (const node of parseClusterNodes(sample('cluster_nodes.txt'))) {
      expect(slotsOf(node)).to.deep.equal(expected.get(node.id));
    }
  });

  it('predicts the real answer while member 3 is leaving', () => {
    const expected = expectedNodeSlots(placementOf([1, 2, 3], 2), new Set([3]));
    for (const node of parseClusterNodes(sample('cluster_nodes_while_3_leaving_from_1.txt'))) {
      expect(slotsOf(node)).to.deep.equal(expected.get(node.id));
    }
  });

  it('differs for another replication factor although the primaries are the same', () => {
    const [two, three] = [2, 3].map((factor) => expectedNodeSlots(placementOf([1, 2, 3, 4], factor)));
    expect(two?.get(1)?.primarySlots).to.equal(three?.get(1)?.primarySlots);
    expect(two?.get(1)?.slotsDigest).to.not.equal(three?.get(1)?.slotsDigest);
  });
});

describe('parseClusterInfo and parseInfo', () => {
  it('reads the real answers', () => {
    expect(parseClusterInfo(sample('cluster_info.txt'))).to.deep.equal({
      knownNodes: 3,
      size: 3,
      currentEpoch: 4,
      myEpoch: GENERATION,
    });
    expect(parseClusterInfo(sampleText('cluster_info_while_3_leaving_from_1.txt'))).to.include({
      knownNodes: 3,
      size: 2,
    });
    const info = parseInfo(sampleText('info_bare.txt'));
    expect([info.get('run_id'), info.get('role'), info.get('db0')]).to.deep.equal([
      '000001a1fdf7c961a18980955f4a7c2100000001',
      'master',
      'keys=1311,expires=0,avg_ttl=0',
    ]);
  });

  it('refuses every cut of CLUSTER INFO', () => {
    const text = sampleText('cluster_info.txt');
    for (let cut = 0; cut < text.length; cut += 1) {
      expect(() => parseClusterInfo(text.slice(0, cut)), `cut at ${cut}`).to.throw(StoreProtocolError);
    }
  });

  it('refuses a field that is missing, duplicate, negative or not a number', () => {
    const text = sampleText('cluster_info.txt');
    for (const to of [
      '',
      'cluster_size:1\r\ncluster_size:2',
      'cluster_size:-1',
      'cluster_size:',
      'cluster_size:three',
    ]) {
      expect(() => parseClusterInfo(text.replace('cluster_size:3', to)), to).to.throw(StoreProtocolError);
    }
    expect(() => parseInfo('no colon\r\n')).to.throw(StoreProtocolError);
  });
});

describe('node ids', () => {
  it('survive printing and parsing, and nothing else is accepted as one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 65535 }), (id) => {
        expect(parseNodeId(new TextEncoder().encode(formatNodeId(id)))).to.equal(id);
      }),
    );
    for (const bad of [
      '',
      '0'.repeat(39),
      '0'.repeat(41),
      `${'0'.repeat(36)}00G1`,
      `${'0'.repeat(36)}00F1`,
      `1${'0'.repeat(39)}`,
    ]) {
      expect(parseNodeId(new TextEncoder().encode(bad)), bad).to.equal(undefined);
    }
  });
});
