import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readSetting } from '../../src/namespaces/setting.ts';

describe('the setting of namespaces in a ConfigMap', () => {
  it('contains names between commas, blanks and lines, each once, and a selector', () => {
    expect(
      readSetting({ namespaces: 'team-b,team-a  team-c\n\nteam-a,', selector: ' kv=yes,tier in (a, b) ' }),
    ).to.deep.equal({
      names: ['team-b', 'team-a', 'team-c'],
      selector: 'kv=yes,tier in (a, b)',
      problems: [],
    });
  });

  it('may be empty, which selects nothing, and is absent without both keys', () => {
    expect(readSetting({ namespaces: '' })).to.deep.equal({ names: [], selector: undefined, problems: [] });
    expect(readSetting({ selector: '' })?.selector).to.equal(undefined);
    expect(readSetting({})).to.equal(undefined);
    expect(readSetting(undefined)).to.equal(undefined);
    expect(readSetting({ namespace: 'team-a' })).to.equal(undefined);
  });

  it('omits what cannot be a name, and reports that', () => {
    const setting = readSetting({ namespaces: 'Team-A team-b ../x -a a_b kube.system' });
    expect(setting?.names).to.deep.equal(['team-b']);
    expect(setting?.problems).to.deep.equal(['no names of namespaces: "Team-A", "../x", "-a" and 2 more']);
  });

  it('omits a selector that is longer than any sensible one', () => {
    const setting = readSetting({ selector: 'a'.repeat(2_001) });
    expect(setting?.selector).to.equal(undefined);
    expect(setting?.problems[0]).to.match(/more than 2000 characters/);
  });

  it('has each name once, in the order of a list, however often it occurs', () => {
    const words = Array.from({ length: 50_000 }, (_, at) => `team-${at % 100}`).join(',');
    expect(readSetting({ namespaces: words })?.names).to.have.length(100);
  });
});
