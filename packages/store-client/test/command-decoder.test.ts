import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { CommandDecoder, type CommandLimits } from '../src/command-decoder.ts';
import { StoreError, StoreProtocolError, StoreTooLargeError } from '../src/errors.ts';
import { encodeCommand } from '../src/resp-writer.ts';
import { singleBytes, splitsOf } from './support/split.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function decodeAll(pieces: readonly Uint8Array[], limits?: CommandLimits): (readonly Uint8Array[])[] {
  const decoder = new CommandDecoder(limits);
  const commands: (readonly Uint8Array[])[] = [];
  for (const piece of pieces) {
    decoder.push(piece);
    for (let command = decoder.next(); command !== undefined; command = decoder.next()) commands.push(command);
  }
  return commands;
}
const words = (text: string): string[][] =>
  decodeAll([bytesOf(text)]).map((command) => command.map((part) => new TextDecoder().decode(part)));

describe('CommandDecoder', () => {
  it('gives the commands that were sent, for any split of the bytes', () => {
    const command = fc.array(fc.uint8Array({ maxLength: 20 }), { minLength: 1, maxLength: 5 });
    const cases = fc.array(command, { minLength: 1, maxLength: 4 }).chain((commands) => {
      const bytes = Buffer.concat(commands.map((parts) => encodeCommand(parts)));
      return splitsOf(bytes).map((pieces) => ({ commands, pieces }));
    });
    fc.assert(
      fc.property(cases, ({ commands, pieces }) => {
        const asBuffers = commands.map((parts) => parts.map((part) => Uint8Array.from(part)));
        expect(decodeAll(pieces).map((c) => c.map((part) => Uint8Array.from(part)))).to.deep.equal(asBuffers);
        expect(decodeAll(pieces.flatMap(singleBytes)).map((c) => c.map((part) => Uint8Array.from(part)))).to.deep.equal(
          asBuffers,
        );
      }),
    );
  });

  it('takes inline commands between others and skips empty ones', () => {
    expect(words('PING\r\n\r\n*0\r\n*1\r\n$4\r\nPING\r\n  SET  a\tb \nQUIT\r\n')).to.deep.equal([
      ['PING'],
      ['PING'],
      ['SET', 'a', 'b'],
      ['QUIT'],
    ]);
  });

  it('refuses arguments that are no bulk strings', () => {
    for (const bad of ['*1\r\n:1\r\n', '*1\r\n$-1\r\n', '*1\r\n$1\r\nab\r\n', '*x\r\n']) {
      expect(() => words(bad), bad).to.throw(StoreProtocolError);
    }
  });

  it('refuses what is announced or grows beyond its limits', () => {
    expect(() => decodeAll([bytesOf('*11\r\n')], { maxArguments: 10 })).to.throw(StoreTooLargeError);
    expect(() => decodeAll([bytesOf('*1\r\n$11\r\n')], { maxBulkBytes: 10 })).to.throw(StoreTooLargeError);
    expect(() => decodeAll([bytesOf('x'.repeat(101))], { maxLineBytes: 100 })).to.throw(StoreTooLargeError);
  });

  it('answers garbage with commands or a StoreError, never with another exception', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[*$0-9a \r\n-]{0,60}$/), (text) => {
        try {
          for (const command of decodeAll([bytesOf(text)])) expect(command).to.not.have.length(0);
        } catch (error) {
          expect(error).to.be.instanceOf(StoreError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
