// Streams: order, selections, where they can start, how they end; and the runtime's cache on top of them.

import { createReflector, type KubeObject } from '@marekvs/runtime';
import { type Case, refusal } from './bench.ts';
import type { FollowedEvent } from './follow.ts';
import { NODES, node } from './objects.ts';

const names = (events: readonly FollowedEvent[]): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata.name}`);

export const WATCH_CASES: readonly Case[] = [
  {
    title: 'a stream from an old version on has every change since then once and in order',
    async run({ client, namespace, line, follow }) {
      const zero = await client.create(NODES, node(namespace, 0));
      const one = await client.create(NODES, node(namespace, 1));
      const told = await client.patchStatus(NODES, one.metadata, { status: { phase: 'Active' } }, one.metadata);
      const changed = await client.patch(NODES, one.metadata, { spec: { serving: true } }, told.metadata);
      await client.delete(NODES, one.metadata, { uid: one.metadata.uid });
      await client.create(NODES, node(namespace, 2));
      const stream = await follow(NODES, { from: zero.metadata.resourceVersion });
      line(zero);
      const lines = (await stream.take(5)).map(
        ({ type, object }) => `${type} ${object.metadata.name} ${line(object, 'status', 'kind')}`,
      );
      return [line(changed, 'kind'), ...lines];
    },
    expected: [
      'uid2 v4 gen2 kind=MarekvsNode',
      'ADDED demo-1 uid2 v2 gen1 kind=MarekvsNode',
      'MODIFIED demo-1 uid2 v3 gen1 status={"phase":"Active"} kind=MarekvsNode',
      'MODIFIED demo-1 uid2 v4 gen2 status={"phase":"Active"} kind=MarekvsNode',
      'DELETED demo-1 uid2 v5 gen2 status={"phase":"Active"} kind=MarekvsNode',
      'ADDED demo-2 uid3 v6 gen1 kind=MarekvsNode',
    ],
  },
  {
    title: 'versions of a stream only rise, and a deletion has its own version',
    async run({ client, namespace, follow }) {
      const zero = await client.create(NODES, node(namespace, 0));
      const stream = await follow(NODES, { from: zero.metadata.resourceVersion });
      const one = await client.create(NODES, node(namespace, 1));
      await client.delete(NODES, zero.metadata, { uid: zero.metadata.uid });
      await client.delete(NODES, one.metadata, { uid: one.metadata.uid });
      const versions = (await stream.take(3)).map(({ object }) => BigInt(object.metadata.resourceVersion ?? 0));
      return versions.map((version, index) => String(version > (versions[index - 1] ?? 0n)));
    },
    expected: ['true', 'true', 'true'],
  },
  {
    title: 'an object that was deleted and created again is seen as two uids, the old one going first',
    async run({ client, namespace, line, followOne }) {
      const first = await client.create(NODES, node(namespace));
      const stream = await followOne(NODES, first);
      await client.delete(NODES, first.metadata, { uid: first.metadata.uid });
      await client.create(NODES, node(namespace));
      line(first);
      return (await stream.take(2)).map(({ type, object }) => `${type} ${line(object)}`);
    },
    expected: ['DELETED uid1 v2 gen1', 'ADDED uid2 v3 gen1'],
  },
  {
    title: 'a stream with a label selector shows an object that ceases to match as deleted, with its old labels',
    async run({ client, namespace, line, follow }) {
      const made = await client.create(NODES, node(namespace, 0, { labels: { role: 'a' } }));
      const stream = await follow(NODES, { from: made.metadata.resourceVersion, labelSelector: 'role=a' });
      const label = (role: string, on: { uid: string; resourceVersion: string }) =>
        client.patch(NODES, made.metadata, { metadata: { labels: { role } } }, on);
      const away = await label('b', made.metadata);
      const still = await client.patch(NODES, made.metadata, { spec: { serving: true } }, away.metadata);
      const back = await label('a', still.metadata);
      await client.delete(NODES, made.metadata, { uid: made.metadata.uid });
      return [
        line(made),
        line(away),
        line(back),
        ...(await stream.take(3)).map(({ type, object }) => `${type} ${line(object, 'metadata.labels')}`),
      ];
    },
    expected: [
      'uid1 v1 gen1',
      'uid1 v2 gen1',
      'uid1 v3 gen2',
      'DELETED uid1 v2 gen1 metadata.labels={"role":"a"}',
      'ADDED uid1 v3 gen2 metadata.labels={"role":"a"}',
      'DELETED uid1 v4 gen2 metadata.labels={"role":"a"}',
    ],
  },
  {
    title: 'a stream selected by spec.clusterName has only objects of that cluster',
    async run({ client, namespace, follow }) {
      const first = await client.create(NODES, node(namespace, 0, {}, 'other'));
      const stream = await follow(NODES, {
        from: first.metadata.resourceVersion,
        fieldSelector: 'spec.clusterName=demo',
      });
      await client.create(NODES, node(namespace, 1, {}, 'other'));
      await client.create(NODES, node(namespace, 0));
      await client.delete(NODES, first.metadata, { uid: first.metadata.uid });
      await client.create(NODES, node(namespace, 1));
      return names(await stream.take(2));
    },
    expected: ['ADDED demo-0', 'ADDED demo-1'],
  },
  {
    title: 'a stream that starts with the whole state marks its end by a bookmark, and goes on from there',
    async run({ client, namespace, follow }) {
      await client.create(NODES, node(namespace, 0));
      const last = await client.create(NODES, node(namespace, 1));
      const stream = await follow(NODES, {});
      const initial = await stream.take(2);
      const bookmark = await stream.raw();
      await client.create(NODES, node(namespace, 2));
      const { metadata } = bookmark?.object ?? last;
      const isCurrent = BigInt(metadata.resourceVersion ?? 0) >= BigInt(last.metadata.resourceVersion);
      return [
        ...names(initial).sort(),
        `${bookmark?.type} ${bookmark?.object.kind} ${JSON.stringify(metadata.annotations)} ${isCurrent}`,
        ...names([await stream.next()]),
      ];
    },
    expected: [
      'ADDED demo-0',
      'ADDED demo-1',
      'BOOKMARK MarekvsNode {"k8s.io/initial-events-end":"true"} true',
      'ADDED demo-2',
    ],
  },
  {
    title: 'a stream of an empty selection ends its initial events at once',
    async run({ follow }) {
      const event = await (await follow(NODES, {})).raw();
      return [`${event?.type} ${JSON.stringify(event?.object.metadata.annotations)}`];
    },
    expected: ['BOOKMARK {"k8s.io/initial-events-end":"true"}'],
  },
  {
    title: 'a stream with a time limit sends a bookmark before its end, and ends without an error',
    async run({ client, namespace, follow }) {
      const made = await client.create(NODES, node(namespace));
      const stream = await follow(NODES, { from: made.metadata.resourceVersion, timeoutSeconds: 3 });
      await client.patch(NODES, made.metadata, { spec: { serving: true } }, made.metadata);
      const types: string[] = [];
      for (;;) {
        const event = await stream.raw();
        types.push(event?.type ?? 'end');
        if (event === undefined) return [...new Set(types)];
      }
    },
    expected: ['MODIFIED', 'BOOKMARK', 'end'],
  },
  {
    title: 'a stream from a version that is too old has an error in it: 410 Expired',
    async run({ client, namespace, driver, follow }) {
      await client.create(NODES, node(namespace));
      const from = driver.forgottenVersion();
      const opened = await follow(NODES, { from }).catch((error: unknown) => refusal(error));
      if (typeof opened === 'string') return [`refused: ${opened}`];
      const event = await opened.raw();
      return [`${event?.type} ${event?.object.code} ${event?.object.reason}`];
    },
    expected: ['ERROR 410 Expired'],
  },
  {
    title: 'a stream that starts with the whole state includes every write that was answered before',
    async run({ client, namespace, follow }) {
      const first = await client.create(NODES, node(namespace, 0));
      await client.create(NODES, node(namespace, 1));
      await client.delete(NODES, first.metadata, { uid: first.metadata.uid });
      const stream = await follow(NODES, {});
      const lines: string[] = [];
      for (;;) {
        const event = await stream.raw();
        if (event === undefined || event.type === 'BOOKMARK') return lines;
        lines.push(...names([event]));
      }
    },
    expected: ['ADDED demo-1'],
  },
  {
    title: 'a stream of a namespace has only objects of that namespace',
    async run({ client, namespace, follow }) {
      const first = await client.create(NODES, node(namespace, 0));
      const stream = await follow(NODES, { from: first.metadata.resourceVersion });
      await client.create(NODES, node('beside'));
      await client.create(NODES, node(namespace, 1));
      return names([await stream.next()]);
    },
    expected: ['ADDED demo-1'],
  },
  {
    title: 'a list and a stream from its version together have every change once',
    async run({ client, namespace, follow }) {
      await client.create(NODES, node(namespace, 0));
      const { items, resourceVersion } = await client.list(NODES, { namespace });
      await client.create(NODES, node(namespace, 1));
      const stream = await follow(NODES, { from: resourceVersion });
      await client.create(NODES, node(namespace, 2));
      return [String(items.length), ...names(await stream.take(2))];
    },
    expected: ['1', 'ADDED demo-1', 'ADDED demo-2'],
  },
  {
    title: 'a stream of all namespaces has objects of each of them',
    async run({ client, namespace, follow }) {
      const first = await client.create(NODES, node(namespace, 0));
      const labels = { of: namespace };
      const stream = await follow(NODES, {
        namespace: 'all',
        from: first.metadata.resourceVersion,
        labelSelector: `of=${namespace}`,
      });
      await client.create(NODES, node('beside', 7, { labels }));
      await client.create(NODES, node(namespace, 8, { labels }));
      return names(await stream.take(2));
    },
    expected: ['ADDED demo-7', 'ADDED demo-8'],
  },
  {
    title: 'the cache has the state, notices every change, and treats a successor of the same name as another object',
    async run({ client, transport, namespace }) {
      const first = await client.create(NODES, node(namespace, 0));
      const heard: string[] = [];
      let wake = (): void => undefined;
      const cache = createReflector({
        transport,
        kind: NODES,
        namespaces: [namespace],
        project: ({ metadata }: KubeObject) => ({
          name: metadata.name ?? '',
          namespace: metadata.namespace ?? '',
          uid: metadata.uid ?? '',
          resourceVersion: metadata.resourceVersion ?? '',
          generation: metadata.generation ?? 0,
        }),
        onChange(change) {
          heard.push(change.type);
          wake();
        },
      });
      const stop = new AbortController();
      const running = cache.run(stop.signal);
      await cache.synced;
      const until = async (isEnough: () => boolean): Promise<void> => {
        while (!isEnough()) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      };
      const seen = () => cache.store.get(`${namespace}/demo-0`);
      const initial = `generation ${seen()?.generation}`;
      const changed = await client.patch(NODES, first.metadata, { spec: { serving: true } }, first.metadata);
      await until(() => seen()?.resourceVersion === changed.metadata.resourceVersion);
      await client.delete(NODES, first.metadata, { uid: first.metadata.uid });
      await until(() => seen() === undefined);
      const second = await client.create(NODES, node(namespace, 0));
      await until(() => seen()?.uid === second.metadata.uid);
      stop.abort(new Error('the case is over'));
      await running;
      return [initial, ...heard];
    },
    expected: ['generation 1', 'added', 'updated', 'deleted', 'added'],
  },
];
