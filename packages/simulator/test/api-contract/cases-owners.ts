// What is deleted together: dependents after their owners, and the contents of a namespace.

import type { Bench, Case } from './bench.ts';
import { at } from './facts.ts';
import { CLAIMS, claim, dependent, HOST, NODES, namespaceObject, node, ownerOf, PODS, pod } from './objects.ts';
import { configMaps, namespaces } from './plain-kinds.ts';

const HOLD = 'marekvs.io/hold';

const owner = ({ client, namespace }: Bench, id: number, finalizers: readonly string[] = []) =>
  client.create(NODES, node(namespace, id, finalizers.length === 0 ? {} : { finalizers }));

export const OWNER_CASES: readonly Case[] = [
  {
    title: 'dependents of an object, claims included, go after it, and one with a finalizer is only marked',
    async run(bench) {
      const { client, namespace, answer, line, followOne } = bench;
      const one = await owner(bench, 0);
      const plain = await client.create(...dependent(namespace, 'plain', [ownerOf(one)]));
      const held = await client.create(...dependent(namespace, 'held', [ownerOf(one)], { finalizers: [HOLD] }));
      const volume = await client.create(CLAIMS, claim(namespace, 'data', { ownerReferences: [ownerOf(one)] }));
      const stories = [
        await followOne(configMaps, plain),
        await followOne(configMaps, held),
        await followOne(CLAIMS, volume),
      ];
      await client.delete(NODES, one.metadata, { uid: one.metadata.uid });
      await stories[0]?.upTo('DELETED');
      await stories[2]?.upTo('DELETED');
      const marked = await stories[1]?.next();
      const left = await client.get(configMaps, held.metadata);
      const free = await answer(
        client.patch(configMaps, held.metadata, { metadata: { finalizers: null } }, left.metadata),
      );
      return [
        await answer(client.get(configMaps, plain.metadata)),
        `${marked?.type} ${line(marked?.object ?? held)}`,
        free,
        await answer(client.get(configMaps, held.metadata)),
      ];
    },
    expected: ['404 NotFound', 'MODIFIED uid1 v1 marked(0) held[marekvs.io/hold]', 'uid1 v1 marked(0)', '404 NotFound'],
  },
  {
    title: 'an object with one of two owners left stays and loses only the reference to the other',
    async run(bench) {
      const { client, namespace, line, followOne } = bench;
      const [first, second] = [await owner(bench, 0), await owner(bench, 1)];
      const refs = [ownerOf(first), { ...ownerOf(second), controller: false }];
      const made = await client.create(...dependent(namespace, 'shared', refs));
      const story = await followOne(configMaps, made);
      await client.delete(NODES, first.metadata, { uid: first.metadata.uid });
      const { type, object } = await story.next();
      return [`${type} ${line(object)}`, (object.metadata.ownerReferences ?? []).map((ref) => ref.name).join()];
    },
    expected: ['MODIFIED uid1 v1', 'demo-1'],
  },
  {
    title: 'dependents of an object that is deleted with Orphan stay and lose their owner',
    async run(bench) {
      const { client, namespace, answer, line, followOne } = bench;
      const one = await owner(bench, 0);
      const made = await client.create(...dependent(namespace, 'left', [ownerOf(one)]));
      const [story, end] = [await followOne(configMaps, made), await followOne(NODES, one)];
      const deleted = await answer(client.delete(NODES, one.metadata, one.metadata, { propagationPolicy: 'Orphan' }));
      const { type, object } = await story.next();
      await end.upTo('DELETED');
      const left = await client.get(configMaps, made.metadata);
      return [
        deleted,
        `${type} ${line(object, 'metadata.ownerReferences')}`,
        line(left, 'metadata.ownerReferences'),
        await answer(client.get(NODES, one.metadata)),
      ];
    },
    expected: ['uid1 v1 gen2 marked(0) held[orphan]', 'MODIFIED uid2 v2', 'uid2 v2', '404 NotFound'],
  },
  {
    title: 'dependents of an object that is only marked stay',
    async run(bench) {
      const { client, namespace, answer, followOne } = bench;
      const [held, free] = [await owner(bench, 0, [HOLD]), await owner(bench, 1)];
      const kept = await client.create(...dependent(namespace, 'kept', [ownerOf(held)]));
      const gone = await client.create(...dependent(namespace, 'gone', [ownerOf(free)]));
      const [keptStory, goneStory] = [await followOne(configMaps, kept), await followOne(configMaps, gone)];
      for (const one of [held, free]) await client.delete(NODES, one.metadata, { uid: one.metadata.uid });
      // The dependent that goes shows that the collector was at work after both deletes.
      await goneStory.upTo('DELETED');
      const meanwhile = await answer(client.get(configMaps, kept.metadata));
      const marked = await client.get(NODES, held.metadata);
      await client.patch(NODES, held.metadata, { metadata: { finalizers: null } }, marked.metadata);
      await keptStory.upTo('DELETED');
      return [meanwhile];
    },
    expected: ['uid1 v1'],
  },
  {
    title: 'an object that names an owner with another uid than the present one is collected',
    async run(bench) {
      const { client, namespace, followOne } = bench;
      const first = await owner(bench, 0);
      await client.delete(NODES, first.metadata, { uid: first.metadata.uid });
      await owner(bench, 0);
      const made = await client.create(...dependent(namespace, 'stale', [ownerOf(first)]));
      const story = await followOne(configMaps, made);
      return (await story.upTo('DELETED')).map(({ type }) => type);
    },
    expected: ['DELETED'],
  },
  {
    title: 'an object that gets an owner later goes with it, and at once if that owner is already gone',
    async run(bench) {
      const { client, namespace, followOne, follow } = bench;
      const [first, second] = [await owner(bench, 0), await owner(bench, 1)];
      const [early, late] = [
        await client.create(...dependent(namespace, 'early', [])),
        await client.create(...dependent(namespace, 'late', [])),
      ];
      const stories = [await followOne(configMaps, early), await followOne(configMaps, late)];
      const give = (made: typeof early, to: typeof first) =>
        client.patch(configMaps, made.metadata, { metadata: { ownerReferences: [ownerOf(to)] } }, made.metadata);
      await give(early, first);
      for (const one of [first, second]) await client.delete(NODES, one.metadata, { uid: one.metadata.uid });
      const told = async (index: number): Promise<string> =>
        ((await stories[index]?.upTo('DELETED')) ?? []).map(({ type }) => type).join();
      const before = await told(0);
      // A second of the server's own time, after which the collector has nothing left to do.
      const pause = await follow(configMaps, { from: late.metadata.resourceVersion, timeoutSeconds: 1 });
      while ((await pause.raw()) !== undefined);
      await give(late, second);
      return [before, await told(1)];
    },
    expected: ['MODIFIED,DELETED', 'MODIFIED,DELETED'],
  },
  {
    title: 'a Pod whose owner is gone is stopped by its kubelet with its grace period',
    async run(bench) {
      const { client, namespace, line, followOne } = bench;
      const one = await owner(bench, 0);
      const made = await client.create(PODS, pod(namespace, 'one', { host: HOST, ownerReferences: [ownerOf(one)] }));
      const story = await followOne(PODS, made);
      await client.delete(NODES, one.metadata, { uid: one.metadata.uid });
      const { type, object } = await story.next();
      await client.delete(PODS, made.metadata, { uid: made.metadata.uid }, { gracePeriodSeconds: 0 });
      return [`${type} ${line(object)}`, ...(await story.upTo('DELETED')).map((event) => event.type)];
    },
    expected: ['MODIFIED uid1 v1 gen2 marked(30)', 'MODIFIED', 'DELETED'],
  },
  {
    title: 'nothing can be created in a namespace that does not exist',
    async run({ client, namespace, answer }) {
      const elsewhere = `${namespace}-not-there`;
      return [
        await answer(client.create(NODES, node(elsewhere))),
        await answer(client.create(...dependent(elsewhere, 'one', []))),
        await answer(client.get(NODES, { namespace: elsewhere, name: 'demo-0' })),
        String((await client.list(NODES, { namespace: elsewhere })).items.length),
      ];
    },
    expected: ['404 NotFound', '404 NotFound', '404 NotFound', '0'],
  },
  {
    title: 'a namespace that is being deleted refuses creates, deletes its contents, and waits for finalizers',
    async run({ client, namespace, answer, followOne, follow }) {
      const [own, empty] = [`${namespace}-own`, `${namespace}-empty`];
      const made = await client.create(...namespaceObject(own));
      const other = await client.create(...namespaceObject(empty));
      const held = await client.create(NODES, node(own, 0, { finalizers: [HOLD] }));
      await client.create(...dependent(empty, 'plain', []));
      const [story, otherStory] = [await followOne(namespaces, made), await followOne(namespaces, other)];
      const heldStory = await follow(NODES, { namespace: own, from: held.metadata.resourceVersion });
      for (const { metadata } of [made, other]) await client.delete(namespaces, metadata, { uid: metadata.uid });
      const { type, object } = await story.next();
      const lines = [
        `${type} ${String(at(object, 'status.phase'))}`,
        await answer(client.create(NODES, node(own, 1))),
        await answer(client.create(PODS, pod(own, 'late'))),
      ];
      const marked = await heldStory.next();
      const { uid = '', resourceVersion = '' } = marked.object.metadata;
      const on = { uid, resourceVersion };
      lines.push(await answer(client.patch(NODES, held.metadata, { spec: { serving: true } }, on), 'spec.serving'));
      await otherStory.upTo('DELETED');
      lines.push(await lastRefusal(() => answer(client.create(NODES, node(empty, 1)))));
      return [...lines, await answer(client.get(namespaces, made.metadata), 'kind')];
    },
    expected: [
      'MODIFIED Terminating',
      '403 Forbidden NamespaceTerminating',
      '403 Forbidden NamespaceTerminating',
      'uid1 v1 gen3 marked(0) held[marekvs.io/hold] spec.serving=true',
      '404 NotFound',
      'uid2 v2 marked(undefined) kind=Namespace',
    ],
  },
];

/** The check for namespaces follows them by a stream of its own, so one that is gone may count as terminating for
 *  another moment. */
async function lastRefusal(create: () => Promise<string>): Promise<string> {
  const atMost = 500;
  let said = '';
  for (let asked = 0; asked < atMost && (said === '' || said.endsWith('NamespaceTerminating')); asked += 1)
    said = await create();
  return said;
}
