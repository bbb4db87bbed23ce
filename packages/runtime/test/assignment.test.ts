import { expect } from 'chai';
import { describe, it } from 'mocha';
import { formatShareNote, parseShareNote } from '../src/sharing/leases/share-note.ts';
import { formatRegister, parseRegister, type Register } from '../src/sharing/ring/register.ts';
import { balance, NOBODY, ordinalAssignment, slotsOf } from '../src/sharing/slots/assignment.ts';
import { SLOTS, slotOf } from '../src/sharing/slots/slots.ts';

const sizes = (assignment: readonly (number | undefined)[], count: number): readonly number[] =>
  Array.from({ length: count }, (_, ordinal) => slotsOf(assignment, ordinal).size);
const moved = (a: readonly (number | undefined)[], b: readonly (number | undefined)[]): number =>
  a.filter((owner, slot) => owner !== b[slot]).length;

describe('the slot of a name', () => {
  // Stored in a label: with another number, an object would be hidden from its owner.
  for (const [name, slot] of [
    ['default/demo', 1],
    ['default/demo-1', 20],
    ['team-a/cache', 150],
  ] as const)
    it(`of ${name} is ${slot}, for ever`, () => {
      expect(slotOf(name)).to.equal(slot);
    });

  it('is spread evenly over names that differ in a number at their end', () => {
    const count = new Map<number, number>();
    for (let n = 0; n < 51_200; n += 1) {
      const slot = slotOf(`team-${n % 7}/cluster-${n}`);
      count.set(slot, (count.get(slot) ?? 0) + 1);
    }
    expect(count.size).to.equal(SLOTS);
    const chiSquare = [...count.values()].reduce((sum, one) => sum + (one - 200) ** 2 / 200, 0);
    // 255 degrees of freedom: above 330 once in a thousand.
    expect(chiSquare).to.be.below(330);
  });
});

describe('an assignment of slots', () => {
  it('is the same for every replica, with one owner for each slot', () => {
    for (let count = 1; count <= 16; count += 1) {
      const all = sizes(ordinalAssignment(count), count);
      expect(Math.max(...all) - Math.min(...all)).to.be.at.most(1);
      expect(all.reduce((a, b) => a + b)).to.equal(SLOTS);
    }
  });

  it('by number moves only slots that the last replica gets or had', () => {
    for (let count = 1; count < 16; count += 1)
      expect(moved(ordinalAssignment(count), ordinalAssignment(count + 1))).to.equal(Math.floor(SLOTS / (count + 1)));
  });

  it('moves only the slots of a replica that goes, whichever that is', () => {
    const five = balance(NOBODY, [0, 1, 2, 3, 4]);
    for (const gone of [0, 1, 2, 3, 4]) {
      const left = [0, 1, 2, 3, 4].filter((one) => one !== gone);
      expect(moved(five, balance(five, left))).to.equal(slotsOf(five, gone).size);
    }
  });

  it('stays the same when no replica comes or goes', () => {
    const three = balance(NOBODY, [0, 1, 2]);
    expect(balance(three, [2, 1, 0])).to.deep.equal(three);
  });

  it('without replicas has no owners', () => {
    expect(balance(ordinalAssignment(3), [])).to.deep.equal(NOBODY);
  });
});

describe('the stored form of an assignment', () => {
  const register: Register = { generation: 7, now: ordinalAssignment(16), before: ordinalAssignment(15) };

  it('can be read back, and has less than 700 characters', () => {
    expect(parseRegister(formatRegister(register))).to.deep.equal(register);
    expect(formatRegister(register).length).to.be.below(700);
    const unknown = { ...register, before: undefined };
    expect(parseRegister(formatRegister(unknown))).to.deep.equal(unknown);
  });

  for (const [why, change] of [
    ['one slot is another’s', (text: string) => text.replace('"now":"0', '"now":"1')],
    ['the generation is another', (text: string) => text.replace('7', '8')],
    ['it was cut short', (text: string) => text.slice(0, -20)],
    ['it names somebody who cannot be', (text: string) => text.replace('"now":"0', '"now":"g')],
    ['it is a list', () => '[]'],
    ['it is longer than any', (text: string) => `${text}${' '.repeat(2_000)}`],
  ] as const)
    it(`is ignored when ${why}`, () => {
      expect(parseRegister(change(formatRegister(register)))).to.equal(undefined);
    });

  it('is acknowledged by a note that names the mode of the replica', () => {
    for (const mode of ['ring', 'static'] as const)
      expect(parseShareNote(formatShareNote({ mode, acknowledged: 12 }))).to.include({ mode, acknowledged: 12 });
    for (const text of [undefined, '', 'ring', 'ring -1', 'ring 1 x', 'static 0/3', 'single 1'])
      expect(parseShareNote(text), text).to.equal(undefined);
  });
});
