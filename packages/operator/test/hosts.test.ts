// What is known about the hosts during a removal, and how often the API server is asked about them.

import { ApiError, type KubeClient, type Node, TransportError } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createHosts, REMEMBERED_MS } from '../src/hosts/hosts.ts';
import { FAILED_MS, FORBIDDEN_MS } from '../src/pacing/paces.ts';

const KEY = 'default/demo';
const refusal = (status: number) =>
  new ApiError({ verb: 'get', subject: 'nodes host-0', path: '/api/v1/nodes/host-0', status, reason: '' });
const lost = new TransportError('get nodes host-0: no answer', {
  verb: 'get',
  path: '/api/v1/nodes/host-0',
  phase: 'timeout',
});

type Script = Partial<Node> | Error | Promise<Partial<Node>>;

function rig(hosts: Record<string, Script> = { 'host-0': {} }, isRunning = true) {
  const clock = createManualClock();
  const stop = new AbortController();
  const asked: string[] = [];
  const answers: string[] = [];
  const client: Partial<Record<keyof KubeClient, unknown>> = {
    async get(_kind: unknown, { name }: { readonly name: string }) {
      asked.push(name);
      const host = hosts[name] ?? refusal(404);
      if (host instanceof Error) throw host;
      return host;
    },
  };
  const subject = createHosts({
    client: client as KubeClient,
    clock,
    onAnswer: (key) => void answers.push(key),
  });
  const done = isRunning ? subject.run(stop.signal) : undefined;
  return {
    clock,
    hosts,
    asked,
    answers,
    ask: (name = 'host-0', key = KEY) => subject.ask(key, [name]).get(name),
    subject,
    async end() {
      stop.abort();
      await done;
    },
  };
}

describe('the known state of a host', () => {
  it('is unknown at first; the answer is given to the cluster and remembered', async () => {
    const { ask, clock, asked, answers, end } = rig();
    expect(ask()).to.equal('notAsked');
    await clock.run(0);
    expect([ask(), asked, answers]).to.deep.equal(['schedulable', ['host-0'], [KEY]]);
    await end();
  });

  const taint = (key: string, effect: 'NoSchedule' | 'NoExecute' | 'PreferNoSchedule') => ({
    spec: { taints: [{ key, effect }] },
  });
  const table: readonly [string, Script, string][] = [
    ['has no taint', { spec: { unschedulable: false, taints: [] } }, 'schedulable'],
    ['is cordoned', { spec: { unschedulable: true } }, 'draining'],
    ['is being deleted', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }, 'draining'],
    ['is taken out of service', taint('node.kubernetes.io/out-of-service', 'NoExecute'), 'draining'],
    ['is about to be removed by the autoscaler', taint('ToBeDeletedByClusterAutoscaler', 'NoSchedule'), 'draining'],
    ['is disrupted by Karpenter', taint('karpenter.sh/disrupted', 'NoSchedule'), 'draining'],
    ['only shall not get new Pods', taint('ToBeDeletedByClusterAutoscaler', 'PreferNoSchedule'), 'schedulable'],
    ['is unreachable', taint('node.kubernetes.io/unreachable', 'NoExecute'), 'schedulable'],
    ['is kept for somebody', taint('dedicated', 'NoSchedule'), 'schedulable'],
    ['does not exist', refusal(404), 'gone'],
    ['may not be read', refusal(403), 'unknown'],
    ['cannot be asked for', lost, 'unknown'],
  ];
  for (const [what, answer, state] of table) {
    it(`is "${state}" when it ${what}`, async () => {
      const { ask, clock, end } = rig({ 'host-0': answer });
      ask();
      await clock.run(0);
      expect(ask()).to.equal(state);
      await end();
    });
  }
});

describe('the requests for the state of a host', () => {
  for (const [what, answer, rememberedMs] of [
    ['answered', {}, REMEMBERED_MS],
    ['gone', refusal(404), REMEMBERED_MS],
    ['forbidden (F14)', refusal(403), FORBIDDEN_MS],
    ['failed', lost, FAILED_MS],
  ] as const) {
    it(`are made once in ${rememberedMs / 1000} s when ${what}`, async () => {
      const { ask, clock, asked, end } = rig({ 'host-0': answer });
      ask();
      await clock.run(0);
      const state = ask();
      await clock.run(rememberedMs - 1);
      expect([ask(), asked.length]).to.deep.equal([state, 1]);
      await clock.run(1);
      // The old answer stays while the new one is on its way.
      expect([ask(), asked.length]).to.deep.equal([state, 2]);
      await end();
    });
  }

  it('are repeated when the last answer is a minute old, which no longer counts', async () => {
    const { ask, clock, end } = rig();
    ask();
    await clock.run(0);
    await clock.run(2 * REMEMBERED_MS);
    expect(ask()).to.equal('notAsked');
    await end();
  });

  it('are made once, however many clusters ask in the meantime, and all of those are notified', async () => {
    const { ask, clock, asked, answers, end } = rig();
    for (let i = 0; i < 10; i += 1) ask('host-0', 'default/a');
    ask('host-0', 'default/b');
    await clock.run(0);
    expect([asked.length, answers]).to.deep.equal([1, ['default/a', 'default/b']]);
    await end();
  });

  it('tell of the same answer again when a cluster was told nothing while it was on its way', async () => {
    const { ask, clock, hosts, answers, end } = rig();
    ask();
    await clock.run(2 * REMEMBERED_MS - 1);
    const late = Promise.withResolvers<Partial<Node>>();
    hosts['host-0'] = late.promise;
    expect(ask()).to.equal('schedulable');
    await clock.run(1);
    expect(ask(), 'by now it is too old').to.equal('notAsked');
    late.resolve({});
    await clock.run(0);
    expect([answers.length, ask()]).to.deep.equal([2, 'schedulable']);
    await end();
  });

  it('notify no cluster when the answer is the same as before', async () => {
    const { ask, clock, hosts, answers, end } = rig();
    ask();
    await clock.run(REMEMBERED_MS);
    ask();
    await clock.run(0);
    expect(answers).to.have.lengthOf(1);
    hosts['host-0'] = { spec: { unschedulable: true } };
    await clock.run(REMEMBERED_MS);
    ask();
    await clock.run(0);
    expect([answers.length, ask()]).to.deep.equal([2, 'draining']);
    await end();
  });

  it('are at most four at once', async () => {
    const gate = Promise.withResolvers<Partial<Node>>();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const { subject, asked, clock, end } = rig(Object.fromEntries(names.map((name) => [name, gate.promise])));
    subject.ask(KEY, names);
    await clock.run(0);
    expect(asked).to.have.lengthOf(4);
    gate.resolve({});
    await clock.run(0);
    expect(asked).to.have.lengthOf(6);
    expect([...subject.ask(KEY, names).values()]).to.deep.equal(Array(6).fill('schedulable'));
    await end();
  });

  it('are not made before the start, nor after the stop', async () => {
    const idle = rig(undefined, false);
    idle.ask();
    await idle.clock.run(60_000);
    expect(idle.asked).to.deep.equal([]);
    const { ask, clock, asked, end } = rig();
    await end();
    ask();
    await clock.run(0);
    expect(asked).to.deep.equal([]);
  });
});
