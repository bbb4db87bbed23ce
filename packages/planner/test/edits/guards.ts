// What made-up edits have found missing in the planner: each guard, removed by one edit, and a sequence that ends badly
// without it (docs/decisions/rolling-updates.md). When a person is told in its place,
// no sequence shows that a guard is missing; such guards are in stamping.test.ts, rolling.test.ts and
// joining-late.test.ts. A sequence for a new one is looked for with
//   EDIT_WITHOUT=<name> EDIT_SEQUENCES=3000 npm run unit -- packages/planner/test/edits/sequences.test.ts

import { type GuardEdit, importWithout } from '../../../runtime/test/support/guard-loader.ts';
import type { Edit, Sequence } from './edits.ts';
import type { live } from './life.ts';
import type { Letter } from './templates.ts';

export interface EditGuard extends GuardEdit {
  readonly sequence: Sequence;
  /** The error with which the sequence ends. */
  readonly found: RegExp;
  /** What goes wrong without the guard, in one sentence. */
  readonly without: string;
}

/** @returns what lives a sequence with a planner that lacks this guard */
export async function liveWithout(guard: GuardEdit): Promise<typeof live> {
  const loaded = await importWithout<typeof import('./life.ts')>(guard, new URL('./life.ts', import.meta.url));
  return loaded.live;
}

const AT_ONCE = [0];
const template = (letter: Letter): Edit => ({ kind: 'template', letter });
const wait = (seconds: number): Edit => ({ kind: 'wait', seconds });
/** A cluster of three at rest. @param tape when what is wanted is done (edited-cluster.ts) */
const ofThree = (edits: readonly Edit[], tape: readonly number[] = AT_ONCE): Sequence => ({
  nodes: 3,
  isFormed: true,
  edits,
  tape,
});
const NO_REST = /^it does not come to rest/;

export const GUARDS: readonly EditGuard[] = [
  {
    name: 'edits/held-out-first',
    file: 'operations/rolling/next-turn.ts',
    text: 'isHeldOut(node) ? 0 : 1',
    replacement: 'isHeldOut(node) ? 1 : 1',
    sequence: ofThree([
      { kind: 'rollback', isOn: false },
      template('z'),
      wait(60),
      { kind: 'nodes', nodes: 4 },
      wait(2),
      template('b'),
    ]),
    found: NO_REST,
    without: 'A member that is held out keeps all others from their turns, and they keep it from its own.',
  },
  {
    name: 'edits/held-out-unasked',
    file: 'evidence/preflight/preflight.ts',
    text: 'const isAsked = !isHeldOut(node);',
    replacement: 'const isAsked = node.id >= 0 || isHeldOut(node);',
    sequence: ofThree([{ kind: 'rollback', isOn: false }, template('z'), wait(60), template('b')]),
    found: NO_REST,
    without: 'A member that is held out waits for itself.',
  },
  {
    name: 'edits/late-joiner',
    file: 'templates/template-without-turn.ts',
    text: '  if (isFormed && isLateJoiner(o, node)) return true;\n',
    replacement: '',
    sequence: ofThree([template('z'), { kind: 'loseVolume', at: 0 }, wait(2), template('x')]),
    found: NO_REST,
    without: 'A new member joins for ever with a template that nobody asks for any more.',
  },
  {
    name: 'edits/permit',
    file: 'operations/rolling/turn.ts',
    text: "  if (isPermitVoid(turn, node)) return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });\n",
    replacement: '',
    sequence: ofThree(
      [template('b'), wait(19), { kind: 'kill', at: 1 }],
      [450, 239, 981, 554, 628, 56, 665, 966, 991, 998, 498, 942, 866, 983, 976, 625, 946],
    ),
    found: /^demo-2 is restarted while demo-1 lacks records/,
    without: 'A member is restarted while another one, which went down after the comparison, is away.',
  },
  {
    name: 'edits/seal-void',
    file: 'operations/removal/before.ts',
    text: ' || isSealVoid(scope, node)',
    replacement: '',
    sequence: {
      nodes: 4,
      isFormed: true,
      edits: [{ kind: 'nodes', nodes: 3 }, wait(16), { kind: 'kill', at: 1 }],
      tape: [368, 986, 944, 979, 451, 362, 995, 938, 921, 494, 434, 783, 358, 912, 829, 129, 943],
    },
    found: /^demo-3 is restarted while demo-1 lacks records/,
    without: 'The door of a member is closed while another one, which went down after the comparison, lacks records.',
  },
  {
    name: 'edits/others-away',
    file: 'operations/removal/cancelling.ts',
    text: 'other.uid !== node.uid && isToBeBack(other));',
    replacement: 'other.uid !== node.uid && other.id < 0 && isToBeBack(other));',
    sequence: ofThree(
      [
        ...(['m', 'h', 'e', 'f', 'd', 'b'] as const).map(template),
        { kind: 'losePod', at: 0 },
        template('b'),
        wait(23),
        { kind: 'deletePod', at: 0 },
        template('a'),
        template('x'),
      ],
      [0, 1, 0, 0, 0, 0, 606, 600, 0, 334, 0, 931, 0, 0, 0, 0, 955],
    ),
    found: /^demo-2 is restarted while demo-0 is away/,
    without: 'A member is taken back while another one is away that lacks what only this one has.',
  },
  {
    name: 'edits/joining-told',
    file: 'members/joining-late.ts',
    text: 'if (!(wasActive || isOnLostVolume) ||',
    replacement: 'if (!isOnLostVolume ||',
    sequence: ofThree([
      { kind: 'onDelete', isOn: true },
      template('w'),
      wait(2),
      { kind: 'deletePod', at: 0 },
      wait(6),
      { kind: 'onDelete', isOn: false },
    ]),
    found: NO_REST,
    without: 'Nobody hears of a member that was Active and joins for ever.',
  },
  {
    name: 'edits/joining-on-lost-volume-told',
    file: 'members/joining-late.ts',
    text: 'if (!(wasActive || isOnLostVolume) ||',
    replacement: 'if (!wasActive ||',
    sequence: {
      nodes: 4,
      isFormed: false,
      edits: [
        wait(2),
        { kind: 'kill', at: 0 },
        template('a'),
        { kind: 'loseVolume', at: 1 },
        template('z'),
        wait(4),
        wait(2),
        template('a'),
      ],
      tape: [0, 834, 704, 3, 0, 0, 0, 334, 0, 0, 7, 0, 931, 0, 0, 334, 0],
    },
    found: NO_REST,
    without: 'Nobody hears of a member that never joined on a volume that is lost.',
  },
  {
    name: 'edits/unjoined-first',
    file: 'size/candidate.ts',
    text: 'if (goesUnjoined(o, node)) return 1;',
    replacement: 'if (goesUnjoined(o, node)) return 5;',
    sequence: ofThree([
      template('w'),
      { kind: 'nodes', nodes: 4 },
      wait(6),
      { kind: 'deleteNode', at: 3 },
      wait(2),
      { kind: 'loseVolume', at: 0 },
      wait(20),
      template('b'),
    ]),
    found: NO_REST,
    without: 'A deleted node that never joined waits for one that has lost its volume, and that one for it.',
  },
];
