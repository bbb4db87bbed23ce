// Guards of the places for turns, each removed by one edit, and the story that shows it.

import type { GuardEdit } from '../../../runtime/test/support/guard-loader.ts';
import { MAX_TURNS } from '../../src/operations/turn-places.ts';
import type { TurnStory } from './turn-stories.ts';

export interface TurnMutant extends GuardEdit {
  readonly caught: TurnStory;
  /** The error with which the story fails. */
  readonly found: RegExp;
  /** What goes wrong without the guard, in one sentence. */
  readonly without: string;
}

const FILE = 'operations/turn-places.ts';
const TOO_MANY = new RegExp(`begins beside ${MAX_TURNS} others`);
const LATE = /did not begin within|not done within/;

export const TURN_MUTANTS: readonly TurnMutant[] = [
  {
    name: 'turns/places',
    file: FILE,
    text: 'free > 0; free -= 1',
    replacement: 'free > -MAX_TURNS; free -= 1',
    caught: 'five times as many as places change at once',
    found: TOO_MANY,
    without: 'All clusters restart members at once.',
  },
  {
    name: 'turns/first-come',
    file: FILE,
    text: 'if (count >= fewest) continue;',
    replacement: 'if (count > fewest) continue;',
    caught: 'five times as many as places change at once',
    found: /which came first/,
    without: 'Who came last is next, and who came first waits for all others.',
  },
  {
    name: 'turns/tenants',
    file: FILE,
    text: 'const count = held.get(tenantOf(key)) ?? 0;',
    replacement: 'const count = Math.min(0, held.size);',
    caught: 'a tenant with one cluster comes last',
    found: LATE,
    without: 'A tenant with one cluster waits for all of one with a hundred.',
  },
  {
    name: 'turns/long-turn',
    file: FILE,
    text: '(turn === undefined ? BEGIN_MS : LONG_TURN_MS)',
    replacement: '(turn === undefined ? BEGIN_MS : Number.POSITIVE_INFINITY)',
    caught: 'the turns of all with a place hang',
    found: LATE,
    without: 'Eight turns that hang keep all other clusters waiting.',
  },
  {
    name: 'turns/begin',
    file: FILE,
    text: '(turn === undefined ? BEGIN_MS : LONG_TURN_MS)',
    replacement: '(turn === undefined ? Number.POSITIVE_INFINITY : LONG_TURN_MS)',
    caught: 'all with a place cannot begin',
    found: LATE,
    without: 'Eight clusters that cannot begin keep all others waiting.',
  },
  {
    name: 'turns/slice',
    file: FILE,
    text: 'return waiting.size > 0 && clock.steadyMs() - sinceMs >= SLICE_MS;',
    replacement: 'return waiting.size > 0 && clock.steadyMs() < sinceMs;',
    caught: 'small ones come after large ones',
    found: LATE,
    without: 'A large cluster keeps its place until its last member has had its turn.',
  },
  {
    name: 'turns/of-this-turn',
    file: FILE,
    text: '      place.turn = turn;\n      place.stateSinceMs = clock.steadyMs();\n',
    replacement: '      place.turn = turn;\n',
    caught: 'five times as many as places change at once',
    found: TOO_MANY,
    without: 'A third turn counts as one that takes long, and others begin beside it.',
  },
  {
    name: 'turns/look',
    file: FILE,
    text: 'if (waiting.size === 0) {',
    replacement: 'if (waiting.size >= 0) {',
    caught: 'the turns of all with a place hang',
    found: LATE,
    without: 'A place that has become free without a word is given to nobody.',
  },
  {
    name: 'turns/given-back',
    file: FILE,
    text: '      forget(clusterKey);\n      return false;\n',
    replacement: '      return false;\n',
    caught: 'those in line are paused or deleted',
    found: LATE,
    without: 'A cluster that is paused or has stopped is given a place it does not want.',
  },
  {
    name: 'turns/deleted',
    file: FILE,
    text: 'if (waiting.delete(key) || wasThere) letIn();',
    replacement: 'if (waiting.delete(key) && wasThere) letIn();',
    caught: 'those with a place are paused or deleted',
    found: LATE,
    without: 'The place of a cluster that is gone is free, and nobody is told.',
  },
  {
    name: 'turns/told',
    file: FILE,
    text: 'if (next !== asking) onPlace(next);',
    replacement: 'if (next === asking) onPlace(next);',
    caught: 'five times as many as places change at once',
    found: LATE,
    without: 'Who gets a place is not told, and nobody looks at who is in line.',
  },
  {
    name: 'turns/begun-before',
    file: FILE,
    text: '    giveToBegun();\n',
    replacement: '',
    caught: 'another process takes over',
    found: /begins beside \d+ others/,
    without: 'What the last process has begun does not count, and as many begin beside it.',
  },
];
