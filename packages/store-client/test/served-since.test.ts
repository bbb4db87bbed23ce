// Whether clients have sent anything is found in the text of the figures as it is found in the figures, and in doubt it is said that they have.

import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { parseMetricsText } from '../src/member-metrics.ts';
import { isUnserved, isUnservedSince } from '../src/served-since.ts';
import { sampleBody } from './support/samples.ts';

const TEXT = Buffer.from(sampleBody('http_metrics.txt')).toString('latin1');
const KNOWN = parseMetricsText(TEXT);

function unserved(text: string, known = KNOWN): boolean {
  return isUnserved(Buffer.from(text, 'latin1'), known);
}

function changed(from: RegExp, to: string): string {
  const text = TEXT.replace(from, to);
  if (text === TEXT) throw new Error(`nothing fits ${from}`);
  return text;
}

describe('the figures of a member', () => {
  const rows: readonly (readonly [string, RegExp, string, boolean])[] = [
    ['as they were', /$/, '', true],
    [
      'with more of what the operator asks',
      /commands_total{cmd="cluster"} 17/,
      'commands_total{cmd="cluster"} 42',
      true,
    ],
    [
      'with a kind of question of ours that was not there',
      /\n(marekvs_commands_total{cmd="info"})/,
      '\nmarekvs_commands_total{cmd="hello"} 3\n$1',
      true,
    ],
    ['a while later', /marekvs_uptime_seconds 12/, 'marekvs_uptime_seconds 612', true],
    ['with one command more of a client', /commands_total{cmd="set"} 628/, 'cmd="set"} 629', false],
    ['with one command less', /commands_total{cmd="set"} 628/, 'cmd="set"} 627', false],
    [
      'with another kind of command',
      /\n(marekvs_commands_total{cmd="info"})/,
      '\nmarekvs_commands_total{cmd="get"} 1\n$1',
      false,
    ],
    [
      'with a command that calls itself one of ours',
      /\n(marekvs_commands_total{cmd="info"})/,
      '\nmarekvs_commands_total{cmd="info\\\\""} 1\n$1',
      false,
    ],
    ['without the counter', /marekvs_commands_total{cmd="set"} 628\n/, '', false],
    ['with a counter that is no whole number', /commands_total{cmd="set"} 628/, 'cmd="set"} 628.5', false],
    ['with a counter that is no number', /commands_total{cmd="set"} 628/, 'cmd="set"} NaN', false],
    ['of another member', /node_id="1"/, 'node_id="2"', false],
    ['of nobody', /marekvs_info{[^\n]*\n/, '', false],
    ['of a process that was started anew', /marekvs_uptime_seconds 12/, 'marekvs_uptime_seconds 11', false],
    ['of no age', /marekvs_uptime_seconds 12\n/, '', false],
    ['in another membership', /marekvs_cluster_members 3/, 'marekvs_cluster_members 4', false],
    ['with other partitions', /marekvs_cluster_owned_partitions 2716/, 'marekvs_cluster_owned_partitions 2715', false],
    ['that are cut off', /\n$/, '', false],
  ];
  for (const [what, from, to, expected] of rows)
    it(`${expected ? 'say that nobody has sent anything' : 'are read'} when they come ${what}`, () => {
      expect(unserved(changed(from, to === '' && expected ? '# the end\n' : to))).to.equal(expected);
    });

  it('are read while what is known was from before the first statistics, or of nobody', () => {
    expect(unserved(TEXT, { ...KNOWN, isFresh: false })).to.equal(false);
    expect(unserved(TEXT, { ...KNOWN, nodeId: undefined })).to.equal(false);
  });

  it('are never said to show nothing new when reading them shows something', () => {
    const counts = fc.record({
      set: fc.integer({ min: 626, max: 630 }),
      get: fc.integer({ min: 0, max: 2 }),
      info: fc.integer({ min: 8, max: 12 }),
      up: fc.integer({ min: 10, max: 14 }),
      members: fc.integer({ min: 2, max: 4 }),
      owned: fc.integer({ min: 2715, max: 2717 }),
      id: fc.integer({ min: 0, max: 2 }),
    });
    fc.assert(
      fc.property(counts, ({ set, get, info, up, members, owned, id }) => {
        const text = TEXT.replace('commands_total{cmd="set"} 628', `commands_total{cmd="set"} ${set}`)
          .replace(/\n(marekvs_commands_total{cmd="info"}) 8/, `\nmarekvs_commands_total{cmd="get"} ${get}\n$1 ${info}`)
          .replace('marekvs_uptime_seconds 12', `marekvs_uptime_seconds ${up}`)
          .replace('marekvs_cluster_members 3', `marekvs_cluster_members ${members}`)
          .replace('marekvs_cluster_owned_partitions 2716', `marekvs_cluster_owned_partitions ${owned}`)
          .replace('node_id="1"', `node_id="${id}"`);
        expect(unserved(text)).to.equal(isUnservedSince(parseMetricsText(text), KNOWN));
      }),
    );
  });
});
