// What keeps a member on a drained host from being given up beside another one, in vain, or by an eviction.

import type { Mutant } from '../edits/mutant.ts';

const RULE = 'planner/src/hosts/replacing.ts';

export const REPLACED_ON_DRAIN_MUTANTS: readonly Mutant[] = [
  {
    name: 'drained/one-at-a-time',
    edits: [
      {
        file: RULE,
        text: '  if (other !== undefined) return',
        replacement: '  if (other?.isDeleting === true) return',
      },
    ],
    caught: { scenario: 'replaced-second-drained', seed: 1, violation: /are replaced at once/ },
    without: 'Two members are copied at once, and each has half as many to copy from.',
  },
  {
    name: 'drained/evictions',
    edits: [
      {
        file: 'operator/src/cluster/disruption-budget.ts',
        text: '  if (isBlocked) return members;\n',
        replacement: '',
      },
    ],
    caught: { scenario: 'replaced-on-drain', seed: 1, violation: /is evicted, and no other host takes its Pod/ },
    without: 'kubectl drain takes the member away before anybody has made room for it, and it waits for its host.',
  },
  {
    name: 'drained/target-evicted',
    edits: [
      {
        file: 'operator/src/cluster/disruption-budget.ts',
        text: 'isBlocked && node.pod !== undefined : node.serving',
        replacement: 'false : node.serving',
      },
    ],
    caught: { scenario: 'replaced-on-drain', seed: 1, violation: /is evicted, and no other host takes its Pod/ },
    without: 'The member is evicted while its records are compared, and nothing of it can be proven any more.',
  },
  {
    name: 'drained/deadline',
    edits: [
      {
        file: 'planner/src/members/replacement.ts',
        text: ' || node.hostDrained !== undefined;\n',
        replacement: ';\n',
      },
    ],
    caught: { scenario: 'replaced-late', seed: 1, violation: /is restarted, and no host takes its Pod|^wait for/ },
    without: 'A removal that is taken back ends a process that no host starts again.',
  },
  {
    name: 'drained/wish',
    edits: [
      {
        file: 'operator/src/hosts/drain-taints.ts',
        text: "    ({ key, effect }) => (effect === 'NoSchedule' || effect === 'NoExecute') && keys.has(key),\n",
        replacement: '    ({ key, effect }) => effect !== undefined && keys.has(key),\n',
      },
    ],
    caught: { scenario: 'drained-by-taint', seed: 1, violation: /which is only one to be avoided/ },
    without: 'A member leaves every host that an autoscaler thinks about, and may be put on the next one.',
  },
  {
    name: 'drained/lost',
    edits: [
      {
        file: 'planner/src/hosts/lost-hosts.ts',
        text: '!isReplacementFinal(node))',
        replacement: '(!isReplacementFinal(node) && node.hostDrained === undefined))',
      },
    ],
    caught: { scenario: 'replaced-host-gone', seed: 6, violation: /^wait for it has gone/ },
    without: 'A member whose host is gone before it was replaced is waited for, for ever.',
  },
  {
    name: 'drained/claims',
    edits: [
      {
        file: 'planner/src/members/volume-age.ts',
        text: "  if (volume.hostDrained !== undefined) return 'HostDrained';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'replaced-second-drained', seed: 1, violation: /./ },
    without: 'The next new node takes up a disk of the host that was drained, and its Pod finds no host.',
  },
];
