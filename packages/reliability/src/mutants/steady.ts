// What every sample of a proof's window has to show, how many rounds there must be, and what a bounded proof measures them by.

import type { Mutant } from './mutant.ts';

const ANSWERS = 'planner/src/removal/answers.ts';
const BASELINE = 'planner/src/removal/baseline.ts';
const FLAT = 'planner/src/removal/flat-rounds.ts';
const ROUNDS = 'planner/src/removal/rounds.ts';
const STEADY = 'planner/src/removal/steady.ts';
const WINDOW = 'planner/src/removal/window.ts';

export const STEADY_MUTANTS: readonly Mutant[] = [
  {
    name: 'steady/members',
    edits: [
      {
        file: STEADY,
        text: "  if (sample.members !== memberCount) return 'it counted other members';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'half-way/counted', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'Rounds count that went by while a member counted others.',
  },
  {
    name: 'steady/owned',
    edits: [
      {
        file: STEADY,
        text: "  if (sample.ownedPartitions !== owned || owned === undefined) return 'it homed other partitions';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'half-way/placed', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'Rounds count that went by while a member homed other partitions.',
  },
  {
    name: 'steady/rejoin',
    edits: [{ file: STEADY, text: "  if (sample.rejoinActive !== 0) return 'it rejoined';\n", replacement: '' }],
    caught: { scenario: 'half-way/rejoin', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'Rounds count that went by while a member took up its old volume.',
  },
  {
    name: 'steady/writeStopped',
    edits: [{ file: STEADY, text: "  if (sample.writeStopped !== 0) return 'its disk was full';\n", replacement: '' }],
    caught: { scenario: 'half-way/disk-full', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'Rounds count that went by while a member took no writes.',
  },
  {
    name: 'steady/mesh',
    edits: [
      {
        file: STEADY,
        text: "  if (sample.meshPeers === undefined || sample.meshPeers < memberCount - 1) return 'its mesh was incomplete';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'half-way/peers', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'Rounds count that went by while a member could not reach all others.',
  },
  {
    name: 'steady/unknownInflight',
    edits: [
      {
        file: ANSWERS,
        text: '(isNeeded ? absence(witness.node) : undefined) ?? silence(witness);',
        replacement: '(isNeeded ? absence(witness.node) : undefined);',
      },
      {
        file: STEADY,
        text: "  if (sample.inflightBytes === undefined) return 'a figure was missing';\n",
        replacement: '',
      },
      {
        file: STEADY,
        text: "  if (tier === 'Strict' && sample.inflightBytes !== 0) return 'bytes were under way';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'half-way/unknown-inflight', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'What a member does not say is under way counts as nothing.',
    shared: 'membersAnswer asks for the figure in the last sample, and what is missing is not 0 either.',
  },
  {
    name: 'steady/inflight',
    edits: [
      {
        file: STEADY,
        text: "  if (tier === 'Strict' && sample.inflightBytes !== 0) return 'bytes were under way';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'half-way/inflight', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A proof is given while writes are under way between members.',
  },
  {
    name: 'steady/bootstraps',
    edits: [
      {
        file: STEADY,
        text: "  if (before.bootstraps !== after.bootstraps || before.bootstrapBytes !== after.bootstrapBytes)\n    return 'it copied partitions';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'half-way/bootstraps', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'Copies that arrive by bootstrap are not seen: the counter of repairs does not count them.',
  },
  {
    name: 'steady/gate',
    edits: [
      {
        file: STEADY,
        text: "  if (before.gatePartitions !== after.gatePartitions) return 'its gate moved';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'half-way/gate', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A proof is given while a member waits for partitions.',
  },
  {
    name: 'steady/dropped',
    edits: [
      {
        file: STEADY,
        text: "  if (before.droppedRecords !== after.droppedRecords) return 'it dropped records';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'half-way/dropped', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A proof is given while a member deletes records of its own.',
  },
  {
    name: 'steady/timeouts',
    edits: [
      {
        file: STEADY,
        text: "  if (before.connTimeouts !== after.connTimeouts) return 'a connection timed out';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'half-way/timeouts', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'Rounds count whose questions were lost with their connection.',
  },
  {
    name: 'steady/repairs',
    edits: [
      {
        file: STEADY,
        text: "  if (tier === 'Strict' && before.repairs !== after.repairs) return REPAIRED;\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'half-way/repaired', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A strict proof is given while copies are being repaired.',
  },
  {
    name: 'steady/bound',
    edits: [
      {
        file: STEADY,
        text: '  return last === undefined ? window : { history, from: last.to, flaw: bound === undefined ? NO_BOUND : REPAIRED };',
        replacement: '  return window;',
      },
    ],
    caught: { scenario: 'bounded-storm', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A bounded proof is given in a storm of repairs.',
  },
  {
    name: 'steady/gap',
    edits: [{ file: WINDOW, text: "  if (!after.isContinuous) return 'samples were missing';\n", replacement: '' }],
    caught: { scenario: 'to-the-end/silent', seed: 1, violation: /^the removal of demo-3 is over while / },
    without: 'Rounds count that went by while a member said nothing.',
  },
  {
    name: 'steady/roundsSinceIsolation',
    edits: [
      { file: FLAT, text: '  if (isIdle && flat.begun >= ROUNDS_AFTER_ISOLATION)\n', replacement: '  if (isIdle)\n' },
    ],
    caught: {
      scenario: 'shrink',
      seed: 2,
      violation: /^demo-\d is proven to be dispensable \d+ ms after it lost its clients/,
    },
    without: 'A proof rests on nothing but what was before the member lost its clients.',
  },
  {
    name: 'steady/twiceWithoutTestKeys',
    edits: [
      {
        file: ROUNDS,
        text: '  return rules.audited && !rules.isDead ? rounds : 2 * rounds;',
        replacement: '  return rounds;',
      },
    ],
    caught: {
      scenario: 'shrink-unaudited',
      seed: 1,
      violation: /^demo-3 is proven to be dispensable \d+ ms after it was gone/,
    },
    without: 'Without test keys as few rounds count as with them.',
  },
  {
    name: 'baseline/rounds',
    edits: [{ file: BASELINE, text: 'const BASELINE_ROUNDS = 20;', replacement: 'const BASELINE_ROUNDS = 0;' }],
    caught: { scenario: 'bounded-at-once', seed: 1, violation: /^the removal of demo-\d begins / },
    without: 'What is healthy is measured in a round or two.',
  },
  {
    name: 'baseline/settling',
    edits: [{ file: BASELINE, text: 'const SETTLING_ROUNDS = 5;', replacement: 'const SETTLING_ROUNDS = 0;' }],
    caught: { scenario: 'bounded-at-once', seed: 4, violation: /^the removal of demo-\d begins / },
    without: 'The rounds in which a new cluster settles count as healthy.',
  },
  {
    name: 'baseline/moved',
    edits: [
      {
        file: BASELINE,
        text: "  return isSame ? undefined : 'the membership moved';",
        replacement: '  return undefined;',
      },
    ],
    caught: { scenario: 'bounded-after-copies', seed: 2, violation: /^the removal of demo-\d begins / },
    without: 'The noise of copying counts as health.',
  },
  {
    name: 'baseline/cap',
    edits: [
      {
        file: BASELINE,
        text: '  return Math.min(GREATEST_BOUND, Math.max(LEAST_BOUND, Math.ceil(3 * p95)));',
        replacement: '  return Math.max(LEAST_BOUND, Math.ceil(3 * p95));',
      },
    ],
    caught: { scenario: 'bounded-noise', seed: 2, violation: /^demo-3 is proven to be dispensable while / },
    without: 'Whoever always repairs much may lack any number of copies.',
  },
];
