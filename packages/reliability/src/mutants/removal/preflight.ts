// The checks before a removal begins. Without most of them the same goes wrong: clients lose a member to a removal that
// cannot complete.

import type { Edit, Mutant } from '../edits/mutant.ts';

const CHECKS = 'planner/src/evidence/preflight/preflight-checks.ts';
/** Those that are made of one figure, which a proof asks as well. */
const OF_FIGURES = ['meshComplete', 'writesAllowed', 'noRejoin'];

/** Lets a check pass before anything begins. */
function withoutCheck(name: string): Edit {
  const text = OF_FIGURES.includes(name) ? `  ${name}: figureHold('${name}'),\n` : `  ${name},\n`;
  return { file: CHECKS, text, replacement: `  ${name}: () => undefined,\n` };
}

/** Makes a cluster decide with the factor of its spec, whatever its members run with
 *  (docs/decisions/pending-changes.md). */
const FACTOR_OF_SPEC = {
  file: 'operator/src/cluster/observation/shared-settings.ts',
  text: 'replicationFactor: Math.max(spec.replicationFactor, running.replicationFactor)',
  replacement: 'replicationFactor: spec.replicationFactor',
};

export const PREFLIGHT_MUTANTS: readonly Mutant[] = [
  {
    name: 'preflight/replicationFactorAboveOne',
    edits: [withoutCheck('replicationFactorAboveOne')],
    caught: { scenario: 'single-copy', seed: 1, violation: /^the removal of demo-\d begins / },
    without: 'The only copy of a share of the keys is sent away, to stand in Isolating for ever.',
  },
  {
    name: 'preflight/floor',
    edits: [withoutCheck('floor'), FACTOR_OF_SPEC],
    caught: { scenario: 'factor-lowered', seed: 2, violation: /^demo-3 goes while 3 others live and 4 are needed/ },
    without: 'A member goes although the others still keep three copies and would be three.',
    shared: 'A formed cluster decides with the factor its members run with, and that asks for four nodes by itself.',
  },
  {
    name: 'preflight/sameReplicationFactor',
    edits: [withoutCheck('sameReplicationFactor'), FACTOR_OF_SPEC],
    caught: { scenario: 'in-the-way/two-factors', seed: 1, violation: /^the removal of demo-\d begins / },
    without: 'A removal begins while members place copies differently, which no proof can bear.',
    shared:
      'A formed cluster decides with the largest factor its members run with, and four are not one too many for three copies.',
  },
  {
    name: 'preflight/nobodyElseLeaving',
    edits: [withoutCheck('nobodyElseLeaving')],
    caught: { scenario: 'left-by-hand', seed: 1, violation: /^the removal of demo-\d begins / },
    without: 'A second member is sent away while another one is still on its way out or back.',
  },
  {
    name: 'preflight/notFollowing',
    edits: [withoutCheck('notFollowing')],
    caught: { scenario: 'in-the-way/follows', seed: 1, violation: /^the removal of demo-\d begins / },
    without: 'The feed of an upstream Redis ends with the member that took it.',
  },
  {
    name: 'preflight/membersReady',
    edits: [withoutCheck('membersReady')],
    caught: { scenario: 'in-the-way/not-ready', seed: 1, violation: /^the removal of demo-\d begins / },
    without: 'A removal begins while a Pod that has to stay is not ready.',
  },
  {
    name: 'preflight/membershipAgreed',
    edits: [withoutCheck('membershipAgreed'), withoutCheck('membersMatchNodes')],
    caught: { scenario: 'in-the-way/hidden', seed: 1, violation: /^the removal of demo-\d begins / },
    without: 'A removal begins while members show different lists.',
    shared:
      'Without an agreed list there are no lines, and then membersMatchNodes misses everybody: it says the same in other words.',
  },
  {
    name: 'preflight/membersMatchNodes',
    edits: [withoutCheck('membersMatchNodes')],
    caught: {
      scenario: 'finalizer-removed',
      seed: 1,
      violation: /^a removal begins while members show 1, which has no node/,
    },
    without: 'A removal begins while members still show one that has no node any more.',
  },
  {
    name: 'preflight/nobodyJoining',
    edits: [withoutCheck('nobodyJoining')],
    caught: { scenario: 'drained-again', seed: 1, violation: /^wait for rest at 3/ },
    without: 'A removal begins beside a member that has no primaries, and is taken back for it again and again.',
  },
  {
    name: 'preflight/recordsInPlace',
    edits: [withoutCheck('recordsInPlace')],
    caught: { scenario: 'known-missing', seed: 1, violation: /^the removal of demo-\d begins over a record / },
    without: 'A member is drained although its removal would have to wait for records of others.',
  },
  {
    name: 'preflight/meshComplete',
    edits: [withoutCheck('meshComplete')],
    caught: { scenario: 'in-the-way/mesh', seed: 1, violation: /^the removal of demo-\d begins / },
    without: 'A removal begins while a member has no connections to its peers.',
  },
  {
    name: 'preflight/writesAllowed',
    edits: [withoutCheck('writesAllowed')],
    caught: { scenario: 'in-the-way/target-full', seed: 1, violation: /^the removal of demo-\d begins / },
    without: 'A removal begins while the disk of a member is full.',
  },
  {
    name: 'preflight/noRejoin',
    edits: [withoutCheck('noRejoin')],
    caught: { scenario: 'in-the-way/rejoin', seed: 1, violation: /^the removal of demo-\d begins / },
    without: 'A removal begins while a member may still drop what it alone has.',
  },
  {
    name: 'preflight/diskFits',
    edits: [withoutCheck('diskFits')],
    caught: { scenario: 'in-the-way/disk-small', seed: 1, violation: /^the removal of demo-\d begins / },
    without: 'The copies of the member that goes fill the disk of one that stays.',
  },
];
