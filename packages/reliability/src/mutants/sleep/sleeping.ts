// What keeps members that are stopped for a while from harm: what must be seen before they stop, that none runs
// meanwhile, and up to when they may be started again.

import type { Mutant } from '../edits/mutant.ts';

const HIBERNATION = 'planner/src/operations/sleep/hibernation.ts';
const SUSPENSION = 'planner/src/operations/sleep/suspension.ts';
const NODE = 'planner/src/node/stop.ts';

export const SLEEPING_MUTANTS: readonly Mutant[] = [
  {
    name: 'sleeping/contents',
    edits: [
      {
        file: HIBERNATION,
        text: '  if (evidence.isProven) return store(',
        replacement: '  if (o.nowMs > 0) return store(',
      },
    ],
    caught: { scenario: 'hibernated-unpushed', seed: 1, violation: /not on all their homes/ },
    without: 'All members stop with records that only one volume has.',
  },
  {
    name: 'sleeping/age',
    edits: [
      {
        file: HIBERNATION,
        text: '  if (!isAwayTooLong(o, sinceMs)) return undefined;',
        replacement: '  if (!isAwayTooLong(o, sinceMs) || o.nowMs >= 0) return undefined;',
      },
    ],
    caught: {
      scenario: 'hibernated-too-long',
      seed: 1,
      violation: /run while all are to be stopped|why nobody starts/,
    },
    without: 'Members start that have slept for longer than deletions are remembered.',
  },
  {
    name: 'sleeping/nobody-runs',
    edits: [
      {
        file: NODE,
        text: "  if (node.stopped === 'Hibernated')\n    return wait(",
        replacement: "  if (node.stopped === 'Hibernated' && node.id < 0)\n    return wait(",
      },
      {
        file: NODE,
        text: '  if (asleep.length === 0 || siblings.some(isUp)) return undefined;',
        replacement: '  if (asleep.length >= 0 || siblings.some(isUp)) return undefined;',
      },
    ],
    caught: { scenario: 'hibernated', seed: 1, violation: /begins while its node is Hibernated/ },
    without: 'The Pods of a cluster that sleeps are made again.',
    shared: 'One keeps a node that is stopped from starting, the other whoever would start before all may.',
  },
  {
    name: 'sleeping/off-its-volume',
    edits: [
      {
        file: NODE,
        text: "  if (node.stopped === 'Suspended') {\n",
        replacement: "  if (node.stopped === 'Suspended' && node.id < 0) {\n",
      },
    ],
    caught: { scenario: 'suspended', seed: 1, violation: /begins while its node is Suspended/ },
    without: 'A second process is started on a volume that somebody is at work on.',
  },
  {
    name: 'sleeping/suspended-age',
    edits: [
      {
        file: SUSPENSION,
        text: '  if (!isAwayTooLong(o, sinceMs)) return undefined;',
        replacement: '  if (!isAwayTooLong(o, sinceMs) || o.nowMs >= 0) return undefined;',
      },
    ],
    caught: { scenario: 'suspended-too-long', seed: 1, violation: /runs while it is to be off its volume/ },
    without: 'A member comes back with deletions forgotten that the others remember no more.',
  },
  {
    name: 'sleeping/suspended-copies',
    edits: [
      {
        file: SUSPENSION,
        text: '  if (waiting === undefined || missing === undefined) return store(',
        replacement: '  if (waiting === undefined || missing === undefined || o.nowMs > 0) return store(',
      },
    ],
    caught: { scenario: 'suspended-unpushed', seed: 1, violation: /last living copy/ },
    without: 'A member is taken off its volume with records that nobody else has.',
  },
  {
    name: 'sleeping/host-waited-for',
    edits: [
      {
        file: 'planner/src/hosts/lost-hosts.ts',
        text: "  if (o.cluster.operation?.type === 'Hibernate') return hold(",
        replacement: "  if (o.cluster.operation?.type === 'Hibernate' && o.nowMs < 0) return hold(",
      },
    ],
    caught: { scenario: 'hibernated-host-lost', seed: 1, violation: /demo-\d waits for host-\d: not within/ },
    without: 'Who cannot wake because its host is gone is named like a Pod that finds no room, with no way out.',
  },
];
