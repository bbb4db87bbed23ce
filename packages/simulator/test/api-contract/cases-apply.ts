// Server-side apply of the kinds that we apply, with the fields that we send: who owns which field, and which fields go
// when they are not sent any more.

import { type NewObject, networkPolicies, podDisruptionBudgets, type Service, services } from '@marekvs/runtime';
import type { Bench, Case } from './bench.ts';

const MINE = 'marekvs-operator';
const OTHER = 'somebody';

type ServiceFields = {
  readonly labels?: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
  readonly selector?: { readonly [name: string]: string };
  readonly ports?: { readonly name?: string; readonly port: number; readonly protocol?: 'TCP' }[];
  readonly publishNotReadyAddresses?: boolean;
};

const PORT = { name: 'resp', port: 6379, protocol: 'TCP' } as const;

function service(namespace: string, { labels, annotations, ...spec }: ServiceFields = {}): NewObject<Service> {
  const metadata = {
    name: 'demo',
    namespace,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return { metadata, spec: { clusterIP: 'None', ports: [PORT], ...spec } };
}

const SHOWN = ['metadata.labels', 'metadata.annotations', 'spec.selector', 'spec.publishNotReadyAddresses'];

const apply = (
  { client, namespace, answer }: Bench,
  fields: ServiceFields,
  { by = MINE, force = false, uid }: { by?: string; force?: boolean; uid?: string } = {},
  ...paths: readonly string[]
): Promise<string> =>
  answer(
    client.apply(services, service(namespace, fields), { fieldManager: by, force, uid }),
    ...(paths.length === 0 ? SHOWN : paths),
  );

const patch = async ({ client, namespace }: Bench, what: { readonly [field: string]: unknown }): Promise<void> => {
  const live = await client.get(services, { namespace, name: 'demo' });
  await client.patch(services, live.metadata, what, live.metadata);
};

export const APPLY_CASES: readonly Case[] = [
  {
    title: 'an apply creates an object, the same apply again changes nothing, and another one changes it',
    async run(bench) {
      const fields = { labels: { app: 'demo' }, selector: { app: 'demo' } };
      return [
        await apply(bench, fields),
        await apply(bench, fields),
        await apply(bench, { ...fields, labels: { app: 'demo', more: '1' } }),
      ];
    },
    expected: [
      'uid1 v1 metadata.labels={"app":"demo"} spec.selector={"app":"demo"}',
      'uid1 v1 metadata.labels={"app":"demo"} spec.selector={"app":"demo"}',
      'uid1 v2 metadata.labels={"app":"demo","more":"1"} spec.selector={"app":"demo"}',
    ],
  },
  {
    title: 'a field that its only manager does not send any more is removed, and a map with its last key',
    async run(bench) {
      const full = { labels: { a: '1', b: '2' }, annotations: { note: 'x' }, publishNotReadyAddresses: true };
      return [await apply(bench, full), await apply(bench, { labels: { a: '1' } })];
    },
    expected: [
      'uid1 v1 metadata.labels={"a":"1","b":"2"} metadata.annotations={"note":"x"} spec.publishNotReadyAddresses=true',
      'uid1 v2 metadata.labels={"a":"1"}',
    ],
  },
  {
    title: 'a field that another manager set is kept',
    async run(bench) {
      await apply(bench, { labels: { a: '1' } });
      await patch(bench, { metadata: { labels: { theirs: 'x' }, annotations: { note: 'y' } } });
      const kept = await apply(bench, { labels: { a: '2' } });
      const both = await apply(bench, { labels: { other: '1' } }, { by: OTHER });
      return [kept, both, await apply(bench, { labels: {} })];
    },
    expected: [
      'uid1 v2 metadata.labels={"a":"2","theirs":"x"} metadata.annotations={"note":"y"}',
      'uid1 v3 metadata.labels={"a":"2","other":"1","theirs":"x"} metadata.annotations={"note":"y"}',
      'uid1 v4 metadata.labels={"other":"1","theirs":"x"} metadata.annotations={"note":"y"}',
    ],
  },
  {
    title: 'a field that two managers apply stays until neither sends it',
    async run(bench) {
      await apply(bench, { labels: { a: '1' } });
      await apply(bench, { labels: { a: '1' } }, { by: OTHER });
      return [await apply(bench, {}), await apply(bench, {}, { by: OTHER })];
    },
    expected: ['uid1 v3 metadata.labels={"a":"1"}', 'uid1 v4'],
  },
  {
    title:
      'a field that somebody changed is a conflict without force, ours with it, and theirs when they changed it last',
    async run(bench) {
      const fields = { labels: { a: '1' } };
      await apply(bench, fields);
      await patch(bench, { metadata: { labels: { a: 'theirs' } } });
      return [
        await apply(bench, fields),
        await apply(bench, fields, { force: true }),
        await apply(bench, { labels: { a: '2' } }),
        await apply(bench, { labels: { a: '3' } }, { by: OTHER }),
      ];
    },
    expected: [
      '409 Conflict FieldManagerConflict',
      'uid1 v2 metadata.labels={"a":"1"}',
      'uid1 v3 metadata.labels={"a":"2"}',
      '409 Conflict FieldManagerConflict',
    ],
  },
  {
    title: 'a field that another manager has changed stays as it is when we do not send it any more',
    async run(bench) {
      await apply(bench, { labels: { a: '1', b: '1' } });
      await patch(bench, { metadata: { labels: { a: 'theirs' } } });
      return [await apply(bench, { labels: { b: '1' } })];
    },
    expected: ['uid1 v2 metadata.labels={"a":"theirs","b":"1"}'],
  },
  {
    title: 'a field that somebody removed comes back with the next apply',
    async run(bench) {
      await apply(bench, { labels: { a: '1', b: '1' } });
      await patch(bench, { metadata: { labels: { a: null } } });
      return [await apply(bench, { labels: { a: '1', b: '1' } })];
    },
    expected: ['uid1 v2 metadata.labels={"a":"1","b":"1"}'],
  },
  {
    title: 'a field that was created by a create stays when an apply does not send it, because its creator owns it',
    async run(bench) {
      const { client, namespace } = bench;
      await client.create(services, service(namespace, { labels: { a: '1', b: '1' } }));
      return [
        await apply(bench, { labels: { a: '1', b: '1' } }, { force: true }),
        await apply(bench, { labels: { a: '1' } }, { force: true }),
      ];
    },
    expected: ['uid1 v1 metadata.labels={"a":"1","b":"1"}', 'uid1 v2 metadata.labels={"a":"1","b":"1"}'],
  },
  {
    title: 'a selector is one field: a key that somebody added is a conflict, and goes with force',
    async run(bench) {
      const fields = { selector: { app: 'demo' } };
      await apply(bench, fields);
      await patch(bench, { spec: { selector: { theirs: 'x' } } });
      return [await apply(bench, fields), await apply(bench, fields, { force: true })];
    },
    expected: ['409 Conflict FieldManagerConflict', 'uid1 v2 spec.selector={"app":"demo"}'],
  },
  {
    title: 'ports are distinguished by number and protocol: one that somebody added stays even with force',
    async run(bench) {
      await apply(bench, {});
      await patch(bench, { spec: { ports: [PORT, { name: 'more', port: 9121, protocol: 'TCP' }] } });
      const names = async (): Promise<string> => {
        const live = await bench.client.get(services, { namespace: bench.namespace, name: 'demo' });
        return (live.spec?.ports ?? []).map((port) => port.name).join();
      };
      await apply(bench, {}, { force: true });
      const first = await names();
      await apply(bench, { ports: [{ name: 'only', port: 6380, protocol: 'TCP' }] }, { force: true });
      return [first, await names()];
    },
    expected: ['resp,more', 'more,only'],
  },
  {
    title: 'an apply with a uid creates nothing and changes no object with another uid',
    async run(bench) {
      const stranger = '11111111-1111-1111-1111-111111111111';
      const first = await apply(bench, {}, { uid: stranger });
      await apply(bench, {});
      return [first, await apply(bench, { labels: { a: '1' } }, { uid: stranger })];
    },
    expected: ['409 Conflict', '422 Invalid metadata.uid'],
  },
  {
    title: 'an apply with an older version is a conflict, even with force',
    async run(bench) {
      const { client, namespace, answer } = bench;
      const old = await client.apply(services, service(namespace), { fieldManager: MINE });
      await apply(bench, { labels: { a: '1' } });
      const { uid, resourceVersion } = old.metadata;
      const options = { fieldManager: MINE, force: true, uid, resourceVersion };
      return [await answer(client.apply(services, service(namespace, { labels: { a: '2' } }), options))];
    },
    expected: ['409 Conflict'],
  },
  {
    title: 'an apply with a version that no object has creates what is missing and changes no existing object',
    async run(bench) {
      const { client, namespace, answer } = bench;
      const options = { fieldManager: MINE, force: true, resourceVersion: '1' };
      const create = (labels: { readonly [name: string]: string }) =>
        answer(client.apply(services, service(namespace, { labels }), options), 'metadata.labels');
      return [
        await create({ a: '1', b: '1' }),
        await create({ a: '2' }),
        await apply(bench, { labels: { a: '1' } }, { force: true }),
      ];
    },
    expected: ['uid1 v1 metadata.labels={"a":"1","b":"1"}', '409 Conflict', 'uid1 v2 metadata.labels={"a":"1"}'],
  },
  {
    title: 'budgets and policies get a new generation when an apply changes their spec, not by the same apply again',
    async run({ client, namespace, answer }) {
      const metadata = { name: 'demo', namespace };
      const selector = { matchLabels: { app: 'demo' } };
      const budget = (maxUnavailable: number) =>
        client.apply(podDisruptionBudgets, { metadata, spec: { maxUnavailable, selector } }, { fieldManager: MINE });
      const policy = (port: number) =>
        client.apply(
          networkPolicies,
          {
            metadata,
            spec: {
              podSelector: selector,
              policyTypes: ['Ingress'],
              ingress: [{ from: [{ podSelector: selector }], ports: [{ port, protocol: 'TCP' }] }],
            },
          },
          { fieldManager: MINE },
        );
      return [
        await answer(policy(6379), 'spec.ingress'),
        await answer(policy(6379)),
        await answer(policy(6380), 'spec.ingress'),
        // Comes last, because the controller manager may write the status of budgets at any time.
        (await answer(budget(1), 'spec.maxUnavailable')).replace(/v\d+/, 'v'),
        (await answer(budget(1), 'spec.maxUnavailable')).replace(/v\d+/, 'v'),
        (await answer(budget(2), 'spec.maxUnavailable')).replace(/v\d+/, 'v'),
      ];
    },
    expected: [
      'uid1 v1 gen1 spec.ingress=[{"from":[{"podSelector":{"matchLabels":{"app":"demo"}}}],"ports":[{"port":6379,"protocol":"TCP"}]}]',
      'uid1 v1 gen1',
      'uid1 v2 gen2 spec.ingress=[{"from":[{"podSelector":{"matchLabels":{"app":"demo"}}}],"ports":[{"port":6380,"protocol":"TCP"}]}]',
      'uid2 v gen1 spec.maxUnavailable=1',
      'uid2 v gen1 spec.maxUnavailable=1',
      'uid2 v gen2 spec.maxUnavailable=2',
    ],
  },
];
