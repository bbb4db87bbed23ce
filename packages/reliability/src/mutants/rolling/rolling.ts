// What keeps a rolling update from doing harm: whose turn it is, what is compared before and after, where it stops.

import type { Mutant } from '../edits/mutant.ts';
import { EARLIER_ANSWERS_COUNT, PROCESSES_ARE_KNOWN } from '../edits/processes.ts';

const TURN = 'planner/src/operations/rolling/turn.ts';
const TURN_END = 'planner/src/operations/rolling/turn-end.ts';
const NEXT = 'planner/src/operations/rolling/next-turn.ts';
const FAILURE = 'planner/src/operations/rolling/turn-failure.ts';
const REVISIONS = 'planner/src/templates/revisions.ts';

export const ROLLING_MUTANTS: readonly Mutant[] = [
  {
    name: 'rolling/stopped',
    edits: [{ file: NEXT, text: '  if (stopped !== undefined) return stopped;\n', replacement: '' }],
    caught: { scenario: 'rollout-bad', seed: 1, violation: /whose update has stopped|have/ },
    without: 'One member after the other gets a template that the first one did not come up with.',
  },
  {
    name: 'rolling/stays-stopped',
    edits: [
      {
        file: REVISIONS,
        text: 'return stored?.revision === revision && !isRetried(cluster) ? stored.stopped : undefined;',
        replacement: 'return undefined;',
      },
    ],
    caught: { scenario: 'rollout-bad', seed: 1, violation: /./ },
    without: 'A stop is forgotten with the next pass, and the bad template is tried again and again.',
  },
  {
    name: 'rolling/approved',
    edits: [{ file: NEXT, text: 'rollout.approved !== revision', replacement: 'rollout.approved === undefined' }],
    caught: { scenario: 'rollout-canary', seed: 1, violation: /did not wait/ },
    without: 'An approval of another revision lets every member have this one.',
  },
  {
    name: 'rolling/copies',
    edits: [
      {
        file: TURN,
        text: '  if (waiting !== undefined && missing !== undefined && !isAnyway) {',
        replacement: '  if (waiting !== undefined && missing !== undefined && o.nowMs < 0 && !isAnyway) {',
      },
    ],
    caught: { scenario: 'rollout-unpushed', seed: 1, violation: /last living copy/ },
    without: 'A member is restarted with records that nobody else has.',
  },
  {
    name: 'rolling/full-disks',
    edits: [
      {
        file: 'planner/src/evidence/checks.ts',
        text: "  writesAllowed: [...REMOVALS, 'Sealing', 'Proving', 'Settling'],\n",
        replacement: '  writesAllowed: [...REMOVALS, ...PROOFS],\n',
      },
    ],
    caught: { scenario: 'rollout-full-disks', seed: 7, violation: /^wait for/ },
    without: 'A full disk keeps every member from the update that would mend it.',
  },
  {
    name: 'rolling/whole-again',
    edits: [
      {
        file: TURN,
        text: '  if (!evidence.isProven) return proceed(entered, { waits: evidence.missing, contents });\n',
        replacement: '',
      },
    ],
    caught: { scenario: 'rollout-read', seed: 1, violation: /read older at their first home/ },
    without: 'The next member has its turn while the last one lacks what it missed, and clients read what was before.',
  },
  {
    name: 'rolling/in-line',
    edits: [{ file: NEXT, text: '  if (o.isInLine)\n', replacement: '  if (o.isInLine && o.nowMs < 0)\n' }],
    caught: { scenario: 'rollout-in-line', seed: 2, violation: /begins beside 7 others/ },
    without: 'All clusters that change together restart their members together.',
  },
  {
    name: 'rolling/in-line-behind-those-that-hang',
    edits: [
      {
        file: 'operator/src/operations/turn-places.ts',
        text: '(turn === undefined ? BEGIN_MS : LONG_TURN_MS)',
        replacement: '(turn === undefined ? BEGIN_MS : Number.POSITIVE_INFINITY)',
      },
    ],
    caught: { scenario: 'rollout-in-line', seed: 2, violation: /^wait for the first in line begins/ },
    without: 'Clusters whose turns hang keep all others waiting.',
  },
  {
    name: 'rolling/in-line-behind-those-begun-before',
    edits: [{ file: 'operator/src/operations/turn-places.ts', text: '    giveToBegun();\n', replacement: '' }],
    caught: { scenario: 'rollout-in-line', seed: 2, violation: /begins beside 7 others/ },
    without: 'An operator that takes over begins as many turns beside those that are under way.',
  },
  {
    name: 'rolling/let-in',
    edits: [
      { file: TURN, text: '  if (!isBehindService(node))\n', replacement: '  if (o.nowMs < 0)\n' },
      {
        file: 'planner/src/evidence/preflight/preflight-checks.ts',
        text: ' && !isBehindService(one));',
        replacement: ' && one.id < 0);',
      },
    ],
    caught: { scenario: 'rollout-ready', seed: 1, violation: /is not Ready while its members take their turns/ },
    without: 'The next member leaves the clients’ way before the last one is back in it.',
    shared: 'One ends the turn when its member is let in, the other begins none before everybody is.',
  },
  {
    name: 'rolling/mesh',
    edits: [
      {
        file: TURN,
        text: '  if (around !== undefined || !isCurrent(node, roll))',
        replacement: '  if (!isCurrent(node, roll) || node.answer.kind !== "serving")',
      },
    ],
    caught: { scenario: 'rollout-other-mesh', seed: 1, violation: /serves clients/ },
    without: 'Clients write to a member whose version the others do not understand.',
  },
  {
    name: 'rolling/cut',
    edits: [
      {
        file: FAILURE,
        text: 'o.monotonicMs - unmeshedSinceMs < MESH_PATIENCE_MS ? undefined : mesh',
        replacement: 'mesh',
      },
    ],
    caught: { scenario: 'rollout-cut', seed: 1, violation: /^the update has stopped at/ },
    without: 'A network that is cut for seconds stops an update until a person comes.',
  },
  {
    name: 'rolling/figures-late',
    edits: [
      {
        file: FAILURE,
        text: 'recentReading(factsOf(o, node), o.monotonicMs)?.figures',
        replacement: 'factsOf(o, node)?.last.figures',
      },
      ...EARLIER_ANSWERS_COUNT,
    ],
    caught: { scenario: 'rollout-figures-late', seed: 3, violation: /^the update has stopped at/ },
    without: 'A member that gives no figures for half a minute stops an update until a person comes.',
    shared: PROCESSES_ARE_KNOWN,
  },
  {
    name: 'rolling/goes-back',
    edits: [
      {
        file: TURN,
        text: 'if (isServing && isGoingBack)',
        replacement: 'if (isServing && isGoingBack && o.nowMs < 0)',
      },
    ],
    caught: { scenario: 'rollout-retried', seed: 1, violation: /^wait for it goes back/ },
    without: 'A member that fails after it was let in stays on the template it failed with.',
  },
  {
    name: 'rolling/back-beside-its-clients',
    edits: [
      {
        file: TURN,
        text: "  if (isServing && isGoingBack) return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });",
        replacement:
          "  if (isServing && isGoingBack) return proceed(record, { steps: [{ kind: 'restartNode', node, revision, operationId: record.id }] });",
      },
    ],
    caught: { scenario: 'rollout-retried', seed: 1, violation: /goes back with its clients/ },
    without: 'A member that goes back is ended under its clients.',
  },
  {
    name: 'rolling/found-of-another',
    edits: [
      {
        file: TURN_END,
        text: 'const isOfBefore = isRollingBack && stoppedUpdate(o.cluster) === undefined;',
        replacement: 'const isOfBefore = isRollingBack && o.nowMs < 0;',
      },
    ],
    caught: { scenario: 'rollout-back-fails', seed: 1, violation: /^wait for rest at 3/ },
    without: 'A member that does not come back stops the update to a template that nobody has tried.',
  },
  {
    name: 'rolling/altered',
    edits: [
      {
        file: 'operator/src/objects/revision-object.ts',
        text: 'return valueHash(template) === hashOfRevision(revision) ? (template as NodeTemplate) : undefined;',
        replacement: "return hashOfRevision(revision) === '' ? undefined : (template as NodeTemplate);",
      },
    ],
    caught: { scenario: 'rollout-altered', seed: 5, violation: /runs what somebody wrote into a stored template/ },
    without: 'A member goes back to what somebody has written into a stored template.',
  },
  {
    name: 'rolling/frozen-at-first',
    edits: [
      {
        file: 'planner/src/templates/template-without-turn.ts',
        text: ' && !(isFormed && wasSeenLately(o, node));',
        replacement: ' && wasSeenLately !== undefined;',
      },
      {
        file: 'planner/src/templates/template-without-turn.ts',
        text: ' && !isShownActive(nodes, node);',
        replacement: ' && isShownActive !== undefined;',
      },
    ],
    caught: { scenario: 'frozen-at-first', seed: 13, violation: /^delete pods demo-3: its node is to stay as it is/ },
    without: 'A member that has taken writes and is only frozen is ended as one that nobody was let in to.',
    shared:
      'What its others show now, and what they have shown: the one lasts for seconds, and the other is of this process.',
  },
];
