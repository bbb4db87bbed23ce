// Resizes of running Pods in place: what the API server accepts, and what it stores then.

import type { Bench, Case } from './bench.ts';
import { HOST, PODS, pod } from './objects.ts';

const SIZED = { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '1Gi' } };
const RESOURCES = 'spec.containers.0.resources';

const resize = (bench: Bench, on: { name: string; uid: string; resourceVersion: string }, resources: typeof SIZED) =>
  bench.client.resizePod({ namespace: bench.namespace, name: on.name }, [{ name: 'server', resources }], on);

export const RESIZE_CASES: readonly Case[] = [
  {
    title: 'the discovery of the API server has the resize of Pods',
    async run({ client }) {
      const offered = await client.offered({ group: '', version: 'v1' });
      return ['pods', 'pods/status', 'pods/resize', 'secrets/resize'].filter((name) => offered.includes(name));
    },
    expected: ['pods', 'pods/status', 'pods/resize'],
  },
  {
    title: 'a resize changes only the resources of the container, and counts as a change of the spec',
    async run(bench) {
      const { client, namespace, answer } = bench;
      const made = await client.create(PODS, pod(namespace, 'one', { host: HOST, resources: SIZED }));
      const larger = { requests: { cpu: '1', memory: '2Gi' }, limits: { memory: '2Gi' } };
      return [
        await answer(resize(bench, made.metadata, larger), RESOURCES, 'spec.containers.0.image'),
        await answer(client.get(PODS, made.metadata), RESOURCES),
      ];
    },
    expected: [
      'uid1 v1 gen2 spec.containers.0.resources={"limits":{"memory":"2Gi"},"requests":{"cpu":"1","memory":"2Gi"}} spec.containers.0.image=marekvs:1',
      'uid1 v1 gen2 spec.containers.0.resources={"limits":{"memory":"2Gi"},"requests":{"cpu":"1","memory":"2Gi"}}',
    ],
  },
  {
    title: 'a resize to the present resources changes nothing',
    async run(bench) {
      const { client, namespace, answer } = bench;
      const made = await client.create(PODS, pod(namespace, 'one', { host: HOST, resources: SIZED }));
      return [await answer(client.get(PODS, made.metadata)), await answer(resize(bench, made.metadata, SIZED))];
    },
    expected: ['uid1 v1 gen1', 'uid1 v1 gen1'],
  },
  {
    title: 'a resize to less memory is accepted, too',
    async run(bench) {
      const made = await bench.client.create(PODS, pod(bench.namespace, 'one', { host: HOST, resources: SIZED }));
      const smaller = { requests: { cpu: '500m', memory: '512Mi' }, limits: { memory: '512Mi' } };
      return [await bench.answer(resize(bench, made.metadata, smaller), 'spec.containers.0.resources.limits')];
    },
    expected: ['uid1 v1 gen2 spec.containers.0.resources.limits={"memory":"512Mi"}'],
  },
  {
    title: 'a resize with an older version of the Pod is a conflict',
    async run(bench) {
      const { client, namespace, answer } = bench;
      const made = await client.create(PODS, pod(namespace, 'one', { host: HOST, resources: SIZED }));
      await client.patch(PODS, made.metadata, { metadata: { labels: { seen: 'later' } } }, made.metadata);
      const larger = { requests: { cpu: '1', memory: '2Gi' }, limits: { memory: '2Gi' } };
      return [await answer(resize(bench, made.metadata, larger)), await answer(client.get(PODS, made.metadata))];
    },
    expected: ['409 Conflict', 'uid1 v1 gen1'],
  },
  {
    title: 'a resize to another class of service is refused',
    async run(bench) {
      const made = await bench.client.create(PODS, pod(bench.namespace, 'one', { host: HOST, resources: SIZED }));
      const fixed = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } };
      return [await bench.answer(resize(bench, made.metadata, fixed))];
    },
    expected: ['422 Invalid spec'],
  },
  {
    title: 'a resize to more than the whole host has is refused, without regard to other Pods',
    async run(bench) {
      const { client, namespace, answer } = bench;
      const made = await client.create(PODS, pod(namespace, 'one', { host: HOST, resources: SIZED }));
      const other = await client.create(PODS, pod(namespace, 'other', { host: HOST, resources: SIZED }));
      const whole = { requests: { cpu: '4', memory: '8Gi' }, limits: { memory: '8Gi' } };
      const more = { requests: { cpu: '5', memory: '1Gi' }, limits: { memory: '1Gi' } };
      const larger = { requests: { cpu: '1', memory: '9Gi' }, limits: { memory: '9Gi' } };
      return [
        await answer(resize(bench, made.metadata, more)),
        await answer(resize(bench, made.metadata, larger)),
        await answer(resize(bench, made.metadata, whole)),
        await answer(resize(bench, other.metadata, whole)),
      ];
    },
    expected: ['403 Forbidden NodeCapacity', '403 Forbidden NodeCapacity', 'uid1 v1 gen2', 'uid2 v2 gen2'],
  },
  {
    title: 'a Pod that is gone cannot be resized',
    async run(bench) {
      const made = await bench.client.create(PODS, pod(bench.namespace, 'one', { host: HOST, resources: SIZED }));
      await bench.client.delete(PODS, made.metadata, { uid: made.metadata.uid }, { gracePeriodSeconds: 0 });
      return [await bench.answer(resize(bench, made.metadata, SIZED))];
    },
    expected: ['404 NotFound'],
  },
];
