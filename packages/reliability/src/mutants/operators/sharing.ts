// What keeps a change of shared settings from doing harm and from stopping half-way, and keeps replicas of the operator
// that share clusters apart.

import type { Mutant } from '../edits/mutant.ts';

export const SHARING_MUTANTS: readonly Mutant[] = [
  {
    name: 'sharing/other-format',
    edits: [
      {
        file: 'runtime/src/lease/leader-election.ts',
        text: 'if (!isRenewal && !mayTake())',
        replacement: 'if (!isRenewal && mayTake === undefined)',
      },
    ],
    caught: { scenario: 'ring-of-two-formats', seed: 1, violation: /^wait for one of the old way owns/ },
    without:
      'A replica of another version keeps the others from taking over from each other, until all of them are gone.',
  },
  {
    name: 'sharing/slot-put-right',
    edits: [
      {
        file: 'operator/src/sharing/slot-labels.ts',
        text: 'if (share === undefined || label === undefined || share.has(clusterKey)) return;',
        replacement: 'if (share === undefined || label !== undefined || share.has(clusterKey)) return;',
      },
    ],
    caught: { scenario: 'ring-slot-edited', seed: 1, violation: /^wait for 3 of 4 stay/ },
    without: 'What a hand has put into another slot is gone for its owner, who waits for it for ever.',
  },
  {
    name: 'sharing/agreed-homes',
    edits: [
      {
        file: 'planner/src/members/shared-factor.ts',
        text: 'cluster.spec.replicationFactor : Math.min(...factors)',
        replacement: 'cluster.spec.replicationFactor : Math.max(...factors)',
      },
    ],
    caught: { scenario: 'factor-disturbed', seed: 8, violation: /./ },
    without: 'Copies are asked for where the members that have not changed yet never place them.',
  },
  {
    name: 'sharing/joins-as-the-others',
    edits: [
      {
        file: 'operator/src/cluster/observation/shared-settings.ts',
        text: 'running === undefined || running.leastReplicationFactor >= stamped.replicationFactor',
        replacement: 'running === undefined || running.leastReplicationFactor > 0',
      },
    ],
    caught: { scenario: 'factor-raised', seed: 2, violation: /./ },
    without: 'A new member asks the others for partitions of which they do not take it for a home, and joins for ever.',
  },
  {
    name: 'sharing/own-placement',
    edits: [
      {
        file: 'planner/src/members/shown-placements.ts',
        text: 'const known = this.#byFactor.get(replicationFactor);',
        replacement: 'const known = [...this.#byFactor.values()][0];',
      },
    ],
    caught: { scenario: 'factor-raised', seed: 2, violation: /./ },
    without:
      'Members with the old factor and with the new one are held against each other, and the first turn never ends.',
  },
  {
    name: 'sharing/replaced-meanwhile',
    edits: [
      {
        file: 'planner/src/evidence/preflight/preflight-checks.ts',
        text: '  if (needsReplacement(candidate.node)) return undefined;\n  const [first] = asked;',
        replacement: '  const [first] = asked;',
      },
    ],
    caught: { scenario: 'factor-disturbed', seed: 8, violation: /./ },
    without: 'Who is to be replaced waits for the update, and the update for it.',
  },
];
