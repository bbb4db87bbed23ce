// What keeps members and clients from being locked out while a password changes.

import { type Mutant, withoutFence } from '../edits/mutant.ts';

const CHECKS = 'planner/src/evidence/checks.ts';
const LOCKED = 'planner/src/operations/mending/locked-out.ts';
const TURN = 'planner/src/operations/rolling/turn.ts';

export const PASSWORD_MUTANTS: readonly Mutant[] = [
  {
    name: 'passwords/before',
    edits: [
      {
        file: 'operator/src/members/ask-member.ts',
        text: "if (result.kind !== 'silent' || !result.isUnauthorized) return guardedBy(first, result);",
        replacement: "if (result.kind !== 'silent' || first.source !== undefined) return guardedBy(first, result);",
      },
    ],
    caught: { scenario: 'password-rotated', seed: 1, violation: /all want the second/ },
    without: 'As soon as the Secret changes, the operator is shut out of every member and can give none the new one.',
  },
  {
    name: 'passwords/valid',
    edits: [
      { file: 'operator/src/secrets/secret-keys.ts', text: 'bytes.includes(0)', replacement: 'bytes.includes(1)' },
    ],
    caught: { scenario: 'password-invalid', seed: 2, violation: /PasswordInvalid is said/ },
    without: 'Members are given a password with which none can be started again.',
  },
  {
    name: 'passwords/paused',
    edits: [
      {
        file: 'planner/src/node/node-plan.ts',
        text: "  if (o.parent === 'paused' && !(mayGo && isDeparting(o)))",
        replacement: "  if (o.parent === 'paused' && o.node.answer.kind !== 'serving' && !(mayGo && isDeparting(o)))",
      },
      {
        file: 'operator/src/node/steps/live-checks.ts',
        text: 'return confirmedIf(isSame && live.metadata.deletionTimestamp === undefined && live.spec.paused !== true);',
        replacement: 'return confirmedIf(isSame && live.metadata.deletionTimestamp === undefined);',
      },
    ],
    caught: { scenario: 'password-paused', seed: 1, violation: /a paused cluster was told/ },
    without: 'Members of a cluster that somebody has paused get another password.',
    shared: 'The pause is looked up again live, right before a member is told.',
  },
  {
    name: 'passwords/live',
    edits: [
      withoutFence(
        'clusterAsksForPassword',
        '    rightBefore: [clusterAsksForPassword],\n',
        'operator/src/node/steps/fences.ts',
      ),
    ],
    caught: { scenario: 'password-unheard', seed: 1, violation: /a paused cluster was told/ },
    without:
      'Members of a cluster that was paused a moment ago, which a cache does not show yet, get another password.',
  },
  {
    name: 'passwords/noticed',
    edits: [
      {
        file: 'operator/src/secrets/secret-watches.ts',
        text: 'if (!change.initial) for',
        replacement: 'if (change.own && !change.initial) for',
      },
    ],
    caught: { scenario: 'password-rotated', seed: 1, violation: /all want the second/ },
    without: 'Nobody hears of a changed Secret while the cluster is at rest.',
  },
  {
    name: 'passwords/all-want',
    edits: [
      {
        file: 'operator/src/cluster/observation/shared-settings.ts',
        text: '!isTurn && isTakenUp(spec, nodes)',
        replacement: '(!isTurn || isTakenUp(spec, nodes))',
      },
    ],
    caught: { scenario: 'password-unusable', seed: 1, violation: /the node has joined/ },
    without: 'New Pods are to start with what no member wants, or with what is not there.',
  },
  {
    name: 'passwords/same-pod',
    edits: [
      {
        file: 'operator/src/pass/node-record.ts',
        text: 'pod.templateHash === from && to !== undefined;',
        replacement: "pod.templateHash === from && to === 'never';",
      },
    ],
    caught: { scenario: 'password-moved', seed: 1, violation: /restarted|not at rest/ },
    without: 'Members are restarted for another Secret, which they have had for long.',
  },
  {
    name: 'passwords/note',
    edits: [
      {
        file: 'planner/src/node/node-plan.ts',
        text: 'if (!known.includes(password.asked)) return act',
        replacement: "if (!known.includes(password.asked) && password.asked === '') return act",
      },
    ],
    caught: { scenario: 'password-turned-back', seed: 1, violation: /^somebody was restarted/ },
    without: 'After the spec was set back nobody knows any more what some members were given.',
  },
  {
    name: 'passwords/first-told',
    edits: [
      {
        file: 'planner/src/operations/rolling/next-turn.ts',
        text: 'const missing = passwordHold(o) ?? ',
        replacement: 'const missing = ',
      },
    ],
    caught: { scenario: 'password-moved-again', seed: 2, violation: /not within 600000/ },
    without:
      'A turn begins for a template that only another Secret makes an older one, and is given up for the one of before, for ever.',
  },
  {
    name: 'passwords/old-secret-gone',
    edits: [
      {
        file: 'planner/src/members/passwords.ts',
        text: 'return node.pod?.password !== undefined && node.pod.password !== sourceOf(node);',
        replacement: 'return node.pod?.password !== undefined && node.pod.password === sourceOf(node);',
      },
    ],
    caught: { scenario: 'password-old-gone', seed: 1, violation: /^wait for rest/ },
    without: 'A process that ends after the Secret of before is gone never comes back.',
  },
  {
    name: 'passwords/way-out',
    edits: [
      {
        file: LOCKED,
        text: '  return lockedMembers(o).length > 0 && whatForbids(o) === undefined;',
        replacement: '  return lockedMembers(o).length > 0 && whatForbids(o) !== undefined;',
      },
    ],
    caught: { scenario: 'password-half-told', seed: 1, violation: /^wait for rest/ },
    without:
      'Members that were not told the new password before their operator ended are shut off until a person acts.',
  },
  {
    name: 'passwords/patience',
    edits: [{ file: LOCKED, text: 'answer.sinceMs + LOCKED_PATIENCE_MS', replacement: 'answer.sinceMs' }],
    caught: { scenario: 'password-unseen', seed: 1, violation: /somebody was restarted/ },
    without: 'Members are restarted while a person puts the password of before beside the new one.',
  },
  {
    name: 'passwords/locked-copies',
    edits: [
      {
        file: TURN,
        text: 'isLate && isNeededAnyway(roll)',
        replacement: 'isNeededAnyway(roll)',
      },
    ],
    caught: { scenario: 'password-unpushed', seed: 1, violation: /last living copy/ },
    without: 'A member that takes no password is restarted with records that nobody else has.',
  },
  {
    name: 'passwords/locked-others',
    edits: [
      { file: CHECKS, text: "  othersUp: ['Unlock'],\n", replacement: '  othersUp: [],\n' },
      { file: CHECKS, text: "const LOOKS = ['Unlock', ...PROOFS]", replacement: 'const LOOKS = [...PROOFS]' },
    ],
    caught: { scenario: 'password-beside-silent', seed: 1, violation: /beside it|is made again while demo-2 is away/ },
    without: 'Clients are sent away from a member that is to be restarted while another one hangs.',
    shared: 'What its Pod says, and what it answers, show each that a member hangs.',
  },
];
