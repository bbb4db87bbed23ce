// The named checks of a proof. Most stand twice, on the last sample and on every sample of the window: then both have to go, and each
// alone is enough.

import type { Mutant } from './mutant.ts';

const ANSWERS = 'planner/src/removal/answers.ts';
const AUDIT = 'planner/src/removal/audit-check.ts';
const DEPARTURE_PROOF = 'planner/src/departure-proof.ts';
const FLAT = 'planner/src/removal/flat-rounds.ts';
const ISOLATION = 'planner/src/removal/isolation.ts';
const PACE = 'operator/src/cluster/observe.ts';
const PRESENT = 'planner/src/removal/present.ts';
const STEADY = 'planner/src/removal/steady.ts';
const WINDOW = 'planner/src/removal/window.ts';
const TEST_KEYS = 'operator/src/members/audit-work.ts';

export const EVIDENCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'evidence/ready',
    edits: [
      {
        file: ANSWERS,
        text: '(isNeeded ? absence(witness.node) : undefined) ?? silence(witness);',
        replacement: '(isNeeded ? undefined : undefined) ?? silence(witness);',
      },
      {
        file: DEPARTURE_PROOF,
        text: '  if (absent !== undefined) return absent;\n',
        replacement: '',
      },
    ],
    caught: {
      scenario: 'killed-before-delete',
      seed: 1,
      violation: /^demo-3 goes while 2 others live and 3 are needed/,
    },
    without: 'A node goes beside a member that was killed a moment ago, on the last answer of that one.',
    shared: 'The cluster controller looks before the DELETE and the node controller before the end of the Pod.',
  },
  {
    name: 'evidence/membersAnswer',
    edits: [
      {
        file: ANSWERS,
        text: '(isNeeded ? absence(witness.node) : undefined) ?? silence(witness);',
        replacement: '(isNeeded ? absence(witness.node) : undefined);',
      },
      {
        file: STEADY,
        text: "  return isWhole ? undefined : 'a figure was missing';\n",
        replacement: '  return undefined;\n',
      },
    ],
    caught: { scenario: 'half-way/unknown-figure', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A figure that a member does not give counts as one that stands still.',
    shared: 'The window asks the same of every sample: a missing figure ends it.',
  },
  {
    name: 'evidence/recentSample',
    edits: [
      {
        file: WINDOW,
        text: '  return monotonicMs - newest.atMs <= 2 * history.intervalMs ? newest : undefined;',
        replacement: '  return newest;',
      },
    ],
    caught: { scenario: 'last-moment', seed: 1, violation: /^demo-3 is deleted while a member is silent/ },
    without: 'The last word of a member that has fallen silent counts as its present one.',
  },
  {
    name: 'evidence/viewsAgree',
    edits: [
      {
        file: ANSWERS,
        text: "  const disagree = (message: string) => ({ check: failed('viewsAgree', message, hold('ViewsDisagree', message)) });",
        replacement:
          "  const disagree = (_: string) => ({\n    check: passed('viewsAgree', ''),\n    agreed: { view: first?.view ?? [], digest: first?.last?.viewDigest ?? '' },\n  });",
      },
      { file: STEADY, text: "        : 'another list of members',\n", replacement: '        : undefined,\n' },
      {
        file: ISOLATION,
        text: '  const primaries = noPrimaries(witnesses, targetId);',
        replacement: "  const primaries = passed('noPrimaries', '');",
      },
      { file: PRESENT, text: "    every('placement', witnesses, ", replacement: "    every('placement', [], " },
      {
        file: STEADY,
        text: "  if (sample.members !== memberCount) return 'it counted other members';\n",
        replacement: '',
      },
      {
        file: STEADY,
        text: "  if (sample.ownedPartitions !== owned || owned === undefined) return 'it homed other partitions';\n",
        replacement: '',
      },
      {
        file: TEST_KEYS,
        text: '    if (table.digest !== expectedTable)\n',
        replacement: '    if (table.digest === expectedTable.slice(1))\n',
      },
    ],
    caught: { scenario: 'half-way/hidden', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A proof is given while a member does not see one of the others.',
    shared:
      'What a member shows also says who has primaries, how many members it counts and what it homes, and each of that is asked as well.',
  },
  {
    name: 'evidence/noPrimaries',
    edits: [
      {
        file: ISOLATION,
        text: '  const primaries = noPrimaries(witnesses, targetId);',
        replacement: "  const primaries = passed('noPrimaries', '');",
      },
      {
        file: TEST_KEYS,
        text: '    if (table.digest !== expectedTable)\n',
        replacement: '    if (table.digest === expectedTable.slice(1))\n',
      },
      { file: PACE, text: 'isListChanging(observation) || restsOnLists', replacement: 'restsOnLists' },
    ],
    caught: { scenario: 'half-way/drained', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A proof is given while another member is leaving as well.',
    shared:
      'Every home has to show the expected table before test keys are read, and as long as a member shows the one that goes with primaries, lists are asked for in every look, which leaves the figures of clients unread.',
  },
  {
    name: 'evidence/noClients',
    edits: [
      {
        file: ISOLATION,
        text: '  const clients = noClients(target, monotonicMs);',
        replacement: "  const clients = passed('noClients', '');",
      },
    ],
    caught: { scenario: 'half-way/clients', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'The member goes under clients that are still connected to it.',
  },
  {
    name: 'evidence/inputFlat',
    edits: [
      {
        file: ISOLATION,
        text: '  const input = inputFlat(target, sinceMs);',
        replacement: "  const input = { check: passed('inputFlat', ''), sinceMs };",
      },
    ],
    caught: { scenario: 'half-way/senders', seed: 2, violation: /^demo-3 is proven to be dispensable while / },
    without: 'Clients that connect for each write go on writing through the member that goes.',
  },
  {
    name: 'evidence/sinceAside',
    edits: [
      {
        file: ISOLATION,
        text: 'shownMs === undefined || asideSinceMs === undefined ? undefined : Math.max(shownMs, asideSinceMs);',
        replacement: 'shownMs;',
      },
    ],
    caught: {
      scenario: 'told-twice',
      seed: 1,
      violation: /^demo-\d is proven to be dispensable -?\d+ ms after it lost its clients/,
    },
    without: 'Rounds count in which clients were sent to a member that had lost its primaries long before.',
  },
  {
    name: 'evidence/placementMembers',
    edits: [
      { file: PRESENT, text: "    every('placement', witnesses, ", replacement: "    every('placement', [], " },
      {
        file: STEADY,
        text: "  if (sample.members !== memberCount) return 'it counted other members';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'half-way/counted', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A proof is given while a member counts one more than there are.',
    shared: 'The window asks the same of every sample: the number of members.',
  },
  {
    name: 'evidence/placementOwned',
    edits: [
      { file: PRESENT, text: "    every('placement', witnesses, ", replacement: "    every('placement', [], " },
      {
        file: STEADY,
        text: "  if (sample.ownedPartitions !== owned || owned === undefined) return 'it homed other partitions';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'half-way/placed', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A proof is given while a member does not home what it should.',
    shared: 'The window asks the same of every sample: the partitions it homes.',
  },
  {
    name: 'evidence/meshComplete',
    edits: [
      { file: PRESENT, text: "    every('meshComplete', witnesses, ", replacement: "    every('meshComplete', [], " },
      {
        file: STEADY,
        text: "  if (sample.meshPeers === undefined || sample.meshPeers < memberCount - 1) return 'its mesh was incomplete';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'half-way/peers', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A proof is given while a member cannot compare its copies with all others.',
    shared: 'The window asks the same of every sample: its connections.',
  },
  {
    name: 'evidence/writesAllowed',
    edits: [
      { file: PRESENT, text: "    every('writesAllowed', witnesses, ", replacement: "    every('writesAllowed', [], " },
      { file: STEADY, text: "  if (sample.writeStopped !== 0) return 'its disk was full';\n", replacement: '' },
    ],
    caught: { scenario: 'half-way/disk-full', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A member goes while another one is full and takes no writes.',
    shared: 'The window asks the same of every sample: writes are allowed.',
  },
  {
    name: 'evidence/noRejoin',
    edits: [
      { file: PRESENT, text: "    every('noRejoin', witnesses, ", replacement: "    every('noRejoin', [], " },
      { file: STEADY, text: "  if (sample.rejoinActive !== 0) return 'it rejoined';\n", replacement: '' },
    ],
    caught: { scenario: 'half-way/rejoin', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A member goes while another one may drop what it alone has.',
    shared: 'The window asks the same of every sample: it does not rejoin.',
  },
  {
    name: 'evidence/canaries',
    edits: [
      {
        file: AUDIT,
        text: '  if (report === undefined || !isAbout(report, subject, witnesses))\n',
        replacement:
          "  if (report === undefined || report !== undefined) return passed(name, '');\n  if (report === undefined || !isAbout(report, subject, witnesses))\n",
      },
    ],
    caught: {
      scenario: 'repairs-lost',
      seed: 1,
      violation: /^demo-3 is proven to be dispensable \(Pre\) while \d+ copies are missing/,
    },
    without: 'Counters stand still while nothing that the member has reaches anybody.',
  },
  {
    name: 'evidence/quietRounds',
    edits: [
      {
        file: FLAT,
        text: '  if (flat.complete >= needed) return passed(',
        replacement: '  if (flat.complete >= 0) return passed(',
      },
    ],
    caught: {
      scenario: 'late-repairs',
      seed: 2,
      violation: /^demo-3 is proven to be dispensable \((?:Pre\) while \d+ copies|Pre\) too early|.*)/,
    },
    without: 'Test keys arrive while older writes are still to be repaired.',
  },
];
