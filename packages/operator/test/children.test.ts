// The Services, disruption budget and network policy of a cluster.

import { expect } from 'chai';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import { describe, it } from 'mocha';
import { type ClusterChild, clusterChildren } from '../src/children/wanted-children.ts';
import { clusterObject } from './support/objects.ts';

const children = (minAvailable: number | undefined = 2) =>
  clusterChildren(clusterObject(), { minAvailable, operatorNamespace: 'marekvs-system' });

type ObjectOf = { readonly [K in ClusterChild['kind']]: Extract<ClusterChild, { kind: K }>['object'] };

function childNamed<K extends ClusterChild['kind']>(kind: K, name: string): ObjectOf[K] {
  const found = children().find((child) => child.kind === kind && child.object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  // The kind that was compared decides the type of the object, which the compiler cannot know.
  return found.object as ObjectOf[K];
}

const MODELS = { Service, NetworkPolicy, PodDisruptionBudget };

describe('the children of a cluster', () => {
  it('are two Services, two network policies and a disruption budget', () => {
    expect(children().map((child) => `${child.kind} ${child.object.metadata.name}`)).to.deep.equal([
      'Service demo-headless',
      'Service demo',
      'NetworkPolicy demo.clients',
      'NetworkPolicy demo',
      'PodDisruptionBudget demo',
    ]);
  });

  it('are valid objects of their kinds', () => {
    for (const child of children()) {
      // The same fields, which the operator's own type declares as readonly.
      const fields: object = child.object;
      const model = new MODELS[child.kind](fields);
      expect(() => model.validate(), child.object.metadata.name).to.not.throw();
    }
  });

  it('belong to the cluster by uid, in its namespace', () => {
    for (const child of children()) {
      expect(child.object.metadata.namespace).to.equal('default');
      expect(child.object.metadata.ownerReferences).to.deep.equal([
        {
          apiVersion: 'marekvs.io/v1alpha1',
          kind: 'MarekvsCluster',
          name: 'demo',
          uid: 'c0ffee00-0000-4000-8000-000000000001',
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
    }
  });
});

describe('the headless Service', () => {
  it('publishes members that are not ready, since they have to find each other before they are (H7)', () => {
    expect(childNamed('Service', 'demo-headless').spec).to.deep.include({
      clusterIP: 'None',
      publishNotReadyAddresses: true,
    });
  });
  it('selects every Pod of the cluster, whether or not it serves clients', () => {
    expect(childNamed('Service', 'demo-headless').spec?.selector).to.not.have.property('marekvs.io/serving');
  });
});

describe('the client Service', () => {
  it('selects only the Pods of this cluster that serve clients', () => {
    expect(childNamed('Service', 'demo').spec?.selector).to.deep.equal({
      'app.kubernetes.io/managed-by': 'marekvs-operator',
      'marekvs.io/cluster': 'demo',
      'marekvs.io/serving': 'true',
    });
  });
  it('has the RESP port and no other', () => {
    expect(childNamed('Service', 'demo').spec?.ports?.map((port) => port.port)).to.deep.equal([6379]);
  });
});

describe('the disruption budget', () => {
  it('has an integer bound, and never keeps a Pod that is not ready from leaving its host', () => {
    expect(childNamed('PodDisruptionBudget', 'demo').spec).to.deep.include({
      minAvailable: 2,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    });
  });
  it('does not exist before the cluster holds data', () => {
    const kinds = clusterChildren(clusterObject(), { minAvailable: undefined, operatorNamespace: 'x' });
    expect(kinds.map((child) => child.kind)).to.not.include('PodDisruptionBudget');
  });
});

describe('the network policies (H5); who reaches what is in policy-reach.test.ts', () => {
  it('of clients is the only one about the RESP port of clients, so that a change of spec.clients is one write', () => {
    const other = clusterChildren(clusterObject({ spec: { clients: { from: [] } } }), {
      minAvailable: 2,
      operatorNamespace: 'marekvs-system',
    });
    const same = children().map(({ object }, index) => JSON.stringify(object) === JSON.stringify(other[index]?.object));
    expect(same).to.deep.equal([true, true, false, true, true]);
  });
  it('never has an empty list of peers, which would admit everybody', () => {
    const from = clusterChildren(clusterObject({ spec: { clients: { from: [] } } }), {
      minAvailable: 2,
      operatorNamespace: 'marekvs-system',
    }).flatMap(({ kind, object }) => (kind === 'NetworkPolicy' ? (object.spec?.ingress ?? []) : []));
    expect(from.map((rule) => rule.from?.length)).to.not.include(0);
    expect(from.some((rule) => rule.from === undefined)).to.equal(false);
  });
  it('do not restrict outgoing traffic', () => {
    for (const name of ['demo', 'demo.clients'])
      expect(childNamed('NetworkPolicy', name).spec?.policyTypes).to.deep.equal(['Ingress']);
  });
});
