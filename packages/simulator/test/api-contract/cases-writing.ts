// Changes: versions as preconditions, merge patches, generations, the status as a part of its own, and writes that
// change nothing.

import { isConflict, type ObjectMeta } from '@marekvs/runtime';
import type { Bench, Case } from './bench.ts';
import { NODES, node, PODS, pod } from './objects.ts';

const STRANGER = '11111111-1111-1111-1111-111111111111';

/** A node with all fields that the cases about patches change. */
function decorated(namespace: string) {
  const base = node(namespace, 0, { labels: { a: '1', b: '2' }, annotations: { note: 'x' } });
  const template = { ...Object(base.spec?.template), env: { A: '1', B: '2' }, imagePullSecrets: [{ name: 'one' }] };
  return { ...base, spec: { ...base.spec, template } };
}

async function patched(bench: Bench, patch: { readonly [field: string]: unknown }, ...paths: readonly string[]) {
  const made = await bench.client.create(NODES, decorated(bench.namespace));
  return [
    bench.line(made),
    await bench.answer(bench.client.patch(NODES, made.metadata, patch, made.metadata), ...paths),
  ];
}

export const WRITING: readonly Case[] = [
  {
    title: 'a write with an older version is a conflict, whether of the whole, of a part or of the status',
    async run({ client, namespace, answer }) {
      const old = await client.create(NODES, node(namespace));
      await client.patch(NODES, old.metadata, { metadata: { labels: { a: '1' } } }, old.metadata);
      return [
        await answer(client.update(NODES, old)),
        await answer(client.updateStatus(NODES, { ...old, status: { phase: 'Active' } })),
        await answer(client.patch(NODES, old.metadata, { metadata: { labels: { a: '2' } } }, old.metadata)),
        await answer(client.patchStatus(NODES, old.metadata, { status: { phase: 'Active' } }, old.metadata)),
      ];
    },
    expected: Array.from({ length: 4 }, () => '409 Conflict'),
  },
  {
    title: 'an older version is a conflict even when the write would change nothing',
    async run({ client, namespace, answer }) {
      const old = await client.create(NODES, node(namespace));
      await client.patch(NODES, old.metadata, { metadata: { labels: { a: '1' } } }, old.metadata);
      return [await answer(client.patch(NODES, old.metadata, { metadata: { labels: { a: '1' } } }, old.metadata))];
    },
    expected: ['409 Conflict'],
  },
  {
    // Our status patches also have the version, with which they are refused (the case below), because a uid alone would
    // not protect them.
    title:
      'a write meant for another uid is a conflict, a patch calls the uid invalid, and a patch of our status ignores it',
    async run({ client, namespace, answer }) {
      const made = await client.create(NODES, node(namespace));
      const metadata = { ...made.metadata, uid: STRANGER };
      return [
        await answer(client.update(NODES, { ...made, metadata })),
        await answer(client.updateStatus(NODES, { ...made, metadata })),
        await answer(client.patch(NODES, made.metadata, { metadata: { labels: { a: '1' } } }, metadata)),
        await answer(client.patchStatus(NODES, made.metadata, { status: { phase: 'Active' } }, metadata)),
      ];
    },
    expected: ['409 Conflict', '409 Conflict', '422 Invalid metadata.uid', 'uid1 v1 gen1'],
  },
  {
    title: 'a patch with another uid and another version is refused for its version',
    async run({ client, namespace, answer }) {
      const made = await client.create(NODES, node(namespace));
      const on = { uid: STRANGER, resourceVersion: '1' };
      return [
        await answer(client.patch(NODES, made.metadata, { metadata: { labels: { a: '1' } } }, on)),
        await answer(client.patchStatus(NODES, made.metadata, { status: { phase: 'Active' } }, on)),
      ];
    },
    expected: ['409 Conflict', '409 Conflict'],
  },
  {
    title: 'a patch in a dry run answers with its result, and nothing is stored',
    async run({ client, namespace }) {
      const made = await client.create(NODES, node(namespace));
      const patch = { metadata: { labels: { a: '1' } }, spec: { serving: true } };
      const tried = await client.patch(NODES, made.metadata, patch, made.metadata, { dryRun: true });
      const stored = await client.get(NODES, made.metadata);
      const stale = { uid: made.metadata.uid, resourceVersion: '1' };
      const refused = await client
        .patch(NODES, made.metadata, patch, stale, { dryRun: true })
        .catch((error: unknown) => error);
      return [
        ...[tried, stored].map(({ metadata, spec }) => `${metadata.labels?.a} ${spec?.serving}`),
        String(stored.metadata.resourceVersion === made.metadata.resourceVersion),
        String(isConflict(refused)),
      ];
    },
    expected: ['1 true', 'undefined false', 'true', 'true'],
  },
  {
    title: 'Pods refuse an older version and another uid like our own kinds',
    async run({ client, namespace, answer }) {
      const made = await client.create(PODS, pod(namespace, 'one'));
      const patch = { metadata: { labels: { a: '1' } } };
      const stranger = { ...made.metadata, uid: STRANGER };
      const first = await answer(client.patch(PODS, made.metadata, patch, stranger));
      const ended = { status: { phase: 'Failed' } };
      const status = await answer(client.patchStatus(PODS, made.metadata, ended, stranger));
      await client.patch(PODS, made.metadata, patch, made.metadata);
      return [
        first,
        status,
        await answer(client.patch(PODS, made.metadata, { metadata: { labels: { a: '2' } } }, made.metadata)),
      ];
    },
    expected: ['422 Invalid metadata.uid', '422 Invalid metadata.uid', '409 Conflict'],
  },
  {
    title: 'a merge patch merges maps, removes what is null, and replaces lists',
    run: (bench) =>
      patched(
        bench,
        {
          metadata: { labels: { a: null, c: '3' }, annotations: { note: null } },
          spec: { template: { env: { A: null, C: '3' }, imagePullSecrets: [{ name: 'two' }, { name: 'three' }] } },
        },
        'metadata.labels',
        'metadata.annotations',
        'spec.template.env',
        'spec.template.imagePullSecrets',
      ),
    expected: [
      'uid1 v1 gen1',
      'uid1 v2 gen2 metadata.labels={"b":"2","c":"3"} spec.template.env={"B":"2","C":"3"} ' +
        'spec.template.imagePullSecrets=[{"name":"two"},{"name":"three"}]',
    ],
  },
  {
    title: 'a null for a field that does not exist changes nothing',
    run: (bench) => patched(bench, { metadata: { labels: { z: null } }, spec: { seeds: null } }),
    expected: ['uid1 v1 gen1', 'uid1 v1 gen1'],
  },
  {
    title: 'a patch of metadata that the server owns has no effect and is no change',
    run: (bench) => patched(bench, { metadata: { generation: 99 } }),
    expected: ['uid1 v1 gen1', 'uid1 v1 gen1'],
  },
  {
    title: 'a patch with another name than the path is refused',
    run: (bench) => patched(bench, { metadata: { name: 'demo-1' } }),
    expected: ['uid1 v1 gen1', '400 BadRequest'],
  },
  {
    title: 'only a change of the spec raises the generation',
    async run(bench) {
      const { client, namespace, line } = bench;
      const made = await client.create(NODES, node(namespace));
      const labelled = await client.patch(NODES, made.metadata, { metadata: { labels: { a: '1' } } }, made.metadata);
      const told = await client.patchStatus(NODES, made.metadata, { status: { phase: 'Active' } }, labelled.metadata);
      const changed = await client.patch(NODES, made.metadata, { spec: { serving: true } }, told.metadata);
      return [made, labelled, told, changed].map((one) => line(one, 'spec.serving', 'status.phase'));
    },
    expected: [
      'uid1 v1 gen1 spec.serving=false',
      'uid1 v2 gen1 spec.serving=false',
      'uid1 v3 gen1 spec.serving=false status.phase=Active',
      'uid1 v4 gen2 spec.serving=true status.phase=Active',
    ],
  },
  {
    title: 'a status write does not change spec and labels, and another write does not change the status',
    async run({ client, namespace, answer }) {
      const made = await client.create(NODES, node(namespace));
      const everything = { metadata: { labels: { a: '1' } }, spec: { serving: true }, status: { phase: 'Active' } };
      const paths = ['metadata.labels', 'spec.serving', 'status'];
      const first = await answer(client.patchStatus(NODES, made.metadata, everything, made.metadata), ...paths);
      const live = await client.get(NODES, made.metadata);
      const second = await answer(
        client.patch(NODES, made.metadata, { ...everything, status: { phase: 'Leaving' } }, live.metadata),
        ...paths,
      );
      return [first, second];
    },
    expected: [
      'uid1 v1 gen1 spec.serving=false status={"phase":"Active"}',
      'uid1 v2 gen2 metadata.labels={"a":"1"} spec.serving=true status={"phase":"Active"}',
    ],
  },
  {
    title: 'a whole status replaces the previous one, and a whole object without a status keeps it',
    async run({ client, namespace, line }) {
      const made = await client.create(NODES, node(namespace));
      const told = await client.updateStatus(NODES, { ...made, status: { phase: 'Active', pvcName: 'data' } });
      const retold = await client.updateStatus(NODES, { ...told, status: { phase: 'Leaving' } });
      const { status: _, ...rest } = retold;
      const put = await client.update(NODES, { ...rest, spec: { ...rest.spec, serving: true } });
      return [told, retold, put].map((one) => line(one, 'status', 'spec.serving'));
    },
    expected: [
      'uid1 v1 gen1 status={"phase":"Active","pvcName":"data"} spec.serving=false',
      'uid1 v2 gen1 status={"phase":"Leaving"} spec.serving=false',
      'uid1 v3 gen2 status={"phase":"Leaving"} spec.serving=true',
    ],
  },
  {
    title: 'a field of the status is removed by null',
    async run({ client, namespace, answer }) {
      const made = await client.create(NODES, node(namespace));
      const told = await client.updateStatus(NODES, { ...made, status: { phase: 'Active', pvcName: 'data' } });
      return [
        await answer(client.patchStatus(NODES, made.metadata, { status: { pvcName: null } }, told.metadata), 'status'),
      ];
    },
    expected: ['uid1 v1 gen1 status={"phase":"Active"}'],
  },
  {
    title: 'a write that changes nothing keeps the version and is in no stream',
    async run({ client, namespace, answer, line, followOne }) {
      const made = await client.create(NODES, node(namespace, 0, { labels: { a: '1' } }));
      const told = await client.updateStatus(NODES, { ...made, status: { phase: 'Active' } });
      const stream = await followOne(NODES, told);
      const same = [
        await answer(client.update(NODES, told)),
        await answer(client.updateStatus(NODES, told)),
        await answer(client.patch(NODES, told.metadata, { metadata: { labels: { a: '1' } } }, told.metadata)),
        await answer(client.patch(NODES, told.metadata, { spec: { serving: false } }, told.metadata)),
        await answer(client.patchStatus(NODES, told.metadata, { status: { phase: 'Active' } }, told.metadata)),
        await answer(client.patch(NODES, told.metadata, {}, told.metadata)),
      ];
      await client.patch(NODES, told.metadata, { spec: { serving: true } }, told.metadata);
      const { type, object } = await stream.next();
      return [line(told), ...same, `${type} ${line(object)}`];
    },
    expected: [...Array.from({ length: 7 }, () => 'uid1 v1 gen1'), 'MODIFIED uid1 v2 gen2'],
  },
  {
    title: 'a patch of labels changes neither the generation nor the status of a Pod',
    async run({ client, namespace, answer }) {
      const made = await client.create(PODS, pod(namespace, 'one'));
      const metadata: Pick<ObjectMeta, 'labels'> = { labels: { serving: 'true' } };
      const patch = { metadata, status: { phase: 'Running' } };
      return [await answer(client.patch(PODS, made.metadata, patch, made.metadata), 'metadata.labels', 'status.phase')];
    },
    expected: ['uid1 v1 gen1 metadata.labels={"serving":"true"} status.phase=Pending'],
  },
];
