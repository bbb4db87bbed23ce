// Deletion of our own kinds: preconditions, finalizers, and what can still be done to an object that is being deleted.

import { podDisruptionBudgets, services } from '@marekvs/runtime';
import type { Case } from './bench.ts';
import { CLAIMS, claim, dependent, HOST, NODES, node, PODS, pod } from './objects.ts';
import { configMaps } from './plain-kinds.ts';

const HOLD = 'marekvs.io/hold';
const STRANGER = '11111111-1111-1111-1111-111111111111';

export const DELETING: readonly Case[] = [
  {
    title: 'a delete with another uid or version is a conflict, and one with the right ones deletes',
    async run({ client, namespace, answer }) {
      const { metadata } = await client.create(NODES, node(namespace));
      const { uid, resourceVersion } = metadata;
      const first = await client.patch(NODES, metadata, { metadata: { labels: { a: '1' } } }, metadata);
      return [
        await answer(client.delete(NODES, metadata, { uid: STRANGER })),
        await answer(client.delete(NODES, metadata, { uid: STRANGER, resourceVersion })),
        await answer(client.delete(NODES, metadata, { uid, resourceVersion })),
        await answer(client.get(NODES, metadata)),
        await answer(client.delete(NODES, metadata, first.metadata)),
        await answer(client.get(NODES, metadata)),
      ];
    },
    expected: ['409 Conflict', '409 Conflict', '409 Conflict', 'uid1 v1 gen1', 'Success', '404 NotFound'],
  },
  {
    title: 'an object with finalizers is marked once, can be changed, and goes with its last finalizer',
    async run({ client, namespace, answer, line, followOne }) {
      const made = await client.create(NODES, node(namespace, 0, { finalizers: [HOLD, 'marekvs.io/other'] }));
      const stream = await followOne(NODES, made);
      const { uid } = made.metadata;
      const lines = [
        await answer(client.delete(NODES, made.metadata, { uid })),
        await answer(client.delete(NODES, made.metadata, { uid })),
      ];
      const marked = await client.get(NODES, made.metadata);
      const changed = await client.patch(NODES, made.metadata, { spec: { serving: true } }, marked.metadata);
      const told = await client.patchStatus(NODES, made.metadata, { status: { phase: 'Leaving' } }, changed.metadata);
      const less = await client.patch(NODES, made.metadata, { metadata: { finalizers: [HOLD] } }, told.metadata);
      const last = client.patch(NODES, made.metadata, { metadata: { finalizers: null } }, less.metadata);
      lines.push(...[changed, told, less].map((one) => line(one)), await answer(last));
      lines.push(await answer(client.get(NODES, made.metadata)));
      for (const { type, object } of await stream.upTo('DELETED')) lines.push(`${type} ${line(object)}`);
      return lines;
    },
    expected: [
      'uid1 v1 gen2 marked(0) held[marekvs.io/hold,marekvs.io/other]',
      'uid1 v1 gen2 marked(0) held[marekvs.io/hold,marekvs.io/other]',
      'uid1 v2 gen3 marked(0) held[marekvs.io/hold,marekvs.io/other]',
      'uid1 v3 gen3 marked(0) held[marekvs.io/hold,marekvs.io/other]',
      'uid1 v4 gen3 marked(0) held[marekvs.io/hold]',
      'uid1 v4 gen3 marked(0)',
      '404 NotFound',
      'MODIFIED uid1 v1 gen2 marked(0) held[marekvs.io/hold,marekvs.io/other]',
      'MODIFIED uid1 v2 gen3 marked(0) held[marekvs.io/hold,marekvs.io/other]',
      'MODIFIED uid1 v3 gen3 marked(0) held[marekvs.io/hold,marekvs.io/other]',
      'MODIFIED uid1 v4 gen3 marked(0) held[marekvs.io/hold]',
      'DELETED uid1 v5 gen3 marked(0) held[marekvs.io/hold]',
    ],
  },
  {
    title: 'no finalizer can be added to an object that is being deleted, whatever its kind',
    async run({ client, namespace, answer }) {
      const made = await client.create(NODES, node(namespace, 0, { finalizers: [HOLD] }));
      await client.delete(NODES, made.metadata, { uid: made.metadata.uid });
      const marked = await client.get(NODES, made.metadata);
      const patch = { metadata: { finalizers: [HOLD, 'marekvs.io/late'] } };
      const other = await client.create(...dependent(namespace, 'one', [], { finalizers: [HOLD] }));
      await client.delete(configMaps, other.metadata, { uid: other.metadata.uid });
      const late = await client.get(configMaps, other.metadata);
      return [
        await answer(client.patch(NODES, made.metadata, patch, marked.metadata)),
        await answer(client.patch(configMaps, late.metadata, patch, late.metadata)),
        await answer(client.update(NODES, { ...marked, metadata: { ...marked.metadata, ...patch.metadata } })),
      ];
    },
    expected: Array.from({ length: 3 }, () => '422 Invalid metadata.finalizers'),
  },
  {
    title: 'the last finalizer cannot be removed with an older version',
    async run({ client, namespace, answer }) {
      const made = await client.create(NODES, node(namespace, 0, { finalizers: [HOLD] }));
      await client.delete(NODES, made.metadata, { uid: made.metadata.uid });
      const patch = { metadata: { finalizers: null } };
      return [
        await answer(client.patch(NODES, made.metadata, patch, made.metadata)),
        await answer(client.get(NODES, made.metadata)),
      ];
    },
    expected: ['409 Conflict', 'uid1 v1 gen2 marked(0) held[marekvs.io/hold]'],
  },
  {
    title: 'a finalizer can be added and removed before a deletion, which does not count as a change of the spec',
    async run({ client, namespace, line }) {
      const made = await client.create(NODES, node(namespace));
      const held = await client.patch(NODES, made.metadata, { metadata: { finalizers: [HOLD] } }, made.metadata);
      const free = await client.patch(NODES, made.metadata, { metadata: { finalizers: null } }, held.metadata);
      return [made, held, free].map((one) => line(one));
    },
    expected: ['uid1 v1 gen1', 'uid1 v2 gen1 held[marekvs.io/hold]', 'uid1 v3 gen1'],
  },
  {
    title: 'a whole write without finalizers deletes an object that is being deleted',
    async run({ client, namespace, answer }) {
      const made = await client.create(NODES, node(namespace, 0, { finalizers: [HOLD] }));
      await client.delete(NODES, made.metadata, { uid: made.metadata.uid });
      const marked = await client.get(NODES, made.metadata);
      const { finalizers: _, ...metadata } = marked.metadata;
      return [
        await answer(client.update(NODES, { ...marked, metadata })),
        await answer(client.get(NODES, made.metadata)),
      ];
    },
    expected: ['uid1 v1 gen2 marked(0)', '404 NotFound'],
  },
  {
    title: 'a delete of a Pod, claim or Service answers with the object even if it is gone, others with a Status',
    async run({ client, namespace, answer }) {
      const metadata = { name: 'one', namespace };
      const spec = { maxUnavailable: 1, selector: { matchLabels: { app: 'one' } } };
      const budget = await client.create(podDisruptionBudgets, { metadata, spec });
      const service = await client.create(services, { metadata, spec: { clusterIP: 'None', ports: [{ port: 6379 }] } });
      const config = await client.create(...dependent(namespace, 'one', []));
      const loose = await client.create(PODS, pod(namespace, 'loose'));
      const bound = await client.create(PODS, pod(namespace, 'bound', { host: HOST }));
      const volume = await client.create(CLAIMS, claim(namespace, 'one'));
      return [
        await answer(client.delete(podDisruptionBudgets, metadata, { uid: budget.metadata.uid })),
        await answer(client.delete(services, metadata, { uid: service.metadata.uid })),
        await answer(client.delete(configMaps, metadata, { uid: config.metadata.uid })),
        await answer(client.delete(PODS, loose.metadata, { uid: loose.metadata.uid })),
        await answer(client.delete(PODS, bound.metadata, { uid: bound.metadata.uid }, { gracePeriodSeconds: 0 })),
        await answer(client.delete(CLAIMS, metadata, { uid: volume.metadata.uid })),
      ];
    },
    expected: [
      'Success',
      'uid1 v1',
      'Success',
      'uid2 v2 gen2 marked(0)',
      'uid3 v3 gen2 marked(0)',
      'uid4 v4 marked(0) held[kubernetes.io/pvc-protection]',
    ],
  },
];
