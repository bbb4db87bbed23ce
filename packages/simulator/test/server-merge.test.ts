// The model of the server's merge against records of two real members, before and after their own anti-entropy.

import fs from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Version } from '../src/member/basics/messages.ts';
import { contains, merge } from '../src/member/records/merging.ts';
import { storedRecord } from '../src/member/records/stored-record.ts';
import { versionOf } from './stored-version.ts';

type State = '0' | '1' | 'm0' | 'm1';

interface Case {
  readonly name: string;
  readonly isConverged: boolean;
  /** By state, the values of its records by their keys, in hex. */
  readonly records: Readonly<Record<State, ReadonlyMap<string, string>>>;
}

const cases = readCases(fs.readFileSync(new URL('./samples/records.txt', import.meta.url), 'utf8'));

function readCases(text: string): readonly Case[] {
  return text
    .split(/^(?=case )/m)
    .slice(1)
    .map((block) => {
      const [head = '', ...lines] = block.trimEnd().split('\n');
      const records = { '0': new Map(), '1': new Map(), m0: new Map(), m1: new Map() };
      for (const line of lines) {
        const [state, key, value] = line.split(' ');
        records[state as State].set(key, value);
      }
      return { name: head.split(' ')[1] ?? '', isConverged: head.endsWith('| converged'), records };
    });
}

const fromHex = (text: string) => Buffer.from(text, 'hex');
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const read = (key: string, value: string): Version => versionOf({ key: fromHex(key), value: fromHex(value) });

/** What a member that holds `own` has after it got all of `others`. */
function mergedAll(own: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(
    [...new Set([...own.keys(), ...others.keys()])].sort().map((key) => {
      const [local, incoming] = [own.get(key), others.get(key)];
      if (local === undefined || incoming === undefined) return [key, local ?? incoming ?? ''];
      return [key, toHex(storedRecord(merge(read(key, local), read(key, incoming))).value)];
    }),
  );
}

describe('the model of the merge', () => {
  it('is held against fifteen cases of the real server, of which one never converges', () => {
    expect([cases.length, cases.filter(({ isConverged }) => !isConverged).map(({ name }) => name)]).to.deep.equal([
      15,
      ['hll'],
    ]);
  });

  for (const { name, isConverged, records } of cases) {
    it(`${name}: writes every record as the real server stores it`, () => {
      for (const state of Object.values(records)) {
        for (const [key, value] of state) {
          const { key: keyBytes, value: valueBytes } = storedRecord(read(key, value));
          expect([toHex(keyBytes), toHex(valueBytes)]).to.deep.equal([key, value]);
        }
      }
    });

    if (!isConverged) continue;
    it(`${name}: both members come to hold what they held on the real server, byte for byte`, () => {
      expect([...mergedAll(records['0'], records['1'])]).to.deep.equal([...records.m0]);
      expect([...mergedAll(records['1'], records['0'])]).to.deep.equal([...records.m1]);
    });
  }

  it('hll: each member keeps its own version of an equal rank that is the older one, so the two differ for ever', () => {
    const { m0, m1 } = cases.find(({ name }) => name === 'hll')?.records ?? {};
    expect(m0?.size).to.be.above(10);
    for (const [key, own] of m0 ?? []) {
      const other = m1?.get(key);
      if (other === undefined || other === own) continue;
      // By version the second one is newer and would be sent; it changes nothing at the first.
      expect(toHex(storedRecord(merge(read(key, own), read(key, other))).value)).to.equal(own);
      expect(contains(read(key, own), read(key, other)) && contains(read(key, other), read(key, own))).to.equal(true);
    }
  });
});
