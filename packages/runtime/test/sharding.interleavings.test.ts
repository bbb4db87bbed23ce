// Runs first: it goes through sixty thousand states.
// Every interleaving of a hand-over between three replicas, within bounds: HAND_OVER=wide goes through wider ones
// (docs/decisions/hand-over-model.md).
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type GuardEdit, importEdited } from './support/guard-loader.ts';
import type { Bounds, Fault } from './support/hand-over-model.ts';
import { HAND_OVER_MUTANTS } from './support/hand-over-mutants.ts';
import type { Found, SearchOptions } from './support/hand-over-search.ts';

type Mode = 'ring' | 'static';

const EVERY_FAULT: readonly Fault[] = [
  'crash',
  'stop',
  'freeze',
  'deafen',
  'mute',
  'be slow',
  'lose the coordinator',
  'lose an answer',
  'delay a write',
  'delete a lease',
  'free a lease by hand',
  'delete the register',
  'damage the register',
  'put an old register back',
];

/** Two are enough for a ring to move one; of three one is another number's among two than among three. */
const SLOTS: Readonly<Record<Mode, number>> = { ring: 2, static: 3 };

/** The product, with few slots and no more replicas than there are. */
function small(mode: Mode): readonly GuardEdit[] {
  const name = `${SLOTS[mode]} slots`;
  return [
    { name, file: 'sharing/slots/slots.ts', text: 'SLOTS = 256;', replacement: `SLOTS = ${SLOTS[mode]};` },
    { name, file: 'sharing/slots/assignment.ts', text: 'MAX_REPLICAS = 16;', replacement: 'MAX_REPLICAS = 3;' },
    { name, file: 'sharing/leases/share-format.ts', text: "'1/256'", replacement: `'1/${SLOTS[mode]}'` },
  ];
}

/** Mode `static`: a replica may start by each of these counts that its number is below. */
function among(...counts: readonly number[]): Bounds['rules'] {
  return (ordinal) => counts.filter((count) => count > ordinal).map((count) => ({ kind: 'static', count }));
}

function boundsOf(mode: Mode, changed: Partial<Bounds>): Bounds {
  return {
    ordinals: [0, 1, 2],
    // The first is as slow as is allowed, the last as fast.
    rates: [2_000, 3_000, 4_000],
    rules: mode === 'ring' ? () => [{ kind: 'ring' }] : among(2, 3),
    faults: EVERY_FAULT,
    faultsAtMost: 1,
    lag: 0,
    generationsAtMost: 6,
    isAnotherPod: false,
    ...changed,
  };
}

async function searched(
  mode: Mode,
  changed: Partial<Bounds>,
  options: Partial<SearchOptions> = {},
  mutant?: GuardEdit,
): Promise<Found> {
  const edits = mutant === undefined ? small(mode) : [...small(mode), mutant];
  const name = `${mode} ${mutant?.name ?? 'as it is'}`;
  const address = new URL('./support/hand-over-search.ts', import.meta.url);
  const { search } = await importEdited<typeof import('./support/hand-over-search.ts')>(name, edits, address);
  return search({
    bounds: boundsOf(mode, changed),
    isFormed: true,
    oneOf: 10,
    statesAtMost: Number.POSITIVE_INFINITY,
    ...options,
  });
}

interface Part {
  readonly mode: Mode;
  readonly title: string;
  readonly changed: Partial<Bounds>;
  readonly options?: Partial<SearchOptions>;
}

const FROM_NOTHING = { isFormed: false };
const CLOCKS_TURNED = [4_000, 3_000, 2_000];
const PARTS: readonly Part[] = [
  { mode: 'ring', title: 'three start in any order', changed: { faultsAtMost: 0 }, options: FROM_NOTHING },
  { mode: 'ring', title: 'one fault, and watches that are one change behind', changed: { lag: 1 } },
  { mode: 'ring', title: 'one fault, and the first clock is the fast one', changed: { rates: CLOCKS_TURNED } },
  { mode: 'ring', title: 'one fault, and who comes back is another Pod', changed: { isAnotherPod: true } },
  { mode: 'ring', title: 'one fault, and two Pods of one number', changed: { ordinals: [0, 1, 1] } },
  {
    mode: 'static',
    title: 'two start in any order, among one or two, and a lease is deleted',
    changed: { ordinals: [0, 1], rules: among(1, 2), faults: ['delete a lease'] },
    options: FROM_NOTHING,
  },
  { mode: 'static', title: 'one fault, and watches that are one change behind', changed: { lag: 1 } },
  {
    mode: 'static',
    title: 'two faults, of two among one or two',
    changed: {
      ordinals: [0, 1],
      rules: among(1, 2),
      faultsAtMost: 2,
      faults: ['crash', 'deafen', 'delete a lease', 'free a lease by hand'],
    },
  },
];

const TWO_FAULTS: readonly (readonly Fault[])[] = [
  ['lose the coordinator', 'delay a write', 'put an old register back', 'damage the register'],
  ['crash', 'delete a lease', 'damage the register'],
  ['freeze', 'delete the register'],
  ['crash', 'deafen'],
  ['be slow', 'stop', 'lose an answer'],
  ['mute', 'free a lease by hand'],
];

const WIDE: readonly Part[] = (['ring', 'static'] as const).flatMap((mode) => [
  {
    mode,
    title: 'a lease is deleted while three start again in any order',
    changed: { faults: ['delete a lease'] },
    options: FROM_NOTHING,
  },
  {
    mode,
    title: 'three start in any order, watches one change behind',
    changed: { faultsAtMost: 0, lag: 1, ...(mode === 'static' ? { rules: among(3) } : {}) },
    options: FROM_NOTHING,
  },
  ...TWO_FAULTS.map((faults) => ({
    mode,
    title: `two faults: ${faults.join(', ')}`,
    changed: { faultsAtMost: 2, faults },
  })),
]);

describe('every interleaving of a hand-over', function () {
  const isWide = process.env.HAND_OVER === 'wide';
  this.timeout(isWide ? 3_600_000 : 300_000);
  for (const { mode, title, changed, options } of isWide ? [...PARTS, ...WIDE] : PARTS)
    it(`${mode}, ${title}: no slot ever has two owners, and from everywhere all have one in the end`, async () => {
      const before = process.cpuUsage();
      const found = await searched(mode, changed, options);
      const { user, system } = process.cpuUsage(before);
      if (process.env.HAND_OVER !== undefined)
        console.log(
          `${mode}, ${title}: ${found.states} states, ${found.moves} moves, ${found.played} ends, ${found.generations} generations, ${((user + system) / 1e6).toFixed(1)} CPU seconds`,
        );
      expect(found.violation).to.equal(undefined);
      expect(found.isWhole).to.equal(true);
    });
});

describe('a missing guard of a hand-over is found in some interleaving', function () {
  this.timeout(120_000);
  for (const mutant of HAND_OVER_MUTANTS)
    it(`${mutant.name}: ${mutant.without}`, async () => {
      const options = { oneOf: Number.POSITIVE_INFINITY, statesAtMost: 40_000 };
      // Other bounds are among those above; clocks that are too slow are not.
      if (mutant.bounds.rates !== undefined)
        expect((await searched('ring', mutant.bounds, options)).violation, 'with the guard').to.equal(undefined);
      const found = await searched('ring', mutant.bounds, options, mutant);
      expect(found.violation).to.match(/two owners/);
    });
});
