// The static rules of spec.hosts.onePerHost, with the message for a stored object that breaks them, and what an unset
// field means.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type MarekvsClusterSpec, validateClusterSpec, withDefaults } from '../src/index.ts';

type Rule = NonNullable<NonNullable<MarekvsClusterSpec['hosts']>['onePerHost']>;

const spec = (rule: Partial<Rule>, more: Partial<MarekvsClusterSpec> = {}): MarekvsClusterSpec => ({
  image: 'marekvs',
  hosts: { onePerHost: { nodeSelector: { pool: 'db' }, ...rule } },
  ...more,
});
const pathsOf = (...given: Parameters<typeof validateClusterSpec>) =>
  validateClusterSpec(...given).map(({ path }) => path);

describe('spec.hosts.onePerHost', () => {
  it('is accepted with only labels', () => {
    expect(pathsOf(spec({}))).to.deep.equal([]);
  });

  it('needs a label, so that no mistake puts a member on every host', () => {
    expect(pathsOf(spec({ nodeSelector: {} }))).to.deep.equal(['spec.hosts.onePerHost.nodeSelector']);
  });

  it('needs labels that are valid on a host', () => {
    expect(pathsOf(spec({ nodeSelector: { pool: 'd b' } }))).to.deep.equal(['spec.hosts.onePerHost.nodeSelector']);
  });

  it('needs bounds in their order', () => {
    expect(pathsOf(spec({ minNodes: 5, maxNodes: 4 }))).to.deep.equal(['spec.hosts.onePerHost.minNodes']);
    expect(pathsOf(spec({ minNodes: 4, maxNodes: 4 }))).to.deep.equal([]);
  });

  it('cannot be set together with spec.autoscale', () => {
    const autoscale = { minNodes: 3, maxNodes: 5, targetOpsPerNode: 100 };
    expect(pathsOf(spec({}, { autoscale }))).to.deep.equal(['spec.hosts']);
  });

  it('freezes spec.nodes while it is set, but not in the edit that sets or removes it', () => {
    expect(pathsOf(spec({}, { nodes: 5 }), spec({}, { nodes: 4 }))).to.deep.equal(['spec.nodes']);
    expect(pathsOf(spec({}), spec({}, { nodes: 3 }))).to.deep.equal([]);
    expect(pathsOf({ image: 'marekvs', nodes: 5 }, spec({}))).to.deep.equal([]);
    expect(pathsOf(spec({}, { nodes: 5 }), { image: 'marekvs' })).to.deep.equal([]);
  });

  it('includes the labels of spec.nodeSelector, and has no bounds except the floor by default', () => {
    expect(withDefaults(spec({}, { nodeSelector: { disk: 'nvme' } })).hosts.onePerHost).to.deep.equal({
      nodeSelector: { disk: 'nvme', pool: 'db' },
      minNodes: 1,
      maxNodes: 1000,
    });
  });
});
