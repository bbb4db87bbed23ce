// The objects that a cluster has once (Services, network policy, disruption budget), on an API server that records who
// owns which field.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberWorld } from '../src/index.ts';

const BUDGETS = 'poddisruptionbudgets.policy';
const POLICIES = 'networkpolicies.networking.k8s.io';
const OURS = 'marekvs-operator-cluster';
const REF = { namespace: 'default', name: 'demo' };

describe('the children of a cluster', function () {
  this.timeout(60_000);

  it('lose a field that the operator does not want any more, although it came with their creation', async () => {
    const world = new MemberWorld({ seed: 1 });
    await world.formed(3);
    const { server } = world.kube;
    for (const resource of ['services', POLICIES, BUDGETS]) {
      server.apply(resource, OURS, { metadata: { ...REF, labels: { only: 'this' } } });
      const { metadata, spec } = server.get(resource, REF);
      expect([metadata.labels, Object.keys(spec ?? {})], resource).to.deep.equal([{ only: 'this' }, []]);
    }
  });

  it('lose a port that somebody added, with one write and without DriftLoop', async () => {
    const world = new MemberWorld({ seed: 1 });
    await world.formed(3);
    await world.advance(20_000);
    const before = world.writes.length;
    const { server } = world.kube;
    const ports = (): readonly unknown[] => (server.get('services', REF).spec?.ports ?? []) as readonly unknown[];
    server.patch('services', REF, { spec: { ports: [...ports(), { name: 'theirs', port: 9121, protocol: 'TCP' }] } });
    await world.advance(60_000);
    expect(ports()).to.have.lengthOf(1);
    const writes = world.writes.slice(before).map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
    expect(writes).to.deep.equal(['patch services demo']);
    expect(world.condition('Ready')).to.equal('True');
  });

  it('are not made by taking over a foreign object of that name', async () => {
    const world = new MemberWorld({ seed: 1 });
    const theirs = world.kube.server.create('services', { metadata: REF, spec: { ports: [{ port: 80 }] } });
    world.apply({ nodes: 3 });
    await world.advance(60_000);
    expect(world.kube.server.get('services', REF)).to.deep.equal(theirs);
    expect(world.cluster()?.status?.message).to.match(/Service demo belongs to somebody else/);
    world.removeObject('services', 'demo');
    await world.until(() => world.isHealthy(3), 60_000, 'healthy without the stranger');
  });
});
