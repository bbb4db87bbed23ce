// Who reaches what, as the rendered NetworkPolicies say: the two of a cluster and the operator's own. Evaluated, not
// enforced, since there is no network here that enforces them (support/policy-reach.ts).

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LABELS, type MarekvsClusterSpec, nodeLabels } from '@marekvs/api';
import type { NetworkPolicy } from '@marekvs/runtime';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { describe, it } from 'mocha';
import { clusterChildren } from '../src/children/wanted-children.ts';
import { clusterObject } from './support/objects.ts';
import { isAdmitted, type Peer } from './support/policy-reach.ts';

const OWN_POLICY = resolve(import.meta.dirname, '../../../config/components/network-policy/operator.yaml');
const SYSTEM = 'marekvs-system';
const PORTS = { resp: '6379/TCP', mesh: '7373/TCP', gossip: '7946/UDP', metrics: '9121/TCP' } as const;
type Port = keyof typeof PORTS;

function policiesOf(spec: Partial<MarekvsClusterSpec> = {}, operatorNamespace = SYSTEM): readonly NetworkPolicy[] {
  return clusterChildren(clusterObject({ spec }), { minAvailable: 2, operatorNamespace }).flatMap(({ kind, object }) =>
    kind === 'NetworkPolicy' ? [object as NetworkPolicy] : [],
  );
}

const member = (cluster: string, namespace = 'default', isServing = false): Peer => ({
  namespace,
  podLabels: nodeLabels(cluster, 'uid', 0, isServing),
});
const OPERATOR: Peer = { namespace: SYSTEM, podLabels: { [LABELS.name]: 'marekvs-operator' } };
const NEIGHBOUR: Peer = { namespace: 'default', podLabels: { app: 'web' } };
const STRANGER: Peer = { namespace: 'shop', podLabels: { app: 'web' } };
/** Gives itself every label that means something to us, also the one of earlier versions. */
const PRETENDER: Peer = {
  namespace: 'shop',
  podLabels: {
    ...nodeLabels('demo', 'uid', 0, true),
    [LABELS.name]: 'marekvs-operator',
    'marekvs.io/scraper': 'true',
    'marekvs.io/scrapers': 'allowed',
  },
};
const OUTSIDE: Peer = { namespace: '', ip: '203.0.113.7' };
const MONITORING: Peer = { namespace: 'monitoring', namespaceLabels: { 'marekvs.io/scrapers': 'allowed' } };
const BESIDE_OPERATOR: Peer = { namespace: SYSTEM, podLabels: { app: 'prometheus' } };

/** Ports that a peer reaches; all others are refused. */
type Row = readonly [who: string, peer: Peer, ...reached: readonly Port[]];

function holds(policies: readonly NetworkPolicy[], rows: readonly Row[]): void {
  for (const [who, peer, ...reached] of rows)
    it(`${who} reaches ${reached.length === 0 ? 'nothing' : reached.join(', ')}`, () => {
      for (const isServing of [true, false]) {
        const target = member('demo', 'default', isServing);
        const open = Object.entries(PORTS).filter(([, port]) => isAdmitted(policies, target, peer, port));
        expect(open.map(([name]) => name)).to.have.members(reached);
      }
    });
}

describe('a member of a cluster whose spec says nothing about clients:', () => {
  holds(policiesOf(), [
    ['another member', member('demo'), 'resp', 'mesh', 'gossip'],
    ['a member of another cluster in the namespace', member('other'), 'resp'],
    ['a member of a cluster of that name elsewhere', member('demo', 'shop'), 'resp'],
    ['the operator', OPERATOR, 'resp', 'mesh', 'metrics'],
    ["a Pod of the operator's namespace", BESIDE_OPERATOR, 'resp', 'metrics'],
    ['a Pod of a namespace labelled for scraping', MONITORING, 'resp', 'metrics'],
    ['the same Pod once the label is gone', { ...MONITORING, namespaceLabels: {} }, 'resp'],
    [
      'a Pod of a namespace with another value of the label',
      { ...MONITORING, namespaceLabels: { 'marekvs.io/scrapers': 'no' } },
      'resp',
    ],
    ['a Pod of its namespace', NEIGHBOUR, 'resp'],
    ['a Pod of another namespace', STRANGER, 'resp'],
    ['a Pod that gives itself every label', PRETENDER, 'resp'],
    ['a client outside', OUTSIDE, 'resp'],
  ]);
});

describe('a member of a cluster with clients.from: []:', () => {
  holds(policiesOf({ clients: { from: [] } }), [
    ['another member', member('demo'), 'resp', 'mesh', 'gossip'],
    ['the operator', OPERATOR, 'resp', 'mesh', 'metrics'],
    ["a Pod of the operator's namespace", BESIDE_OPERATOR, 'metrics'],
    ['a Pod of its namespace', NEIGHBOUR, 'resp'],
    ['a Pod of another namespace', STRANGER],
    ['a Pod that gives itself every label', PRETENDER],
    ['a member of a cluster of that name elsewhere', member('demo', 'shop')],
    ['a client outside', OUTSIDE],
  ]);
});

describe('a member of a cluster with a list of clients:', () => {
  const from = [
    { namespaceSelector: { matchLabels: { team: 'shop' } }, podSelector: { matchLabels: { app: 'web' } } },
    { namespaceSelector: { matchExpressions: [{ key: 'tier', operator: 'In' as const, values: ['batch'] }] } },
    { ipBlock: { cidr: '203.0.113.0/24', except: ['203.0.113.128/25'] } },
  ];
  const shop = { team: 'shop' };
  holds(policiesOf({ clients: { from } }), [
    ['a Pod of its namespace, which needs no entry', NEIGHBOUR, 'resp'],
    ['the operator', OPERATOR, 'resp', 'mesh', 'metrics'],
    ['a Pod that both selectors name', { ...STRANGER, namespaceLabels: shop }, 'resp'],
    ['a Pod that only one of them names', { ...STRANGER, namespaceLabels: shop, podLabels: { app: 'job' } }],
    ['a Pod with these labels in another namespace', STRANGER],
    ['a Pod of a namespace that an expression names', { namespace: 'a', namespaceLabels: { tier: 'batch' } }, 'resp'],
    ['an address of the network', OUTSIDE, 'resp'],
    ['an address among the exceptions', { ...OUTSIDE, ip: '203.0.113.200' }],
    ['an address beside the network', { ...OUTSIDE, ip: '203.0.114.7' }],
  ]);
});

describe('a member of a cluster whose operator lives in its namespace:', () => {
  holds(policiesOf({}, 'default'), [
    ['the operator', { ...OPERATOR, namespace: 'default' }, 'resp', 'mesh', 'metrics'],
    ['a Pod beside both', NEIGHBOUR, 'resp'],
    ['a Pod of a namespace labelled for scraping', MONITORING, 'resp', 'metrics'],
    ['a Pod that gives itself every label', PRETENDER, 'resp'],
  ]);
});

describe("the operator's own policy", () => {
  const policies = [load(readFileSync(OWN_POLICY, 'utf8')) as NetworkPolicy];
  const rows: readonly (readonly [who: string, peer: Peer, metrics: boolean])[] = [
    ['a Pod of its namespace', BESIDE_OPERATOR, true],
    ['a Pod of a namespace labelled for scraping', MONITORING, true],
    ['the same Pod once the label is gone', { ...MONITORING, namespaceLabels: {} }, false],
    ['a Pod that gives itself every label', PRETENDER, false],
    ['a member', member('demo'), false],
  ];
  for (const [who, peer, isOpen] of rows)
    it(`${isOpen ? 'admits' : 'refuses'} ${who} to its metrics, and everybody to its probes`, () => {
      expect(isAdmitted(policies, OPERATOR, peer, '8080/TCP')).to.equal(isOpen);
      expect(isAdmitted(policies, OPERATOR, peer, '8081/TCP')).to.equal(true);
    });
});
