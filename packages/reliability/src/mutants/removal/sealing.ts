// What has to hold before a member's door is closed, while it is, and before anything rests on that.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are quoted from the source.

import type { Edit, Mutant } from '../edits/mutant.ts';

const BEFORE = 'planner/src/operations/removal/before.ts';
const ISOLATION = 'planner/src/evidence/isolation.ts';
const LEAVING = 'planner/src/node/leaving.ts';
const SEALING = 'planner/src/evidence/sealing.ts';
const LAST_COPY = /^Pod demo-3 goes and with it the last living copy/;

const NO_WAIT_FOR_THE_DOOR: Edit = {
  file: SEALING,
  text: '  if (pod?.isSealed !== true) return open(`${name} is being restarted with its door closed`);\n',
  replacement: "  if (pod?.isSealed !== true) return passed('doorClosed', open.name);\n",
};
const NO_PERMIT: Edit = {
  file: BEFORE,
  text: "  if (node.intent === 'Leaving' && mayBeSealed(node)) return planSealing(scope, node);\n",
  replacement: "  if (node.intent === 'Leaving' && mayBeSealed(node) === undefined) return planSealing(scope, node);\n",
};
const ANY_PROCESS_IS_SEALED: Edit = {
  file: SEALING,
  text: '  if (pod?.isSealed !== true || ran?.generation === undefined || pod.uid === ran.podUid) return false;\n',
  replacement: '  if (ran?.generation === undefined || pod?.uid === ran.podUid) return true;\n',
};

const OPEN_AFTER_THE_DELETE: Edit = {
  file: 'planner/src/operations/removal/deleting.ts',
  text: '  if (mayBeSealed(node)) return withoutProof(',
  replacement: '  if (mayBeSealed(node) === undefined) return withoutProof(',
};

export const SEALING_MUTANTS: readonly Mutant[] = [
  {
    name: 'evidence/doorClosed',
    edits: [NO_WAIT_FOR_THE_DOOR, NO_PERMIT, ANY_PROCESS_IS_SEALED, OPEN_AFTER_THE_DELETE],
    caught: { scenario: 'pinned-client', seed: 1, violation: /^Pod demo-3 goes while clients can write to its member/ },
    without: 'A member goes while a client that never hangs up writes to it.',
    shared:
      'The permit to close the door is given before, only another process than the open one counts, and after the DELETE an open one is closed.',
  },
  {
    name: 'seal/grace',
    edits: [
      {
        file: ISOLATION,
        text: '  if (sinceMs !== undefined && monotonicMs - sinceMs >= graceMs) return',
        replacement: '  if (sinceMs !== undefined && monotonicMs >= graceMs) return',
      },
    ],
    caught: { scenario: 'pinned-client', seed: 1, violation: /^the clients of demo-3 had \d+ ms to move away/ },
    without: 'Clients have no time to move away before their connections are cut.',
  },
  {
    name: 'seal/gate',
    edits: [
      {
        file: BEFORE,
        text: '  if (!evidence.isProven) return proceed(isolating, { waits: evidence.missing, contents });\n',
        replacement:
          "  if (evidence.checks.some(({ name, passed }) => !passed && name !== 'contents'))\n    return proceed(isolating, { waits: evidence.missing, contents });\n",
      },
    ],
    caught: { scenario: 'pushes-missed', seed: 1, violation: LAST_COPY },
    without: 'The process is ended while only it has some records, which nobody can read until it is back.',
  },
  {
    name: 'seal/void',
    edits: [
      {
        file: BEFORE,
        text: '  return others.some(isAwayForNow);\n',
        replacement: '  return others.length < 0 && isAwayForNow !== undefined;\n',
      },
    ],
    caught: {
      scenario: 'sealed-beside-down',
      seed: 1,
      violation: /^the open process ends with \d+ records that nobody else has/,
    },
    without: 'The process is ended as soon as another member is back, which lacks what was written meanwhile.',
  },
  {
    name: 'seal/meant',
    edits: [
      {
        file: LEAVING,
        text: "  if (!isMeant || operation.phase === 'Cancelling' || node.ran?.podUid !== pod.uid) return undefined;\n",
        replacement: '  if (node.ran?.podUid !== pod.uid && isMeant) return undefined;\n',
      },
    ],
    caught: { scenario: 'sealed-without-removal', seed: 1, violation: /its node is to stay as it is/ },
    without: 'A permit that nobody gave ends a process.',
  },
  {
    name: 'seal/volume',
    edits: [
      {
        file: LEAVING,
        text: "  if (node.intent !== 'Sealed' || pod.isSealed || node.volume?.isTerminating !== false) return undefined;\n",
        replacement: "  if (node.intent !== 'Sealed' || pod.isSealed) return undefined;\n",
      },
    ],
    caught: { scenario: 'sealed-volume-deleted', seed: 1, violation: /^wait for rest at 3/ },
    without: 'The end of the Pod, which would complete the deletion of its volume, is tried for ever.',
  },
  {
    name: 'seal/reclaimed',
    edits: [
      {
        file: 'planner/src/operations/removal/after.ts',
        text: '  const isOfSealed = target.sealedPodUID !== undefined && pre?.podUID === target.sealedPodUID;\n',
        replacement: '  const isOfSealed = target.sealedPodUID !== null && pre !== undefined;\n',
      },
    ],
    caught: {
      scenario: 'sealed-earlier-record',
      seed: 1,
      violation: /no client was kept from its member before it ended/,
    },
    without: 'A volume is deleted that may have what was written in the last seconds before its process ended.',
  },
];
