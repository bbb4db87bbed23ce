// What keeps members and clients from being shut out while a password changes.

import type { Mutant } from './mutant.ts';

export const PASSWORD_MUTANTS: readonly Mutant[] = [
  {
    name: 'passwords/before',
    edits: [
      {
        file: 'operator/src/members/sampler.ts',
        text: "if (result.kind !== 'silent' || !result.isUnauthorized) return result;",
        replacement: "if (result.kind !== 'silent' || entry.target.podUid !== '') return result;",
      },
    ],
    caught: { scenario: 'password-rotated', seed: 1, violation: /all want the second/ },
    without: 'As soon as the Secret changes, the operator is shut out of every member and can give none the new one.',
  },
  {
    name: 'passwords/valid',
    edits: [
      { file: 'operator/src/members/secret-keys.ts', text: 'bytes.includes(0)', replacement: 'bytes.includes(1)' },
    ],
    caught: { scenario: 'password-invalid', seed: 2, violation: /PasswordInvalid is said/ },
    without: 'Members are given a password with which none can be started again.',
  },
  {
    name: 'passwords/paused',
    edits: [
      {
        file: 'planner/src/node-plan.ts',
        text: "  if (o.parent === 'paused' && !(mayGo && isDeparting(o)))",
        replacement: "  if (o.parent === 'paused' && o.node.answer.kind !== 'serving' && !(mayGo && isDeparting(o)))",
      },
      {
        file: 'operator/src/node/fences.ts',
        text: 'return holdsIf(live.metadata.deletionTimestamp === undefined && live.spec.paused !== true);',
        replacement: 'return holdsIf(live.metadata.deletionTimestamp === undefined);',
      },
    ],
    caught: { scenario: 'password-paused', seed: 1, violation: /a paused cluster was told/ },
    without: 'Members of a cluster that somebody has paused get another password.',
    shared: 'The pause is looked up again live, right before a member is told.',
  },
  {
    name: 'passwords/noticed',
    edits: [
      {
        file: 'operator/src/members/secret-watches.ts',
        text: 'if (!change.initial) for',
        replacement: 'if (change.own && !change.initial) for',
      },
    ],
    caught: { scenario: 'password-rotated', seed: 1, violation: /all want the second/ },
    without: 'Nobody hears of a changed Secret while the cluster is at rest.',
  },
];
