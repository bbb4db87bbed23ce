// Where the API server in memory deliberately does less than a real one. Each row runs against both, so that this list
// stays true. Any other difference is a bug of the one in memory.

import { type ListOptions, secrets, services } from '@marekvs/runtime';
import { type Case, refusal } from './bench.ts';
import { CLUSTERS, dependent, NODES, node, ownerOf, PODS, pod } from './objects.ts';

export interface Deliberate extends Case {
  /** The answer of the one in memory; `expected` is that of the real one. */
  readonly inMemory: readonly string[];
  readonly reason: string;
}

export const DELIBERATE: readonly Deliberate[] = [
  {
    title: 'the schema and the rules of our kinds are enforced',
    reason:
      'Schemas are held by the table of packages/api, which runs against ajv and the real server (admission journey).',
    async run({ client, namespace, answer }) {
      const made = await client.create(NODES, node(namespace));
      const other = await client.create(NODES, node(namespace, 1));
      const status = { phase: 'No' };
      return [
        await answer(client.patch(NODES, made.metadata, { spec: { nodeId: 1 } }, made.metadata), 'spec.nodeId'),
        await answer(client.patchStatus(NODES, other.metadata, { status }, other.metadata), 'status.phase'),
      ];
    },
    expected: ['422 Invalid <nil> spec.nodeId', '422 Invalid status.phase <nil>'],
    inMemory: ['uid1 v1 gen2 spec.nodeId=1', 'uid2 v2 gen1 status.phase=No'],
  },
  {
    title: 'a field that the schema does not know is refused to a strict client',
    reason: 'As above: no schemas in memory.',
    async run({ client, namespace, answer }) {
      const made = await client.create(NODES, node(namespace));
      return [
        await answer(client.patch(NODES, made.metadata, { spec: { unknown: 1 } }, made.metadata), 'spec.unknown'),
      ];
    },
    expected: ['422 Invalid patch'],
    inMemory: ['uid1 v1 gen2 spec.unknown=1'],
  },
  {
    title: 'defaults are filled in',
    reason: 'The operator fills in defaults itself (withDefaults) and must live with objects older than a default.',
    async run({ client, namespace, answer }) {
      const metadata = { name: 'demo', namespace };
      return [await answer(client.create(CLUSTERS, { metadata, spec: { image: 'marekvs:1' } }), 'spec.nodes')];
    },
    expected: ['uid1 v1 gen1 spec.nodes=3'],
    inMemory: ['uid1 v1 gen1'],
  },
  {
    title: 'what cannot change about a Pod is refused',
    reason: 'No validation of built-in kinds in memory; the operator replaces Pods and never patches their spec.',
    async run({ client, namespace, answer }) {
      const made = await client.create(PODS, pod(namespace, 'one'));
      return [await answer(client.patch(PODS, made.metadata, { spec: { restartPolicy: 'Never' } }, made.metadata))];
    },
    expected: ['422 Invalid spec'],
    inMemory: ['uid1 v1 gen2'],
  },
  {
    title: 'a port that somebody renumbered does not come back by an apply, even with force: two would have one name',
    reason: 'No validation of built-in kinds in memory: there both ports stand side by side.',
    async run({ client, namespace, answer }) {
      const ports = (port: number) => [{ name: 'resp', port, protocol: 'TCP' as const }];
      const wanted = { metadata: { name: 'demo', namespace }, spec: { clusterIP: 'None', ports: ports(6379) } };
      const made = await client.apply(services, wanted, { fieldManager: 'marekvs-operator' });
      await client.patch(services, made.metadata, { spec: { ports: ports(6380) } }, made.metadata);
      return [await answer(client.apply(services, wanted, { fieldManager: 'marekvs-operator', force: true }))];
    },
    expected: ['422 Invalid spec.ports[1].name'],
    inMemory: ['uid1 v1'],
  },
  {
    title: 'a protected cluster is not deleted',
    reason: 'Admission policies are held by the protection journey; a world that wants refusals injects them.',
    async run({ client, namespace, answer }) {
      const spec = { image: 'marekvs:1', deletionProtection: true };
      const made = await client.create(CLUSTERS, { metadata: { name: 'demo', namespace }, spec });
      return [await answer(client.delete(CLUSTERS, made.metadata, { uid: made.metadata.uid }))];
    },
    expected: ['403 Forbidden'],
    inMemory: ['Success'],
  },
  {
    title: 'stringData of a Secret becomes data',
    reason: 'The operator reads Secrets and never writes them; worlds write data.',
    async run({ client, namespace, answer }) {
      const made = client.create(secrets, { metadata: { name: 'one', namespace }, stringData: { password: 'x' } });
      return [await answer(made, 'data', 'stringData')];
    },
    expected: ['uid1 v1 data={"password":"eA=="}'],
    inMemory: ['uid1 v1 stringData={"password":"x"}'],
  },
  {
    title: 'labels are selected by sets and by absence too',
    reason:
      'The operator selects by equality only; anything else is refused in memory, so that no selector is misread.',
    async run({ client, namespace }) {
      await client.create(NODES, node(namespace, 0, { labels: { role: 'a' } }));
      const count = (options: ListOptions) =>
        client.list(NODES, { namespace, ...options }).then(({ items }) => String(items.length), refusal);
      return [await count({ labelSelector: 'role in (a,b)' }), await count({ labelSelector: '!role' })];
    },
    expected: ['1', '0'],
    inMemory: ['400 BadRequest', '400 BadRequest'],
  },
  {
    title: 'a long list comes in pages',
    reason: 'Paging is held by the tests of the runtime; a world is smaller than a page of ours (500).',
    async run({ client, transport, namespace }) {
      for (const id of [0, 1, 2]) await client.create(NODES, node(namespace, id));
      const path = `/apis/${NODES.group}/${NODES.version}/namespaces/${namespace}/${NODES.plural}?limit=2`;
      const page = await transport.request<{ items: unknown[]; metadata: { continue?: string } }>({
        verb: 'list',
        path,
        resource: 'marekvsnodes',
        subject: 'marekvsnodes',
      });
      return [`${page.items.length} ${page.metadata.continue === undefined ? 'and all' : 'and more'}`];
    },
    expected: ['2 and more'],
    inMemory: ['3 and all'],
  },
  {
    title: 'dependents are waited for when the delete says Foreground',
    reason: 'Nobody here deletes so: the operator deletes in the background, the plugin lets a StatefulSet go alone.',
    async run({ client, namespace, answer }) {
      const one = await client.create(NODES, node(namespace));
      const held = { ...ownerOf(one), blockOwnerDeletion: true };
      const finalizers = ['marekvs.io/hold'];
      await client.create(...dependent(namespace, `of-${one.metadata.name}`, [held], { finalizers }));
      const how = { propagationPolicy: 'Foreground' } as const;
      return [await answer(client.delete(NODES, one.metadata, { uid: one.metadata.uid }, how))];
    },
    expected: ['uid1 v1 gen2 marked(0) held[foregroundDeletion]'],
    inMemory: ['Success'],
  },
];
