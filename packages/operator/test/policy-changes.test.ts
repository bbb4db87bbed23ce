// How the NetworkPolicies of a running cluster change: an upgrade from the single policy of earlier versions, and edits
// of spec.clients.

import { findCondition, type MarekvsClusterSpec } from '@marekvs/api';
import { ApiError } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWorld } from './support/fake-world.ts';

const POLICIES = 'networkpolicies.networking.k8s.io';
const CLIENTS = 'demo.clients';

async function healthy() {
  const w = createWorld();
  w.apply({ nodes: 3 });
  await w.live();
  w.writes.length = 0;
  return w;
}

/** The cluster as an earlier version left it: one policy that admits everybody to RESP. */
async function fromBefore() {
  const w = await healthy();
  w.drop(POLICIES, CLIENTS);
  w.patch(POLICIES, 'demo', {
    metadata: { annotations: { 'marekvs.io/applied-hash': 'before' } },
    spec: { ingress: [{ ports: [{ port: 6379, protocol: 'TCP' }] }] },
  });
  w.writes.length = 0;
  return w;
}

const rulesOf = (w: ReturnType<typeof createWorld>, name: string) =>
  (w.get(POLICIES, name)?.spec as { readonly ingress: readonly unknown[] } | undefined)?.ingress;
const toPolicies = (w: ReturnType<typeof createWorld>) =>
  w.writes.filter(({ what }) => what === POLICIES).map(({ name }) => name);

describe('the policy of an earlier version', () => {
  it('continues to admit clients until the one about clients is there', async () => {
    const w = await fromBefore();
    await w.live();
    expect(toPolicies(w)).to.deep.equal([CLIENTS, 'demo']);
    expect([rulesOf(w, CLIENTS)?.length, rulesOf(w, 'demo')?.length]).to.deep.equal([1, 3]);
  });

  it('stays as it is while a quota refuses the one about clients, and that is said', async () => {
    const w = await fromBefore();
    w.faults.push(({ what, name }) => {
      if (what !== POLICIES || name !== CLIENTS) return undefined;
      const detail = 'exceeded quota: policies';
      throw new ApiError({ verb: 'create', subject: CLIENTS, path: '/x', status: 403, reason: 'Forbidden', detail });
    });
    await w.live();
    expect(toPolicies(w)).to.not.include('demo');
    expect(rulesOf(w, 'demo')).to.deep.equal([{ ports: [{ port: 6379, protocol: 'TCP' }] }]);
    expect(findCondition(w.cluster()?.status?.conditions, 'Stalled')?.reason).to.equal('QuotaExceeded');
  });

  it('stays as it is while somebody else has the name of the one about clients', async () => {
    const w = await fromBefore();
    w.create(POLICIES, { metadata: { namespace: 'default', name: CLIENTS } });
    await w.live();
    expect(toPolicies(w)).to.not.include('demo');
    expect(findCondition(w.cluster()?.status?.conditions, 'Stalled')?.message).to.include(`NetworkPolicy ${CLIENTS}`);
  });
});

describe('an edit of spec.clients', () => {
  const edits: readonly (readonly [title: string, clients: NonNullable<MarekvsClusterSpec['clients']>])[] = [
    ['to the own namespace alone', { from: [] }],
    ['to a list', { from: [{ namespaceSelector: {} }] }],
  ];
  for (const [title, clients] of edits)
    it(`${title} is one write to one policy, and restarts nothing`, async () => {
      const w = await healthy();
      const podsBefore = w.list('pods').map(({ metadata }) => metadata.uid);
      w.apply({ nodes: 3, clients });
      await w.live();
      const elsewhere = w.writes.filter(({ what }) => !what.startsWith('marekvsclusters'));
      expect(elsewhere.map(({ what, name }) => [what, name])).to.deep.equal([[POLICIES, CLIENTS]]);
      expect(w.list('pods').map(({ metadata }) => metadata.uid)).to.deep.equal(podsBefore);
      w.writes.length = 0;
      w.apply({ nodes: 3 });
      await w.live();
      expect(toPolicies(w)).to.deep.equal([CLIENTS]);
      expect(rulesOf(w, CLIENTS)).to.deep.equal([{ ports: [{ port: 6379, protocol: 'TCP' }] }]);
    });
});
