// Every guard of the places for turns that can be removed: the story that shows it fails without the guard, and passes
// with it.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { importWithout } from '../../runtime/test/support/guard-loader.ts';
import { TURN_MUTANTS } from './support/turn-mutants.ts';
import { TURN_STORIES } from './support/turn-stories.ts';

describe('more clusters than places', () => {
  for (const [name, story] of Object.entries(TURN_STORIES))
    it(`${name}: no cluster is passed over or forgotten`, story);
});

describe('a missing guard of the places for turns is noticed', () => {
  for (const mutant of TURN_MUTANTS)
    it(`${mutant.name}: ${mutant.without}`, async () => {
      const { TURN_STORIES: stories } = await importWithout<typeof import('./support/turn-stories.ts')>(
        mutant,
        new URL('./support/turn-stories.ts', import.meta.url),
      );
      const found = await stories[mutant.caught]().then(
        () => 'nothing',
        (error: unknown) => String(error),
      );
      expect(found).to.match(mutant.found);
    });
});
