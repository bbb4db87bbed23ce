// Of which cluster a MarekvsNode is: namespace, kind, name and UID decide together.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { OwnerReference } from '../src/objects/metadata.ts';
import { controllingCluster, isNodeOf, isOlder, ownerOfNode } from '../src/objects/ownership.ts';

const CLUSTER = { namespace: 'default', name: 'demo', uid: 'u1' };

function ref(change: Partial<OwnerReference> = {}): OwnerReference {
  return {
    apiVersion: 'marekvs.io/v1alpha1',
    kind: 'MarekvsCluster',
    name: 'demo',
    uid: 'u1',
    controller: true,
    ...change,
  };
}

function node(
  owners: readonly OwnerReference[] | undefined,
  change: {
    readonly name?: string;
    readonly namespace?: string;
    readonly clusterName?: string;
    readonly id?: number;
  } = {},
) {
  const { name = 'demo-3', namespace = 'default', clusterName = 'demo', id = 3 } = change;
  const ownerReferences = owners === undefined ? {} : { ownerReferences: owners };
  return { metadata: { name, namespace, ...ownerReferences }, spec: { clusterName, nodeId: id } };
}

const { controller: _controller, ...withoutController } = ref();

describe('a MarekvsNode', () => {
  it('is of the cluster that controls it, when namespace, kind, name and UID agree', () => {
    expect(ownerOfNode(node([ref()]))).to.deep.equal({ kind: 'cluster', cluster: CLUSTER });
    expect(isNodeOf(node([ref()]), CLUSTER)).to.equal(true);
  });
  it('is of it in whatever version of our group the reference is, and whoever else owns it', () => {
    const others = [
      ref({ apiVersion: 'marekvs.io/v1' }),
      ref({ apiVersion: 'v1', kind: 'ConfigMap', uid: 'u9', controller: false }),
      ref({ apiVersion: 'example.com/v1', uid: 'u9', controller: false }),
    ];
    expect(isNodeOf(node(others), CLUSTER)).to.equal(true);
  });

  const elsewhere = [
    { what: 'in another namespace', namespace: 'other' },
    { what: 'of another name', name: 'other' },
    { what: 'of another UID', uid: 'u2' },
  ];
  for (const { what, ...change } of elsewhere)
    it(`is not of a cluster ${what}`, () => {
      expect(isNodeOf(node([ref()]), { ...CLUSTER, ...change })).to.equal(false);
    });

  const nobodys: readonly (readonly [string, readonly OwnerReference[] | undefined])[] = [
    ['no owner', undefined],
    ['an empty list of owners', []],
    ['an owner of another kind', [ref({ kind: 'MarekvsNode' })]],
    ['an owner of another group', [ref({ apiVersion: 'example.com/v1alpha1' })]],
    ['an owner of the core group', [ref({ apiVersion: 'v1' })]],
    ['an owner of a group that ends like ours', [ref({ apiVersion: 'not-marekvs.io/v1alpha1' })]],
    ['an owner of a group that begins like ours', [ref({ apiVersion: 'marekvs.io.example.com/v1alpha1' })]],
  ];
  for (const [what, owners] of nobodys)
    it(`with ${what} names no cluster`, () => {
      expect(ownerOfNode(node(owners))).to.deep.equal({ kind: 'none' });
      expect(isNodeOf(node(owners), CLUSTER)).to.equal(false);
    });

  const foreign: readonly (readonly [string, ReturnType<typeof node>, string])[] = [
    ['does not let its owner control it', node([ref({ controller: false })]), 'its owner demo does not control it'],
    ['does not say that its owner controls it', node([withoutController]), 'its owner demo does not control it'],
    [
      'was copied to another spec.clusterName',
      node([ref()], { name: 'copy-3', clusterName: 'copy' }),
      'its owner is demo, and its spec.clusterName is copy',
    ],
    ['has the name of another node', node([ref()], { name: 'demo-4' }), 'node 3 of demo is demo-3'],
    ['has the id of another node', node([ref()], { id: 4 }), 'node 4 of demo is demo-4'],
    ['has another name', node([ref()], { name: 'copy' }), 'node 3 of demo is demo-3'],
  ];
  for (const [what, one, why] of foreign)
    it(`is foreign when it ${what}`, () => {
      expect(ownerOfNode(one)).to.deep.equal({ kind: 'foreign', uids: ['u1'], why });
      expect(isNodeOf(one, CLUSTER)).to.equal(false);
    });
  it('is foreign when it names two clusters as its owners, in whatever order and whoever controls it', () => {
    const second = ref({ name: 'other', uid: 'u2', controller: false });
    for (const owners of [
      [ref(), second],
      [second, ref()],
      [ref(), { ...second, controller: true }],
    ]) {
      const owner = ownerOfNode(node(owners));
      expect(owner).to.deep.include({ kind: 'foreign', why: 'it names two clusters as its owners' });
      expect(owner).to.have.property('uids').with.members(['u1', 'u2']);
    }
  });
});

describe('the controlling cluster of a revision', () => {
  it('is in the namespace of the revision, whatever cluster has that UID', () => {
    expect(controllingCluster({ namespace: 'stranger', ownerReferences: [ref()] })).to.deep.equal({
      ...CLUSTER,
      namespace: 'stranger',
    });
  });
  it('is none without a controller, or with one of another kind or group', () => {
    for (const owners of [[], [withoutController], [ref({ kind: 'Secret' })], [ref({ apiVersion: 'apps/v1' })]])
      expect(controllingCluster({ namespace: 'default', ownerReferences: owners })).to.equal(undefined);
  });
});

describe('a node that is left over from an earlier cluster of the same name', () => {
  const at = (creationTimestamp: string) => ({ metadata: { creationTimestamp } });
  it('is older than the present one', () => {
    expect(isOlder(at('2026-01-01T00:00:00Z'), at('2026-01-01T00:00:01Z'))).to.equal(true);
    expect(isOlder(at('2026-01-01T00:00:01Z'), at('2026-01-01T00:00:01Z'))).to.equal(false);
    expect(isOlder(at('2026-01-01T00:00:02Z'), at('2026-01-01T00:00:01Z'))).to.equal(false);
  });
});
