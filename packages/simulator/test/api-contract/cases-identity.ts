// Creating and reading: identity, versions, names, selections.

import {
  apiVersionOf,
  events,
  type Kind,
  type KubeObject,
  leases,
  networkPolicies,
  podDisruptionBudgets,
  secrets,
  services,
} from '@marekvs/runtime';
import type { Case } from './bench.ts';
import { CLAIMS, CLUSTERS, claim, dependent, NODES, node, PODS, pod } from './objects.ts';
import { configMaps } from './plain-kinds.ts';

export const IDENTITY: readonly Case[] = [
  {
    title: 'an object gets uid, version and generation from the server, whatever is sent, and loses its status',
    async run({ client, namespace, line }) {
      const sent = node(namespace, 0, { uid: 'mine', generation: 7 });
      const made = await client.create(NODES, { ...sent, status: { phase: 'Active' } });
      const isTimed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(made.metadata.creationTimestamp ?? '');
      const isOwnUid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(made.metadata.uid);
      const read = await client.get(NODES, made.metadata);
      return [line(made, 'status', 'spec.nodeId'), line(read, 'kind', 'apiVersion'), `${isTimed} ${isOwnUid}`];
    },
    expected: [
      'uid1 v1 gen1 spec.nodeId=0',
      'uid1 v1 gen1 kind=MarekvsNode apiVersion=marekvs.io/v1alpha1',
      'true true',
    ],
  },
  {
    title: 'a create with a name that is taken is AlreadyExists, also while that object is being deleted',
    async run({ client, namespace, answer }) {
      const made = await client.create(NODES, node(namespace, 0, { finalizers: ['marekvs.io/hold'] }));
      const again = () => answer(client.create(NODES, node(namespace)));
      const first = await again();
      await client.delete(NODES, made.metadata, { uid: made.metadata.uid });
      return [first, await again()];
    },
    expected: ['409 AlreadyExists', '409 AlreadyExists'],
  },
  {
    title: 'an object that does not exist can be neither read nor changed nor deleted',
    async run({ client, namespace, answer }) {
      const ref = { namespace, name: 'demo-0' };
      const on = { uid: '11111111-1111-1111-1111-111111111111', resourceVersion: '1' };
      const whole = { ...node(namespace), metadata: { ...ref, ...on } };
      return [
        await answer(client.get(NODES, ref)),
        await answer(client.patch(NODES, ref, {}, on)),
        await answer(client.patchStatus(NODES, ref, {}, on)),
        await answer(client.update(NODES, whole)),
        await answer(client.delete(NODES, ref, on)),
        await answer(client.get(PODS, ref)),
        await answer(client.delete(PODS, ref, on)),
      ];
    },
    expected: Array.from({ length: 7 }, () => '404 NotFound'),
  },
  {
    title: 'an object created again under its name has another uid and a later version',
    async run({ client, namespace, line }) {
      const first = await client.create(NODES, node(namespace));
      await client.delete(NODES, first.metadata, { uid: first.metadata.uid });
      const second = await client.create(NODES, node(namespace));
      const isLater = BigInt(second.metadata.resourceVersion) > BigInt(first.metadata.resourceVersion);
      return [line(first), line(second), String(isLater)];
    },
    expected: ['uid1 v1 gen1', 'uid2 v2 gen1', 'true'],
  },
  {
    title: 'of the kinds that we write, only our own two, Pods, budgets and policies have generations',
    async run({ client, namespace, line }) {
      const metadata = { name: 'one', namespace };
      const selector = { matchLabels: { app: 'one' } };
      const make = async (kind: Kind<KubeObject>, body: object): Promise<string> =>
        `${kind.kind} ${line(await client.create(kind, { metadata, ...body }))}`;
      const eventTime = '2026-01-01T00:00:00.000000Z';
      return [
        await make(NODES, node(namespace)),
        await make(CLUSTERS, { spec: { image: 'marekvs:1', nodes: 3 } }),
        await make(PODS, pod(namespace, 'one')),
        await make(CLAIMS, claim(namespace, 'one')),
        await make(services, { spec: { clusterIP: 'None', ports: [{ port: 6379 }] } }),
        await make(secrets, { stringData: { password: 'x' } }),
        await make(configMaps, {}),
        await make(podDisruptionBudgets, { spec: { maxUnavailable: 1, selector } }),
        await make(networkPolicies, { spec: { podSelector: selector, policyTypes: ['Ingress'] } }),
        await make(leases, { spec: { holderIdentity: 'me', leaseDurationSeconds: 15 } }),
        await make(events, {
          ...{ eventTime, action: 'Look', reason: 'Looked', type: 'Normal', reportingController: 'marekvs.io/x' },
          reportingInstance: 'x',
          regarding: { apiVersion: apiVersionOf(NODES), kind: 'MarekvsNode', name: 'demo-0', namespace },
        }),
      ];
    },
    expected: [
      'MarekvsNode uid1 v1 gen1',
      'MarekvsCluster uid2 v2 gen1',
      'Pod uid3 v3 gen1',
      'PersistentVolumeClaim uid4 v4 held[kubernetes.io/pvc-protection]',
      'Service uid5 v5',
      'Secret uid6 v6',
      'ConfigMap uid7 v7',
      'PodDisruptionBudget uid8 v8 gen1',
      'NetworkPolicy uid9 v9 gen1',
      'Lease uid10 v10',
      'Event uid11 v11',
    ],
  },
  {
    title: 'a list can be selected by spec.clusterName, by name and by labels, and by no field that is not selectable',
    async run({ client, namespace }) {
      const make = (id: number, name: string, role: string) =>
        client.create(NODES, node(namespace, id, { labels: { role, tier: 'x' } }, name));
      await make(0, 'demo', 'a');
      await make(1, 'demo', 'b');
      await make(0, 'other', 'a');
      const names = (selectors: { fieldSelector?: string; labelSelector?: string }): Promise<string> =>
        client.list(NODES, { namespace, ...selectors }).then(
          ({ items }) => items.map((item) => item.metadata.name).join(),
          (error: { status: number; reason: string }) => `${error.status} ${error.reason}`,
        );
      return [
        await names({}),
        await names({ fieldSelector: 'spec.clusterName=demo' }),
        await names({ fieldSelector: 'metadata.name=demo-1' }),
        await names({ labelSelector: 'role=a' }),
        await names({ labelSelector: 'role=a,tier=x', fieldSelector: 'spec.clusterName=other' }),
        await names({ labelSelector: 'role=c' }),
        await names({ fieldSelector: 'spec.nodeId=1' }),
      ];
    },
    expected: ['demo-0,demo-1,other-0', 'demo-0,demo-1', 'demo-1', 'demo-0,other-0', 'other-0', '', '400 BadRequest'],
  },
  {
    title: 'empty labels, annotations and owners are not kept',
    async run({ client, namespace, line }) {
      const made = await client.create(...dependent(namespace, 'one', [], { labels: {}, annotations: {} }));
      return [line(made, 'metadata.labels', 'metadata.annotations', 'metadata.ownerReferences')];
    },
    expected: ['uid1 v1'],
  },
];
