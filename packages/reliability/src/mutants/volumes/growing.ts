// What keeps volumes from growing where they should not, members from being restarted in vain, and one bad claim from
// blocking the others.

import type { Mutant } from '../edits/mutant.ts';

const CLAIM = 'planner/src/volumes/claim-change.ts';
const AUTO = 'planner/src/volumes/auto-grow.ts';
const STEPS = 'planner/src/volumes/storage-steps.ts';

export const GROWING_MUTANTS: readonly Mutant[] = [
  {
    name: 'growing/every-node',
    edits: [
      {
        file: STEPS,
        text: '  return o.nodes.filter(({ isDeleting }) => !isDeleting)',
        replacement: '  return o.nodes.slice(0, 1).filter(({ isDeleting }) => !isDeleting)',
      },
    ],
    caught: { scenario: 'volumes-grow', seed: 1, violation: /wait for rest/ },
    without: 'The first node is taken for all, and the volumes of the others stay as they are.',
  },
  {
    name: 'growing/patience',
    edits: [
      {
        file: CLAIM,
        text: '  if (sinceMs === undefined || nowMs - sinceMs <= FILE_SYSTEM_PATIENCE_MS) return false;',
        replacement: '  if (sinceMs === undefined) return false;',
      },
    ],
    caught: { scenario: 'volumes-grow', seed: 1, violation: /became/ },
    without: 'Members are restarted although their hosts are about to resize the file system.',
  },
  {
    name: 'growing/restarted-once',
    edits: [
      {
        file: CLAIM,
        text: '  return node.pod !== undefined && node.pod.createdAtMs <= sinceMs;',
        replacement: '  return node.pod !== undefined;',
      },
    ],
    caught: { scenario: 'volumes-in-vain', seed: 1, violation: /Pods were ended for three volumes/ },
    without: 'A member whose restart did not help is restarted again and again.',
  },
  {
    name: 'growing/refused-alone',
    edits: [
      {
        file: 'operator/src/node/reconciler.ts',
        text: "      if (outcome.kind === 'blocked' && step.kind === 'changeClaim') {",
        replacement: "      if (outcome.kind === 'blocked' && step.kind === 'changeClaim' && steps < 0) {",
      },
    ],
    caught: { scenario: 'volumes-refused', seed: 1, violation: /the others have grown and all have the image/ },
    without: 'A claim that may not grow keeps its member from being ready, and everybody else waits for it.',
  },
  {
    name: 'growing/cool-down',
    edits: [
      { file: AUTO, text: 'Math.abs(nowMs - volumeGrownAtMs) < coolDownSeconds * 1_000', replacement: 'nowMs < 0' },
    ],
    caught: { scenario: 'volumes-fill', seed: 1, violation: /again after/ },
    without: 'A volume grows as often as it is looked at, and its provider refuses the next one for hours.',
  },
  {
    name: 'growing/limit',
    edits: [
      {
        file: AUTO,
        text: '  return isLarger(size, max) ? max : size;',
        replacement: '  return max === "" ? max : size;',
      },
    ],
    caught: { scenario: 'volumes-fill', seed: 1, violation: /beyond 30Gi/ },
    without: 'A volume grows beyond what somebody was ready to pay for.',
  },
  {
    name: 'growing/known-disk',
    edits: [{ file: AUTO, text: 'share < LEAST_SHARE || share > LARGEST_SHARE ?', replacement: 'share < 0 ?' }],
    caught: { scenario: 'volumes-unknown', seed: 1, violation: /at 50 %|on what nobody knew|grows from/ },
    without: 'A volume grows because another, larger disk is full, and goes on being called full.',
  },
  {
    name: 'growing/fresh-figures',
    edits: [
      {
        file: AUTO,
        text: 'last === undefined || o.monotonicMs - last.atMs > STALE_MS',
        replacement: 'last === undefined',
      },
    ],
    caught: { scenario: 'volumes-stale', seed: 1, violation: /at 4[01] %/ },
    without: 'What a member said of its disk before it fell silent is a reason for ever.',
  },
  {
    name: 'growing/settling',
    edits: [
      { file: AUTO, text: 'rules === undefined || isSettling ||', replacement: 'rules === undefined ||' },
      {
        file: AUTO,
        text: "stage === 'deleting' || stage === 'after';",
        replacement: 'stage === undefined && operation !== undefined;',
      },
    ],
    caught: { scenario: 'volumes-settling', seed: 1, violation: /while the others settle/ },
    without: 'Volumes grow for copies that are there for a minute.',
    shared: 'The second edit is about the name alone, which the first one leaves unused.',
  },
];
