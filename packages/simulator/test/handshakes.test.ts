// What four client libraries send first, answered as the real server answered them (samples/clients.txt). A blank
// stands for CR LF there, long answers are cut, and what differs from run to run (numbers of connections, times) is
// left out.

import fs from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberNetwork } from '../src/index.ts';
import { ids } from './support.ts';

interface Exchange {
  /** Commands that were sent at once, as words. */
  readonly commands: readonly (readonly string[])[];
  readonly answer: string;
}

const sample = fs.readFileSync(new URL('./samples/clients.txt', import.meta.url), 'utf8');
const sections = sample.split(/^== /m).slice(1);
/** Values of this run, or of keys that the libraries picked. */
const VARIABLE = [
  /\$2 id :\d+/,
  /run_id:\S+/,
  /uptime_in_seconds:\d+/,
  /connected_clients:\d+/,
  /node_id:\d+/,
  /\$\d+ # Server/,
];

describe('the first exchange of a client library with a member', () => {
  for (const section of sections) {
    const [title = '', ...lines] = section.split('\n');
    for (const { commands, answer } of exchangesOf(lines).filter(isHandshake))
      it(`${title.trim()}: ${commands.map((words) => words.slice(0, 2).join(' ')).join(', ')} is answered as by the real server`, () => {
        const net = new MemberNetwork({ seed: 1 });
        net.formed(ids(3));
        const client = net.connect(1);
        // What came before in the section decides the protocol of the answer.
        client.call('HELLO', '3');
        const answered = commands.map((words) => client.call(...words)).join('');
        const [expected, actual] = [answer, answered.replaceAll('\r\n', ' ').trim()].map(withoutVariables);
        // The sample cuts long answers.
        expect(actual?.slice(0, expected?.length)).to.equal(expected);
      });
  }

  it('is known for all four, plain and in cluster mode', () => {
    expect(sections.map((section) => section.split('\n')[0]?.trim()).sort()).to.deep.equal(
      ['go-redis', 'ioredis', 'node-redis', 'redis-py'].flatMap((name) => [`${name}-cluster`, `${name}-plain`]),
    );
  });
});

/** Requests that follow each other, and all that was answered to them. */
function exchangesOf(lines: readonly string[]): readonly Exchange[] {
  const blocks: { asked: string[]; answered: string[] }[] = [];
  for (const line of lines.filter((one) => /^[<>] \S/.test(one))) {
    const last = blocks.at(-1);
    const isQuestion = line.startsWith('>');
    if (last === undefined || (isQuestion && last.answered.length > 0)) blocks.push({ asked: [line], answered: [] });
    else (isQuestion ? last.asked : last.answered).push(line);
  }
  const textOf = (lines: readonly string[]) => lines.map((line) => line.slice(2).trim()).join(' ');
  return blocks.map(({ asked, answered }) => ({ commands: [...commandsOf(textOf(asked))], answer: textOf(answered) }));
}

/** `*2 $5 hello $1 3` as words; a blank inside a word does not occur. */
function* commandsOf(text: string): Generator<readonly string[]> {
  const parts = text.trim().split(' ');
  while (parts.length > 0) {
    const count = Number(parts.shift()?.slice(1));
    const words = parts.splice(0, 2 * count).filter((_, at) => at % 2 === 1);
    yield words;
  }
}

/** Neither data nor lists of homes, which samples.test.ts compares. */
function isHandshake({ commands }: Exchange): boolean {
  return commands.every(([name = '']) => ['hello', 'info', 'client'].includes(name.toLowerCase()));
}

function withoutVariables(text: string): string {
  return VARIABLE.reduce((left, pattern) => left.replace(pattern, ''), text);
}
