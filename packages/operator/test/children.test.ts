// The Services, disruption budget and network policy of a cluster.

import { expect } from 'chai';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import { describe, it } from 'mocha';
import { type ClusterChild, clusterChildren } from '../src/cluster/children.ts';
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
  it('are two Services, a network policy and a disruption budget', () => {
    expect(children().map((child) => `${child.kind} ${child.object.metadata.name}`)).to.deep.equal([
      'Service demo-headless',
      'Service demo',
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

describe('the network policy (H5)', () => {
  const ingress = () => childNamed('NetworkPolicy', 'demo').spec?.ingress ?? [];
  const rule = (port: number) => ingress().find((entry) => entry.ports?.some((candidate) => candidate.port === port));

  it('admits only Pods of the cluster to mesh and gossip', () => {
    for (const port of [7373, 7946]) {
      expect(rule(port)?.from, String(port)).to.deep.equal([
        {
          podSelector: {
            matchLabels: { 'app.kubernetes.io/managed-by': 'marekvs-operator', 'marekvs.io/cluster': 'demo' },
          },
        },
      ]);
    }
    expect(rule(7946)?.ports).to.deep.include({ port: 7946, protocol: 'UDP' });
  });
  it('admits only the operator and labelled scrapers to the metrics port, on which a member can be drained', () => {
    expect(rule(9121)?.from).to.deep.equal([
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'marekvs-system' } },
        podSelector: { matchLabels: { 'app.kubernetes.io/name': 'marekvs-operator' } },
      },
      { namespaceSelector: {}, podSelector: { matchLabels: { 'marekvs.io/scraper': 'true' } } },
    ]);
  });
  it('admits the operator to the mesh port, to compare contents, but not to gossip', () => {
    const sources = (port: number) =>
      ingress()
        .filter((entry) => entry.ports?.some((candidate) => candidate.port === port))
        .flatMap(({ from = [] }) => from)
        .map(({ namespaceSelector, podSelector }) => [namespaceSelector?.matchLabels, podSelector?.matchLabels]);
    const members = { 'app.kubernetes.io/managed-by': 'marekvs-operator', 'marekvs.io/cluster': 'demo' };
    const operator = [
      { 'kubernetes.io/metadata.name': 'marekvs-system' },
      { 'app.kubernetes.io/name': 'marekvs-operator' },
    ];
    expect(sources(7373)).to.deep.equal([[undefined, members], operator]);
    expect(sources(7946)).to.deep.equal([[undefined, members]]);
    expect(ingress()).to.have.length(4);
  });
  it('admits every client to the RESP port', () => {
    expect(rule(6379)).to.not.have.property('from');
  });
  it('does not restrict outgoing traffic', () => {
    expect(childNamed('NetworkPolicy', 'demo').spec?.policyTypes).to.deep.equal(['Ingress']);
  });
});
