// The same stories with other rules: a world in which these lose nothing would prove nothing about ours.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Scenario } from '../src/life/scenario.ts';
import { OTHER_RULES, STORIES, type Story, tell } from '../src/other-rules/comparison.ts';
import { liveByExistingRule, RULED_SCENARIOS } from '../src/other-rules/same-scenarios.ts';

const ruleNamed = (name: string) => OTHER_RULES.find((rule) => rule.name === name);
const scenarioNamed = (name: string): Scenario => {
  const scenario = RULED_SCENARIOS.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  return scenario;
};
const storyNamed = (name: string): Story => {
  const story = STORIES.find((one) => one.name === name);
  if (story === undefined) throw new Error(`no story ${name}`);
  return story;
};

describe('the rule of the existing operator', function () {
  this.timeout(60_000);

  it('loses about a tenth of the keys from 5 to 3 at replicationFactor 2, like on the real server (10.0-10.8 %)', async function () {
    const { lost, keys } = await tell(storyNamed('5 to 3, quiet'), ruleNamed('existing operator'), 1);
    if (this.test) this.test.title += ` (${((100 * lost) / keys).toFixed(1)} %)`;
    expect(lost / keys).to.be.within(0.08, 0.13);
  });
});

describe('the existing operator in scenarios of the catalogue', function () {
  this.timeout(60_000);

  it('loses as much when it takes over the cluster of the story shrink from our operator', async () => {
    const { lost, keys } = await liveByExistingRule(scenarioNamed('shrink'), 1);
    expect(lost / keys).to.be.within(0.08, 0.13);
  });

  it('makes a deleted Pod again on its volume without a loss', async () => {
    expect(await liveByExistingRule(scenarioNamed('pod-deleted'), 1)).to.deep.equal({ lost: 0, keys: 300 });
  });
});

describe('a rule of flat rounds alone', function () {
  this.timeout(60_000);

  it('calls a removal safe while thousands of copies are missing because repairs are queued', async () => {
    const { missing } = await tell(storyNamed('6 to 3, repairs wait in a lane'), ruleNamed('one flat round'), 1);
    expect(missing).to.be.above(1_000);
  });

  it('does so with five rounds, too, when its baseline includes the storm of the removal before', async () => {
    const rule = ruleNamed('five rounds, any baseline');
    const { missing } = await tell(storyNamed('6 to 3, slow copies, writes'), rule, 1);
    expect(missing).to.be.above(500);
  });
});

describe('the rule of this operator before it compared contents', function () {
  this.timeout(60_000);

  for (const name of [
    '4 to 3, pushes missed, repairs late',
    '4 to 3, counted apart, repairs late',
    '5 to 3, a value above the frame',
  ]) {
    it(`loses acknowledged writes on ${name}`, async () => {
      expect((await tell(storyNamed(name), ruleNamed('rounds'), 1)).lost).to.be.above(0);
    });
  }
});

describe('the operator in the same stories', function () {
  this.timeout(120_000);

  for (const story of STORIES) {
    it(`loses nothing on ${story.name}`, async () => {
      expect((await tell(story, undefined, 1)).lost).to.equal(0);
    });
  }
});
