// The static rule of spec.hosts.replaceOnDrain, and what it means when it is not set.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type MarekvsClusterSpec, validateClusterSpec, withDefaults } from '../src/index.ts';

const spec = (hosts: MarekvsClusterSpec['hosts']): MarekvsClusterSpec => ({ image: 'marekvs', hosts });
const pathsOf = (hosts: MarekvsClusterSpec['hosts']) => validateClusterSpec(spec(hosts)).map(({ path }) => path);

describe('spec.hosts.replaceOnDrain', () => {
  it('is refused together with moveOnDrain: false, and otherwise accepted', () => {
    expect(pathsOf({ replaceOnDrain: true, moveOnDrain: false })).to.deep.equal(['spec.hosts.replaceOnDrain']);
    expect(pathsOf({ replaceOnDrain: false, moveOnDrain: false })).to.deep.equal([]);
    expect(pathsOf({ replaceOnDrain: true, moveOnDrain: true })).to.deep.equal([]);
    expect(pathsOf({ replaceOnDrain: true })).to.deep.equal([]);
    expect(pathsOf({ moveOnDrain: false })).to.deep.equal([]);
  });

  it('is false by default', () => {
    expect(withDefaults(spec({})).hosts.replaceOnDrain).to.equal(false);
  });
});
