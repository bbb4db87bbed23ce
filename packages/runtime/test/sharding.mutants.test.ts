// Every guard of leases and of sharing that can be removed: the story that shows it fails without the guard, and passes
// with it.
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { importWithout } from './support/guard-loader.ts';
import { GUARD_MUTANTS } from './support/guard-mutants.ts';
import { SHARE_STORIES } from './support/share-stories.ts';

describe('stories of replicas that share', function () {
  this.timeout(60_000);
  for (const [name, story] of Object.entries(SHARE_STORIES))
    it(`${name}: no slot has two owners`, async () => {
      await story();
    });
});

describe('a missing guard of replicas that share is noticed', function () {
  this.timeout(60_000);
  for (const mutant of GUARD_MUTANTS)
    it(`${mutant.name}: ${mutant.without}`, async () => {
      const { SHARE_STORIES: stories } = await importWithout<typeof import('./support/share-stories.ts')>(
        mutant,
        new URL('./support/share-stories.ts', import.meta.url),
      );
      const found = await stories[mutant.caught]().then(
        () => 'nothing',
        (error: unknown) => String(error),
      );
      expect(found).to.match(mutant.violation ?? /two owners/);
    });
});
