// The named checks of a proof, and since when they have to pass.

import type { Edit, Mutant } from '../edits/mutant.ts';
import { ANY_PROCESS_IS_UNCHANGED, EARLIER_ANSWERS_COUNT, PROCESSES_ARE_KNOWN } from '../edits/processes.ts';
import { ONLY_THERE } from './contents.ts';

const ANSWERS = 'planner/src/evidence/answers.ts';
const CONTENTS = 'planner/src/evidence/contents-check.ts';
const DEPARTURE_PROOF = 'planner/src/node/departure-proof.ts';
const FACTS = 'planner/src/observation/member-facts.ts';
const PRESENT = 'planner/src/evidence/present-checks.ts';
const SEALING = 'planner/src/evidence/sealing.ts';

/** Lets any phases of the members pass. */
const ANY_PRIMARIES: Edit = {
  file: SEALING,
  text: '  const primaries = noPrimaries(witnesses, target);\n',
  replacement: "  const primaries = passed('noPrimaries', noPrimaries.name);\n",
};

function notAsked(check: 'placement' | 'meshComplete' | 'writesAllowed' | 'noRejoin'): Edit {
  return check === 'placement'
    ? { file: PRESENT, text: "    every('placement', witnesses, ", replacement: "    every('placement', [], " }
    : { file: PRESENT, text: `    figure('${check}', `, replacement: `    passed('${check}', ` };
}

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
      ...EARLIER_ANSWERS_COUNT,
      ANY_PROCESS_IS_UNCHANGED,
    ],
    caught: {
      scenario: 'killed-before-delete',
      seed: 1,
      violation: /^demo-3 goes while 2 others live and 3 are needed/,
    },
    without: 'A node goes beside a member that was killed a moment ago, on the last answer of that one.',
    shared: `The cluster controller looks before the DELETE and the node controller before the end of the Pod. ${PROCESSES_ARE_KNOWN}`,
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
        file: PRESENT,
        text: '      const peers = figure ?? 0;\n',
        replacement: '      const peers = figure ?? others;\n',
      },
    ],
    caught: { scenario: 'half-way/unknown-figure', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A figure that a member does not give counts as one that is right.',
    shared: 'A figure that is missing counts as the worst where it is looked at.',
  },
  {
    name: 'evidence/recentReading',
    edits: [
      {
        file: FACTS,
        text: '  return monotonicMs - facts.last.atMs <= Math.max(RECENT_MS, 2 * facts.intervalMs) ? facts.last : undefined;',
        replacement: '  return monotonicMs >= 0 ? facts.last : undefined;',
      },
      {
        file: FACTS,
        text: '  return monotonicMs - shown.atMs <= Math.max(RECENT_LIST_MS, 4 * facts.intervalMs) ? shown.view : undefined;',
        replacement: '  return shown.view;',
      },
    ],
    caught: { scenario: 'last-moment', seed: 1, violation: /^demo-3 is deleted while a member is silent/ },
    without: 'The last word of a member that has fallen silent counts as its present one.',
    shared: 'Its list of members grows old as well.',
  },
  {
    name: 'evidence/viewsAgree',
    edits: [
      {
        file: ANSWERS,
        text: "  const disagree = (message: string) => ({ check: failed('viewsAgree', message, hold('ViewsDisagree', message)) });",
        replacement:
          "  const disagree = (_: string) => ({\n    check: passed('viewsAgree', ''),\n    agreed: { view: first?.view ?? [], digest: first?.facts?.last.shown?.digest ?? '' },\n  });",
      },
      ANY_PRIMARIES,
      notAsked('placement'),
    ],
    caught: { scenario: 'half-way/hidden', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A proof is given while a member does not see one of the others.',
    shared:
      'What a member shows also says who has primaries, how many members it counts and what it homes, and each of that is asked as well.',
  },
  {
    name: 'evidence/placementMembers',
    edits: [notAsked('placement')],
    caught: { scenario: 'half-way/counted', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A proof is given while a member counts one more than there are.',
  },
  {
    name: 'evidence/placementOwned',
    edits: [notAsked('placement')],
    caught: { scenario: 'half-way/placed', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A proof is given while a member does not home what it should.',
  },
  {
    name: 'evidence/meshComplete',
    edits: [notAsked('meshComplete')],
    caught: { scenario: 'half-way/peers', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A proof is given while a member cannot send its copies to all others.',
  },
  {
    name: 'evidence/writesAllowed',
    edits: [notAsked('writesAllowed')],
    caught: { scenario: 'half-way/disk-full', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A member goes while another one is full and takes no writes.',
  },
  {
    name: 'evidence/noRejoin',
    edits: [notAsked('noRejoin')],
    caught: { scenario: 'half-way/rejoin', seed: 1, violation: /^demo-3 is proven to be dispensable while / },
    without: 'A member goes while another one may drop what it alone has.',
  },
  {
    name: 'evidence/contents',
    edits: [
      {
        file: CONTENTS,
        text: "  const { coveredAtMs } = report;\n  if (report.state === 'complete' && coveredAtMs !== undefined && !isOutdated(report, monotonicMs, maxAgeMs)) {",
        replacement: '  const { coveredAtMs = monotonicMs } = report;\n  if (coveredAtMs !== undefined) {',
      },
    ],
    caught: {
      scenario: 'pushes-missed',
      seed: 1,
      violation: ONLY_THERE,
    },
    without: 'A member goes with what nobody else has.',
  },
  {
    name: 'evidence/contentsAge',
    edits: [
      {
        file: CONTENTS,
        text: ' && !isOutdated(report, monotonicMs, maxAgeMs)) {',
        replacement: ') {',
      },
    ],
    caught: {
      scenario: 'unreadable-with-proof',
      seed: 1,
      violation: /^demo-3 is proven to be dispensable \(Pre\) by contents of /,
    },
    without: 'A proof is renewed on contents that nobody has looked at for long.',
  },
  {
    name: 'evidence/unreadable',
    edits: [
      {
        file: CONTENTS,
        text: '  if (report?.problem !== undefined)\n',
        replacement: "  if (report?.problem?.error === '')\n",
      },
    ],
    caught: { scenario: 'unreadable', seed: 1, violation: /^ContentsUnreadable was not said/ },
    without: 'Nobody says that a member cannot be read.',
  },
];
