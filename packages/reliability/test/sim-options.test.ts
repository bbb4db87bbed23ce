import { expect } from 'chai';
import { describe, it } from 'mocha';
import { helpText } from '../src/bin/sim-help.ts';
import { countUnits, parseSimOptions, type SimWish, unitsOf } from '../src/bin/sim-options.ts';
import { GENERATED } from '../src/generated/story.ts';
import { MUTANTS } from '../src/mutants/catalogue.ts';
import { CRASH_NUMBERS, CRASHES } from '../src/run/crashes.ts';
import { SCENARIOS } from '../src/scenarios/catalogue.ts';

function wishOf(...args: readonly string[]): SimWish {
  const wish = parseSimOptions(args, 2);
  if (typeof wish === 'string' || !('kinds' in wish)) throw new Error(JSON.stringify(wish));
  return wish;
}

describe('the flags of npm run sim', () => {
  it('mean ten seeds of mixed on all cores when there are none', () => {
    const wish = wishOf();
    expect([wish.jobs, countUnits(wish)]).to.deep.equal([2, 10]);
    expect([...unitsOf(wish)].at(-1)).to.deep.equal({ scenario: 'mixed', seed: 10, transcript: 'none' });
  });

  it('all is every scenario but the crashes', () => {
    const names = new Set([...unitsOf(wishOf('--scenario', 'all', '--seeds', '1'))].map(({ scenario }) => scenario));
    expect([...names]).to.deep.equal([...SCENARIOS.map(({ name }) => name), GENERATED]);
  });

  it('time-travel is every scenario that is lived in the past', () => {
    const names = wishOf('--scenario', 'time-travel').kinds.map(({ name }) => name);
    expect(names).to.deep.equal(SCENARIOS.map(({ name }) => name).filter((name) => name.endsWith('-time-travel')));
    expect(names).to.include('cluster-replaced-time-travel');
  });

  it('go through the crashes to the last one and no further', () => {
    expect(countUnits(wishOf('--scenario', CRASHES))).to.equal(CRASH_NUMBERS);
    expect(countUnits(wishOf('--scenario', CRASHES, '--from', String(CRASH_NUMBERS - 1), '--seeds', '9'))).to.equal(2);
  });

  it('name the smaller plan of one generated life', () => {
    const wish = wishOf('--scenario', GENERATED, '--from', '7', '--seeds', '1', '--path', '0:3:1');
    expect([...unitsOf(wish)]).to.deep.equal([{ scenario: GENERATED, seed: 7, transcript: 'none', path: '0:3:1' }]);
  });

  it('take one guard out, in the life that is known to show it unless another one is asked for', () => {
    const [mutant] = MUTANTS;
    if (mutant === undefined) throw new Error('there is no mutant');
    const { name, caught } = mutant;
    const known = { scenario: caught.scenario, seed: caught.seed, transcript: 'none', mutant: name };
    expect([...unitsOf(wishOf('--mutant', name))]).to.deep.equal([known]);
    const other = [...unitsOf(wishOf('--mutant', name, '--scenario', 'mixed', '--from', '7', '--seeds', '1'))];
    expect(other).to.deep.equal([{ ...known, scenario: 'mixed', seed: 7 }]);
  });

  it('take every guard out, one after the other', () => {
    expect(parseSimOptions(['--mutants', '--jobs', '1'], 2)).to.deep.equal({ mutants: 'all', jobs: 1 });
  });

  it('ask for one case of a scenario by its name, and leave the cases out of all', () => {
    expect(countUnits(wishOf('--scenario', 'half-way/mesh', '--seeds', '2'))).to.equal(2);
    const all = [...unitsOf(wishOf('--scenario', 'all', '--seeds', '1'))].map(({ scenario }) => scenario);
    expect(all.filter((name) => name.includes('/'))).to.deep.equal([]);
  });

  const REFUSED: readonly (readonly string[])[] = [
    ['--scenario', 'nope'],
    ['--seeds', '0'],
    ['--seeds', 'many'],
    ['--from', '-1'],
    ['--jobs', '0'],
    ['--mutant', 'nope'],
    ['--mutant', MUTANTS[0]?.name ?? '', '--record'],
    ['--what'],
    ['--seeds', '21', '--transcript'],
    ['--scenario', 'shrink', '--seeds', '1', '--path', '0:1'],
    ['--scenario', 'generated', '--seeds', '2', '--path', '0:1'],
    ['--scenario', 'generated', '--seeds', '1', '--path', 'up'],
  ];
  for (const args of REFUSED) {
    it(`are refused with ${args.join(' ')}`, () => {
      expect(parseSimOptions(args, 2)).to.have.property('problem');
    });
  }

  it('are explained with every scenario', () => {
    expect(parseSimOptions(['-h'], 2)).to.equal('help');
    for (const { name, story } of SCENARIOS) expect(helpText()).to.include(name).and.to.include(story);
  });
});
