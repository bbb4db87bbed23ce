// Every guard of a removal is needed: without it a certain life fails, and with it the same life goes well. Every check
// of the planner is among them. By hand: `npm run sim -- --mutants`, and `--mutant <guard> --transcript` for one of
// them.
// Runs first: it takes as long as a third of all the others.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { checksFor } from '@marekvs/planner';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { findMutant, MUTANTS } from '../src/mutants/catalogue.ts';
import { applyEdits } from '../src/mutants/edits/mutant.ts';
import { PACKAGES } from '../src/mutants/loading/realm-loader.ts';
import { type Trial, tryMutants } from '../src/run/trial.ts';
import { findScenario } from '../src/scenarios/catalogue.ts';
import { WITHOUT_EFFECT } from './without-effect.ts';

/** The files in which every refusal is a sentence. */
const REFUSING = ['evidence/proof.ts'];
const SENTENCE = /(?:return|[?:]) (?:'([a-z][^'\n]* [^'\n]*)'|`([a-z][^`\n]* [^`\n]*)`)/g;

const sourceOf = (file: string): string => readFileSync(new URL(file, PACKAGES), 'utf8');
const isExcused = (guard: string): boolean => WITHOUT_EFFECT.some((one) => one.guard === guard);

describe('the table of missing guards', () => {
  it('has every check of the planner’s preflight', () => {
    const names = checksFor('Proof').map((name) => `preflight/${name}`);
    expect(names).to.have.length.above(12);
    expect(names.filter((name) => findMutant(name) === undefined && !isExcused(name))).to.deep.equal([]);
  });

  it('has every check of the planner’s proof', () => {
    const names = new Set([...checksFor('Proving'), ...checksFor('Settling')]);
    expect(names.size).to.be.above(8);
    const missing = [...names]
      .map((name) => `evidence/${name}`)
      .filter((name) => !isExcused(name) && !MUTANTS.some((mutant) => mutant.name.startsWith(name)));
    expect(missing).to.deep.equal([]);
  });

  for (const file of REFUSING) {
    it(`has every refusal of ${file}`, () => {
      const refusals = [...sourceOf(`planner/src/${file}`).matchAll(SENTENCE)].map(([, a, b]) => a ?? b ?? '');
      expect(refusals).to.have.length.above(3);
      const texts = MUTANTS.flatMap(({ edits }) => edits.map(({ text }) => text));
      const missing = refusals.filter((said) => !isExcused(said) && !texts.some((text) => text.includes(said)));
      expect(missing).to.deep.equal([]);
    });
  }

  it('matches the sources, in which each text to be replaced occurs once', () => {
    for (const { edits } of MUTANTS)
      for (const edit of edits) expect(applyEdits(sourceOf(edit.file), [edit])).to.not.equal(sourceOf(edit.file));
  });

  it('has each name once, only scenarios that exist, and a reason when several guards have to be removed', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).to.equal(MUTANTS.length);
    for (const { name, caught, edits, shared } of MUTANTS) {
      expect(findScenario(caught.scenario), name).to.not.equal(undefined);
      expect(shared !== undefined, name).to.equal(edits.length > 1);
    }
  });

  it('refuses an edit that matches nowhere, or twice', () => {
    const edit = { file: 'x.ts', text: 'a', replacement: 'b' };
    expect(applyEdits('cat', [edit])).to.equal('cbt');
    expect(() => applyEdits('dog', [edit])).to.throw('x.ts');
    expect(() => applyEdits('banana', [edit])).to.throw('x.ts');
  });
});

describe('a life without a guard', function () {
  // Some hundred lives, at a low priority beside everything else of the gate: how long that takes says nothing.
  this.timeout(0);
  let trials: ReadonlyMap<string, Trial>;

  before(async () => {
    const { signal } = new AbortController();
    trials = new Map(
      (await tryMutants(MUTANTS, { jobs: Math.min(2, availableParallelism()), signal })).map((trial) => [
        trial.mutant.name,
        trial,
      ]),
    );
  });

  for (const { name, without } of MUTANTS) {
    it(`${name} goes wrong: ${without}`, () => {
      const trial = trials.get(name);
      expect(trial).to.not.equal(undefined);
      expect(trial?.problem, trial?.found).to.equal(undefined);
    });
  }
});
