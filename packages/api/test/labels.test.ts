import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  clusterLabels,
  clusterSelector,
  type Labels,
  nodeLabels,
  selectorString,
  servingSelector,
} from '../src/index.ts';

const UID = '01234567-89ab-cdef-0123-456789abcdef';

describe('labels', () => {
  it('of Pods match the selector of their cluster and of no other', () => {
    expect(matches(clusterSelector('demo'), nodeLabels('demo', UID, 1))).to.equal(true);
    expect(matches(clusterSelector('demo'), nodeLabels('demo-1', UID, 1))).to.equal(false);
  });

  it('put only serving nodes behind the client Service', () => {
    expect(matches(servingSelector('demo'), nodeLabels('demo', UID, 1))).to.equal(false);
    expect(matches(servingSelector('demo'), nodeLabels('demo', UID, 1, true))).to.equal(true);
  });

  it('of a cluster carry its uid and no node id', () => {
    const labels = clusterLabels('demo', UID);
    expect(labels).to.include({ 'marekvs.io/cluster': 'demo', 'marekvs.io/cluster-uid': UID });
    expect(labels).to.not.have.property('marekvs.io/node-id');
  });

  it('make a selector text that does not depend on the order of keys', () => {
    expect(selectorString({ b: '2', a: '1' })).to.equal('a=1,b=2');
    expect(selectorString(clusterSelector('demo'))).to.equal(
      'app.kubernetes.io/managed-by=marekvs-operator,marekvs.io/cluster=demo',
    );
  });
});

function matches(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}
