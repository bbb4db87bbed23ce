// What keeps the target of a removal that was called off from being restarted while another member is impaired.

import type { Edit, Mutant } from '../edits/mutant.ts';
import { ANY_PROCESS_IS_UNCHANGED, EARLIER_ANSWERS_COUNT, PROCESSES_ARE_KNOWN } from '../edits/processes.ts';

const TAKING_BACK = 'planner/src/node/cancel-restart.ts';

const LIVE: Edit = {
  file: 'operator/src/node/steps/fences.ts',
  text: '    rightBefore: [nodeStays, volumeStays, othersAreUp],\n',
  replacement: '    rightBefore: [nodeStays, volumeStays],\n',
};

export const TAKEN_BACK_MUTANTS: readonly Mutant[] = [
  {
    name: 'back/contents',
    edits: [
      {
        file: 'planner/src/operations/removal/cancelling.ts',
        text: '  if (blocked !== undefined) return blocked;\n',
        replacement: '',
      },
    ],
    caught: {
      scenario: 'joined-at-last',
      seed: 60_009,
      violation: /^Pod demo-4 goes and with it the last living copy/,
    },
    without: 'A member is restarted while a write it has just taken is nowhere else yet.',
  },
  {
    name: 'back/live',
    edits: [LIVE],
    caught: {
      scenario: 'cancel-beside-unseen',
      seed: 1,
      violation: /^(?:demo-3 is restarted while demo-\d is down|Pod demo-3 goes and with it the last living copy)/,
    },
    without: 'A member is restarted beside one whose Pod somebody has just deleted.',
  },
  {
    name: 'back/up',
    edits: [
      { file: TAKING_BACK, text: '  if (why !== undefined) return waitFor(o, why);\n', replacement: '' },
      {
        file: 'planner/src/node/restart-order.ts',
        text: '  if (ending !== undefined) return waitFor(o, `${ending.name} is ending`, endsInMs(ending, o.nowMs));\n',
        replacement: '',
      },
      LIVE,
    ],
    caught: {
      scenario: 'cancel-beside-pod',
      seed: 5,
      violation: /^(?:demo-\d is restarted while demo-\d is down|Pod demo-\d goes and with it the last living copy)/,
    },
    without: 'A member is restarted while another home is down.',
    shared:
      'A start waits for what is ending or starting anyway, and the live read finds what is ending: neither knows of a member that is down for longer.',
  },
  {
    name: 'back/proofOver',
    edits: [
      {
        file: TAKING_BACK,
        text: '  return !goesByProof(operation) || mayStillCount(',
        replacement: "  return operation.phase !== 'Closed' || !goesByProof(operation) || mayStillCount(",
      },
    ],
    caught: { scenario: 'two-leaving', seed: 1, violation: /^wait for rest at 3/ },
    without: 'Two members that were told to leave wait for each other for ever.',
  },
  {
    name: 'back/crashed',
    edits: [
      {
        file: TAKING_BACK,
        text: '  return needsReplacement(other) && !mayBeBackSoon(o, other) ? ',
        replacement: '  return needsReplacement(other) && mayBeBackSoon !== undefined ? ',
      },
      ...EARLIER_ANSWERS_COUNT,
      ANY_PROCESS_IS_UNCHANGED,
    ],
    caught: {
      scenario: 'cancel-beside-crashed',
      seed: 23,
      violation: /^(?:demo-3 is restarted while demo-\d is down|Pod demo-3 goes and with it)/,
    },
    without: 'A member is restarted while a deleted one, which is held as a home, has just crashed.',
    shared: PROCESSES_ARE_KNOWN,
  },
  {
    name: 'back/madeAgain',
    edits: [
      {
        file: TAKING_BACK,
        text: '  if (pod === undefined) return mayBeMadeAgain(node, nowMs);\n',
        replacement: '  if (pod === undefined) return mayBeMadeAgain === undefined;\n',
      },
    ],
    caught: {
      scenario: 'cancel-beside-recreated',
      seed: 3,
      violation: /^(?:demo-3 is restarted while demo-\d is down|Pod demo-3 goes and with it)/,
    },
    without:
      'A member is restarted while the Pod of a deleted one, which is held as a home, is about to be made again.',
  },
  {
    name: 'back/volume',
    edits: [
      {
        file: TAKING_BACK,
        text: '    return runsInPod(other) && !isReplaced(o) ? ',
        replacement: '    return runsInPod(other) && isReplaced === undefined ? ',
      },
    ],
    caught: {
      scenario: 'cancel-beside-volume',
      seed: 2,
      violation: /^demo-3 is restarted beside 2 members with volumes/,
    },
    without: 'A member is restarted beside a process that has outlived its volume, and that nobody has replaced.',
  },
  {
    name: 'back/meanwhile',
    edits: [
      {
        file: 'planner/src/size/new-nodes.ts',
        text: '  const isMade = isRestart && isThere && isNeeded;',
        replacement: "  const isMade = phase === 'Closed' && isThere && isNeeded;",
      },
    ],
    caught: { scenario: 'cancel-beside-volume', seed: 2, violation: /^wait for \d is replaced/ },
    without: 'A member waits for ever for the new one without which it is not restarted.',
  },
  {
    name: 'back/heard',
    edits: [
      {
        file: 'operator/src/cluster/steps/fences.ts',
        text: '    rightBefore: [toldPodIsAsSeen],\n',
        replacement: '    rightBefore: [],\n',
      },
    ],
    caught: {
      scenario: 'cancel-before-heard',
      seed: 1,
      violation: /^Pod demo-3 goes and with it the last living copy/,
    },
    without:
      'A member is restarted with writes that are nowhere else, since nobody had heard that it was told to leave.',
  },
  {
    name: 'back/foreseen',
    edits: [
      {
        file: 'planner/src/members/member-state.ts',
        text: '  if (pod?.isLeaving !== true || ',
        replacement: '  if (pod?.isLeaving !== undefined || ',
      },
      {
        file: 'operator/src/node/steps/live-checks.ts',
        text: ' || permitted === step.pod.uid);',
        replacement: ' || permitted !== null);',
      },
    ],
    caught: {
      scenario: 'mixed',
      seed: 17_003_598,
      violation: /^Pod demo-4 goes and with it the last living copy/,
    },
    without:
      'A sealed member is restarted with the only living copies, since its node controller made it while it was taken back.',
    shared: 'The plan of the node, and the live node right before the DELETE.',
  },
  {
    name: 'back/ended-as-it-is',
    edits: [
      {
        file: 'operator/src/cluster/steps/fences.ts',
        text: '[nodesAreTheSame, targetVolumeIsGone, nodeThatStaysIsAsSeen]',
        replacement: '[nodesAreTheSame, targetVolumeIsGone]',
      },
    ],
    caught: {
      scenario: 'cancel-before-known',
      seed: 1,
      violation: /^Pod demo-3 goes and with it the last living copy/,
    },
    without:
      'A removal that was called off counts as over while its node is still marked: it is restarted with writes that are nowhere else.',
  },
];
