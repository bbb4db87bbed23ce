// Pods and their claims: graceful deletion with a kubelet played by the case, and claims that are in use.

import type { Pod, Stored } from '@marekvs/runtime';
import type { Bench, Case } from './bench.ts';
import { CLAIMS, claim, HOST, PODS, pod } from './objects.ts';

const HOLD = 'marekvs.io/hold';

const remove = ({ client, answer }: Bench, { metadata }: Stored<Pod>, gracePeriodSeconds?: number): Promise<string> =>
  answer(client.delete(PODS, metadata, { uid: metadata.uid }, { gracePeriodSeconds }));

export const POD_CASES: readonly Case[] = [
  {
    title: 'a Pod on a host stays, marked with its own grace period, until its kubelet deletes it without one',
    async run(bench) {
      const { client, namespace, answer, line, followOne } = bench;
      const made = await client.create(PODS, pod(namespace, 'one', { host: HOST, grace: 90 }));
      const stream = await followOne(PODS, made);
      const lines = [
        await remove(bench, made),
        await remove(bench, made),
        await answer(client.get(PODS, made.metadata)),
      ];
      await remove(bench, made, 0);
      lines.push(await answer(client.get(PODS, made.metadata)));
      for (const { type, object } of await stream.upTo('DELETED')) lines.push(`${type} ${line(object)}`);
      return lines;
    },
    expected: [
      'uid1 v1 gen2 marked(90)',
      'uid1 v1 gen2 marked(90)',
      'uid1 v1 gen2 marked(90)',
      '404 NotFound',
      'MODIFIED uid1 v1 gen2 marked(90)',
      'MODIFIED uid1 v3 gen2 marked(0)',
      'DELETED uid1 v2 gen2 marked(0)',
    ],
  },
  {
    title: 'the grace period of a deletion can be shortened by another delete, but not lengthened',
    async run(bench) {
      const made = await bench.client.create(PODS, pod(bench.namespace, 'one', { host: HOST }));
      return [await remove(bench, made), await remove(bench, made, 10), await remove(bench, made, 20)];
    },
    expected: ['uid1 v1 gen2 marked(30)', 'uid1 v2 gen2 marked(10)', 'uid1 v2 gen2 marked(10)'],
  },
  {
    title: 'the deletion time of a Pod is the end of its grace period',
    async run({ client, namespace }) {
      const made = await client.create(PODS, pod(namespace, 'one', { host: HOST, grace: 3_600 }));
      await client.delete(PODS, made.metadata, { uid: made.metadata.uid });
      const { deletionTimestamp = '', creationTimestamp = '' } = (await client.get(PODS, made.metadata)).metadata;
      const seconds = (Date.parse(deletionTimestamp) - Date.parse(creationTimestamp)) / 1_000;
      return [seconds >= 3_600 && seconds < 3_660 ? 'an hour' : `${seconds} s`];
    },
    expected: ['an hour'],
  },
  {
    title: 'a Pod without a host goes at once, and so does one whose containers have ended',
    async run(bench) {
      const { client, namespace, answer, line, followOne } = bench;
      const loose = await client.create(PODS, pod(namespace, 'loose'));
      const story = await followOne(PODS, loose);
      await remove(bench, loose);
      const ended = await client.create(PODS, pod(namespace, 'ended', { host: HOST }));
      await client.patchStatus(PODS, ended.metadata, { status: { phase: 'Failed' } }, ended.metadata);
      await remove(bench, ended);
      return [
        await answer(client.get(PODS, loose.metadata)),
        await answer(client.get(PODS, ended.metadata)),
        ...(await story.upTo('DELETED')).map(({ type, object }) => `${type} ${line(object)}`),
      ];
    },
    expected: ['404 NotFound', '404 NotFound', 'MODIFIED uid1 v3 gen2 marked(0)', 'DELETED uid1 v1 gen2 marked(0)'],
  },
  {
    title: 'a delete with another uid does not delete a Pod, not even without a grace period',
    async run({ client, namespace, answer }) {
      const made = await client.create(PODS, pod(namespace, 'one', { host: HOST }));
      const stranger = { uid: '11111111-1111-1111-1111-111111111111' };
      return [
        await answer(client.delete(PODS, made.metadata, stranger)),
        await answer(client.delete(PODS, made.metadata, stranger, { gracePeriodSeconds: 0 })),
        await answer(client.get(PODS, made.metadata)),
      ];
    },
    expected: ['409 Conflict', '409 Conflict', 'uid1 v1 gen1'],
  },
  {
    title: 'a Pod with a finalizer stays after its kubelet has deleted it, and goes with the finalizer',
    async run(bench) {
      const { client, namespace, answer } = bench;
      const made = await client.create(PODS, pod(namespace, 'one', { host: HOST, finalizers: [HOLD] }));
      const lines = [await remove(bench, made), await remove(bench, made, 0), await remove(bench, made, 0)];
      const marked = await client.get(PODS, made.metadata);
      lines.push(await answer(client.patch(PODS, made.metadata, { metadata: { finalizers: null } }, marked.metadata)));
      return [...lines, await answer(client.get(PODS, made.metadata))];
    },
    expected: [
      'uid1 v1 gen2 marked(30) held[marekvs.io/hold]',
      'uid1 v2 gen2 marked(0) held[marekvs.io/hold]',
      'uid1 v2 gen2 marked(0) held[marekvs.io/hold]',
      'uid1 v2 gen2 marked(0)',
      '404 NotFound',
    ],
  },
  {
    title: 'a Pod that is still stopping does not go with its finalizer',
    async run(bench) {
      const { client, namespace, answer } = bench;
      const made = await client.create(PODS, pod(namespace, 'one', { host: HOST, finalizers: [HOLD] }));
      await remove(bench, made);
      const marked = await client.get(PODS, made.metadata);
      return [await answer(client.patch(PODS, made.metadata, { metadata: { finalizers: null } }, marked.metadata))];
    },
    expected: ['uid1 v2 gen2 marked(30)'],
  },
  {
    title: 'a claim that no Pod mounts is marked and then gone',
    async run({ client, namespace, answer, followOne }) {
      const made = await client.create(CLAIMS, claim(namespace, 'data'));
      const stream = await followOne(CLAIMS, made);
      await client.delete(CLAIMS, made.metadata, { uid: made.metadata.uid });
      const events = await stream.upTo('DELETED');
      const isMarkedFirst = events.some(({ type, object }) => type === 'MODIFIED' && object.metadata.deletionTimestamp);
      return [isMarkedFirst ? 'marked' : 'never marked', await answer(client.get(CLAIMS, made.metadata))];
    },
    expected: ['marked', '404 NotFound'],
  },
  {
    title: 'a claim of a running or stopping Pod is held until the Pod is gone, other claims are not',
    async run(bench) {
      const { client, namespace, followOne } = bench;
      const stories: string[] = [];
      const running = await client.create(PODS, pod(namespace, 'running', { host: HOST, claim: 'used' }));
      await client.create(PODS, pod(namespace, 'loose', { claim: 'waited-for' }));
      const used = await client.create(CLAIMS, claim(namespace, 'used'));
      const waited = await client.create(CLAIMS, claim(namespace, 'waited-for'));
      const [usedStory, waitedStory] = [await followOne(CLAIMS, used), await followOne(CLAIMS, waited)];
      for (const one of [used, waited]) await client.delete(CLAIMS, one.metadata, { uid: one.metadata.uid });
      // The claim that goes shows that the controller has seen the other one, too.
      await waitedStory.upTo('DELETED');
      const name = async () =>
        (await client.list(CLAIMS, { namespace })).items.map((item) => item.metadata.name).join() || 'none';
      stories.push(await name());
      await remove(bench, running);
      stories.push(await name());
      await remove(bench, running, 0);
      await usedStory.upTo('DELETED');
      return [...stories, await name()];
    },
    expected: ['used', 'used', 'none'],
  },
  {
    title: 'a claim of a Pod whose containers have ended is held as long as the Pod exists',
    async run(bench) {
      const { client, namespace, followOne } = bench;
      const ended = await client.create(PODS, pod(namespace, 'ended', { host: HOST, claim: 'used' }));
      await client.patchStatus(PODS, ended.metadata, { status: { phase: 'Failed' } }, ended.metadata);
      const [used, other] = [
        await client.create(CLAIMS, claim(namespace, 'used')),
        await client.create(CLAIMS, claim(namespace, 'other')),
      ];
      const story = await followOne(CLAIMS, other);
      for (const one of [used, other]) await client.delete(CLAIMS, one.metadata, { uid: one.metadata.uid });
      await story.upTo('DELETED');
      return (await client.list(CLAIMS, { namespace })).items.map((item) => item.metadata.name);
    },
    expected: ['used'],
  },
];
