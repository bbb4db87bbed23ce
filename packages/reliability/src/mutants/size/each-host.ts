// What keeps a size that follows the hosts from flapping, from emptying a cluster, and from taking the wrong member.

import type { Mutant } from '../edits/mutant.ts';

const RULE = 'planner/src/size/one-per-host.ts';

export const EACH_HOST_MUTANTS: readonly Mutant[] = [
  {
    name: 'each-host/standing',
    edits: [
      {
        file: RULE,
        text: '  const leftMs = CONFIRM_MS - (o.fewerHostsForMs ?? 0);\n',
        replacement: '  const leftMs = 0 * CONFIRM_MS;\n',
      },
    ],
    caught: { scenario: 'label-back-in-time', seed: 1, violation: /enough had the labels \d+ ms ago/ },
    without:
      'A host that registers anew, without its labels for a second, costs its member and a copy of all it holds.',
  },
  {
    name: 'each-host/none',
    edits: [
      {
        file: RULE,
        text: '  if (places === undefined || places.counted === 0) return undefined;\n  const { autoscale',
        replacement: '  if (places === undefined) return undefined;\n  const { autoscale',
      },
      {
        file: RULE,
        text: '  return places !== undefined && places.counted > 0 && sizeFor',
        replacement: '  return places !== undefined && sizeFor',
      },
    ],
    shared: 'the size and the time that it has been too large each ask whether any host is selected',
    caught: { scenario: 'labels-lost', seed: 1, violation: /and no host has the labels/ },
    without: 'A mistake in a selector brings a cluster to its floor.',
  },
  {
    name: 'each-host/whose',
    edits: [
      {
        file: 'planner/src/size/candidate.ts',
        text: '  const [misplaced] = misplacedMembers(o);\n',
        replacement: '  const misplaced = misplacedMembers(o).find(() => false);\n',
      },
    ],
    caught: { scenario: 'hosts-added', seed: 2, violation: /wait for the member of that host has gone/ },
    without: 'A member goes from a host that is selected, and one stays where none shall be.',
  },
  {
    name: 'each-host/comes-back',
    edits: [
      {
        file: RULE,
        text: '    kept: counted + Math.min(homeless + sharing, hosts.size - counted),\n',
        replacement: '    kept: counted + 0 * (homeless + sharing),\n',
      },
    ],
    caught: { scenario: 'selected-host-away', seed: 3, violation: /enough had the labels \d+ ms ago/ },
    without: 'A host that is drained for an upgrade costs its member, and one joins anew when it is let in again.',
  },
  {
    name: 'each-host/no-other-place',
    edits: [
      {
        file: RULE,
        text: 'Math.min(desired, sizeFor(o, places, places.counted));\n',
        replacement: 'Math.max(desired, sizeFor(o, places, places.counted));\n',
      },
    ],
    caught: { scenario: 'selected-host-gone', seed: 2, violation: /is made, and no host is free/ },
    without:
      'For a member that is lost with its host a new one copies everything to a host that has one, and then goes.',
  },
  {
    name: 'each-host/joins-first',
    edits: [
      {
        file: RULE,
        text: '  return size + Math.min(free, bound);\n',
        replacement: '  return size + 0 * Math.min(free, bound);\n',
      },
    ],
    caught: { scenario: 'host-swapped', seed: 9, violation: /^wait for rest at 5/ },
    without: 'A member on a disk of a host that has lost the label stays there for ever, and the new host stays empty.',
  },
];
