// What one probe of a host finds, and how often the API server is asked: only while a member does not answer, with
// times by the operator's own clock.

import { ApiError, type KubeClient, type Node, type PersistentVolume, TransportError } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createHostFindings, FORGET_MS, RECHECK_MS, STORM_MS } from '../src/hosts/host-findings.ts';
import { type HostQuestion, probeHost } from '../src/hosts/host-probe.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 1);
const DRAIN_TAINT = 'example.com/to-be-emptied';
const LOCAL = { key: 'kubernetes.io/hostname', operator: 'In', values: ['host-2'] };

type Host = Pick<Node, 'status' | 'spec'>;

function refusal(status: number): ApiError {
  return new ApiError({ verb: 'get', subject: 'nodes host', path: '/api/v1/nodes/host', status, reason: '' });
}

const lost = new TransportError('get nodes host-0: no answer', { verb: 'get', path: '/x', phase: 'timeout' });

function ready(status: 'True' | 'False' | 'Unknown', secondsAgo = 0, taints: readonly string[] = []): Host {
  const lastTransitionTime = new Date(NOW_MS - secondsAgo * 1000).toISOString();
  return {
    status: { conditions: [{ type: 'Ready', status, lastTransitionTime }] },
    spec: { taints: taints.map((key) => ({ key, effect: 'NoExecute' as const })) },
  };
}

/** As a list shows it. */
function named(name: string, host: Host): Host {
  return { metadata: { name }, ...host } as Host;
}

function volumeOn(...terms: readonly object[]): Pick<PersistentVolume, 'spec'> {
  const nodeSelectorTerms = terms.map((one) => ({ matchExpressions: [one] }));
  return { spec: { nodeAffinity: { required: { nodeSelectorTerms } } } } as Pick<PersistentVolume, 'spec'>;
}

interface World {
  hosts: Record<string, Host | Error>;
  volumes: Record<string, Pick<PersistentVolume, 'spec'> | Error>;
  /** Names of the hosts that a selector finds. */
  found: readonly string[];
}

function clientOf(world: World, asked: string[]): KubeClient {
  const client: Partial<Record<keyof KubeClient, unknown>> = {
    async get({ plural }: { readonly plural: string }, { name }: { readonly name: string }) {
      asked.push(`${plural} ${name}`);
      const object = (plural === 'nodes' ? world.hosts : world.volumes)[name] ?? refusal(404);
      if (object instanceof Error) throw object;
      return object;
    },
    async list(_kind: unknown, options: { readonly labelSelector?: string; readonly fieldSelector?: string }) {
      asked.push(`list ${options.labelSelector ?? ''}${options.fieldSelector ?? ''}`);
      return { items: world.found.flatMap((name) => world.hosts[name] ?? []) };
    },
  };
  return client as KubeClient;
}

const question = (change: Partial<HostQuestion> = {}): HostQuestion => ({
  nodeUid: 'node-2',
  podState: 'pod-2',
  hostName: 'host-2',
  volumeName: 'pv-2',
  isDrained: false,
  ...change,
});

describe('one probe of a host', () => {
  const probe = async (world: Partial<World>, change: Partial<HostQuestion> = {}) => {
    const asked: string[] = [];
    const call = { signal: new AbortController().signal, timeoutMs: 1_000, taints: new Set([DRAIN_TAINT]) };
    const client = clientOf({ hosts: {}, volumes: {}, found: [], ...world }, asked);
    const { state, volume, awayMs, host, unknown, isDrained } = await probeHost(client, question(change), NOW_MS, call);
    return { state, volume, awayMs, host, unknown, isDrained, asked };
  };
  const away = { 'host-2': ready('Unknown', 90) };

  it('reads no volume while the host is ready', async () => {
    expect(await probe({ hosts: { 'host-2': ready('True') } })).to.deep.include({
      state: 'ready',
      asked: ['nodes host-2'],
    });
  });

  it('does not count a host as away that reports no condition', async () => {
    expect((await probe({ hosts: { 'host-2': {} } })).state).to.equal('ready');
  });

  it('finds a volume bound when its only host is away, according to the label that the volume names', async () => {
    const found = await probe({ hosts: away, volumes: { 'pv-2': volumeOn(LOCAL) }, found: ['host-2'] });
    expect(found).to.deep.include({ state: 'notReady', volume: 'bound', awayMs: 90_000, host: 'host-2' });
    expect(found.asked).to.deep.equal(['nodes host-2', 'persistentvolumes pv-2', 'list kubernetes.io/hostname=host-2']);
  });

  it('finds a volume bound when its host is gone', async () => {
    expect(await probe({ volumes: { 'pv-2': volumeOn(LOCAL) } })).to.deep.include({ state: 'gone', volume: 'bound' });
  });

  it('finds a volume movable when it names no place, or another host that is ready', async () => {
    const other = { 'host-2': ready('False'), 'host-3': ready('True') };
    const either = volumeOn({ key: 'rack', operator: 'In', values: ['a', 'b'] });
    expect((await probe({ hosts: away, volumes: { 'pv-2': { spec: {} } } })).volume).to.equal('movable');
    const found = await probe({ hosts: other, volumes: { 'pv-2': either }, found: ['host-2', 'host-3'] });
    expect(found).to.deep.include({ volume: 'movable', state: 'notReady' });
    expect(found.asked.at(-1)).to.equal('list rack in (a,b)');
  });

  it('does not list the hosts of a zone to find that there are others', async () => {
    const zonal = volumeOn({ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a'] });
    const found = await probe({ hosts: away, volumes: { 'pv-2': zonal } });
    expect(found.volume).to.equal('movable');
    expect(found.asked).to.have.lengthOf(2);
  });

  for (const [what, spec, isDrained] of [
    ['is cordoned', { unschedulable: true }, true],
    ['has a taint that means the same', { taints: [{ key: DRAIN_TAINT, effect: 'NoSchedule' }] }, true],
    ['has that taint as a wish', { taints: [{ key: DRAIN_TAINT, effect: 'PreferNoSchedule' }] }, false],
    ['has another taint', { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] }, false],
  ] as const)
    it(`finds a host ${isDrained ? '' : 'not '}drained that ${what}`, async () => {
      const hosts = { 'host-2': { spec: { ...spec, taints: [...('taints' in spec ? spec.taints : [])] } } };
      expect((await probe({ hosts })).isDrained).to.equal(isDrained);
    });

  it('finds a volume of a drained host movable only when another host is ready and not drained itself', async () => {
    const either = { 'pv-2': volumeOn({ key: 'rack', operator: 'In', values: ['a'] }) };
    const found = ['host-2', 'host-3'];
    const beside = async (other: Host) => {
      const hosts = { 'host-2': named('host-2', ready('True')), 'host-3': named('host-3', other) };
      return (await probe({ hosts, volumes: either, found }, { isDrained: true })).volume;
    };
    expect(await beside(ready('True'))).to.equal('movable');
    expect(await beside(ready('False'))).to.equal('bound');
    expect(await beside({ ...ready('True'), spec: { unschedulable: true } })).to.equal('bound');
    expect(await beside(ready('True', 0, [DRAIN_TAINT]))).to.equal('bound');
    expect(await beside(ready('True', 0, ['ToBeDeletedByClusterAutoscaler']))).to.equal('bound');
  });

  it('finds a host out of service only when it is not ready either', async () => {
    const taint = ['node.kubernetes.io/out-of-service'];
    const volumes = { 'pv-2': volumeOn(LOCAL) };
    expect((await probe({ hosts: { 'host-2': ready('Unknown', 1, taint) }, volumes })).state).to.equal('outOfService');
    expect((await probe({ hosts: { 'host-2': ready('True', 1, taint) }, volumes })).state).to.equal('ready');
  });

  it('is about the hosts of the volume for a Pod that no host takes', async () => {
    const unplaced = { hostName: undefined };
    const volumes = { 'pv-2': volumeOn(LOCAL) };
    expect(await probe({ volumes }, unplaced)).to.deep.include({ state: 'gone', volume: 'bound', host: 'host-2' });
    const there = await probe({ hosts: { 'host-2': ready('True') }, volumes, found: ['host-2'] }, unplaced);
    expect(there).to.deep.include({ state: 'ready', volume: 'movable' });
  });

  for (const [what, world, change, unknown] of [
    ['may not read Nodes', { hosts: { 'host-2': refusal(403) } }, {}, /may not read/],
    ['may not read volumes', { hosts: away, volumes: { 'pv-2': refusal(403) } }, {}, /may not read/],
    ['gets no answer', { hosts: { 'host-2': lost } }, {}, /no answer/],
    ['finds no volume of that name', { hosts: away }, {}, /is not there/],
    ['has a claim without a volume', { hosts: away }, { volumeName: undefined }, /names no volume/],
    [
      'meets a term that cannot be selected by',
      { hosts: away, volumes: { 'pv-2': volumeOn({ key: 'size', operator: 'Gt', values: ['1'] }) } },
      {},
      /a node affinity that the operator cannot evaluate/,
    ],
  ] as const)
    it(`finds nothing about the places of the volume when it ${what}`, async () => {
      const found = await probe(world, change);
      expect(found.volume).to.equal('unknown');
      expect(found.unknown).to.match(unknown);
    });
});

describe('the kept result of host probes', () => {
  function rig(hosts: World['hosts'] = { 'host-2': ready('Unknown', 3_600) }) {
    const clock = createManualClock();
    const stop = new AbortController();
    const world: World = { hosts, volumes: { 'pv-2': volumeOn(LOCAL) }, found: ['host-2'] };
    const asked: string[] = [];
    const told: string[] = [];
    const subject = createHostFindings({
      client: clientOf(world, asked),
      clock,
      onAnswer: (key) => void told.push(key),
    });
    const done = subject.run(stop.signal);
    const ask = (change: Partial<HostQuestion> = {}, key = 'default/demo') => {
      const one = question(change);
      return subject.ask(key, [one]).get(one.nodeUid);
    };
    const reads = () => asked.filter((line) => line.startsWith('nodes ')).length;
    const end = async (): Promise<void> => {
      stop.abort();
      await done;
    };
    return { clock, world, told, ask, reads, subject, end };
  }

  it('counts time by the operator’s own clock from the first probe, however long the Node has reported its state', async () => {
    const { clock, ask, told, end } = rig();
    expect(ask()?.state).to.equal('notAsked');
    await clock.run(0);
    expect([ask()?.awayForMs, told]).to.deep.equal([0, ['default/demo']]);
    await clock.run(RECHECK_MS);
    expect(ask()?.awayForMs).to.equal(RECHECK_MS);
    await end();
  });

  it('counts no more time than the Node reports', async () => {
    const { clock, world, ask, end } = rig();
    ask();
    await clock.run(RECHECK_MS);
    world.hosts['host-2'] = {
      status: {
        conditions: [
          { type: 'Ready', status: 'False', lastTransitionTime: new Date(clock.nowMs() - 1_000).toISOString() },
        ],
      },
    };
    ask();
    await clock.run(0);
    expect(ask()?.awayForMs).to.be.within(1_000, 2_000);
    await end();
  });

  it('counts anew when the host was ready in between', async () => {
    const { clock, world, ask, end } = rig();
    const away = world.hosts['host-2'] ?? {};
    ask();
    await clock.run(RECHECK_MS);
    world.hosts['host-2'] = ready('True');
    ask();
    await clock.run(RECHECK_MS);
    world.hosts['host-2'] = away;
    ask();
    await clock.run(0);
    expect(ask()?.awayForMs).to.equal(0);
    await end();
  });

  it('is refreshed every half a minute while the host is away, and ever less often while it is not', async () => {
    const away = rig();
    const there = rig({ 'host-2': ready('True') });
    for (let second = 0; second < 600; second += 1)
      for (const one of [away, there]) {
        one.ask();
        await one.clock.run(1_000);
      }
    expect([away.reads(), there.reads()]).to.deep.equal([20, 5]);
    await away.end();
    await there.end();
  });

  it('is refreshed at once for another Pod', async () => {
    const { clock, ask, reads, end } = rig({ 'host-2': ready('True') });
    ask();
    await clock.run(0);
    ask({ podState: 'another' });
    await clock.run(0);
    expect(reads()).to.equal(2);
    await end();
  });

  it('is of the host that the Pod is on now, when it became another one while the first was asked about', async () => {
    const { clock, world, told, ask, end } = rig();
    world.hosts['host-3'] = ready('True');
    const moved = { podState: 'another', hostName: 'host-3' };
    ask();
    ask(moved);
    await clock.run(0);
    expect([ask(moved)?.state, told.length], 'somebody asks again').to.deep.equal(['notAsked', 1]);
    await clock.run(0);
    expect(ask(moved)).to.include({ host: 'host-3', state: 'ready' });
    await end();
  });

  it('counts anew for another host that is away as well', async () => {
    const { clock, ask, end } = rig();
    ask();
    await clock.run(RECHECK_MS);
    const pending = { podState: 'none', hostName: undefined };
    ask(pending);
    await clock.run(0);
    expect(ask(pending)?.awayForMs, 'of the same volume').to.equal(RECHECK_MS);
    const moved = { podState: 'another', hostName: 'host-3' };
    ask(moved);
    await clock.run(0);
    expect(ask(moved)).to.include({ host: 'host-3', state: 'gone', awayForMs: 0 });
    await end();
  });

  it('stays for a minute without an answer, and is unknown after that', async () => {
    const { clock, world, ask, end } = rig();
    ask();
    await clock.run(RECHECK_MS);
    world.hosts['host-2'] = lost;
    ask();
    await clock.run(10_000);
    expect(ask()?.state).to.equal('notReady');
    await clock.run(60_000);
    ask();
    await clock.run(0);
    expect(ask()).to.deep.include({ state: 'unknown', awayForMs: 0 });
    await end();
  });

  it('is refreshed once in ten minutes where that is forbidden', async () => {
    const { clock, ask, reads, end } = rig({ 'host-2': refusal(403) });
    for (let second = 0; second < 599; second += 1) {
      ask();
      await clock.run(1_000);
    }
    expect(reads()).to.equal(1);
    await clock.run(1_000);
    ask();
    await clock.run(0);
    expect(reads()).to.equal(2);
    await end();
  });

  it('is forgotten a minute after the last use, and not between two Pods', async () => {
    const { clock, ask, subject, end } = rig();
    ask();
    await clock.run(FORGET_MS);
    subject.ask('default/demo', []);
    expect(subject.known('node-2')?.state).to.equal('notReady');
    await clock.run(1);
    subject.ask('default/demo', []);
    expect(subject.known('node-2')).to.equal(undefined);
    await end();
  });

  it('names hosts of other clusters that failed at about the same time, and no others', async () => {
    const { clock, world, ask, end } = rig();
    const beside = (state: string) =>
      ask({ nodeUid: 'node-x', hostName: 'host-x', podState: state }, 'default/other')?.otherHosts;
    world.hosts['host-x'] = ready('True');
    ask();
    beside('a');
    await clock.run(0);
    expect(ask()?.otherHosts).to.equal(0);
    world.hosts['host-x'] = ready('Unknown', 3_600);
    beside('b');
    await clock.run(0);
    expect(ask()?.otherHosts).to.equal(1);
    world.hosts['host-x'] = ready('True');
    beside('c');
    await clock.run(STORM_MS);
    world.hosts['host-x'] = ready('Unknown', 3_600);
    beside('d');
    await clock.run(0);
    expect(ask()?.otherHosts).to.equal(0);
    await end();
  });
});
