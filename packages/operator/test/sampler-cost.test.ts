// What it costs to follow a large cluster while one of its members is removed: real sockets to 50 simulated members in
// a process of their own, and as many probes as half a minute has, without waiting for it. What is asked and read is
// judged; processor time is only printed.

import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createStoreClient } from '@marekvs/store-client';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { hollowLaunch } from '../../simulator/test/launch.ts';
import { createProbe } from '../src/members/probe.ts';
import { LARGE_OPERATION_INTERVAL_MS } from '../src/members/probing-pace.ts';
import { createSampler } from '../src/members/sampler.ts';

const MEMBERS = 50;
const KEY = 'default/demo';
const WARM_UP_ROUNDS = 6;
const ROUNDS = 15;
/** Of a probe: a GET and two commands; a page of figures and a list of 50 members. 126 and 60,500 were counted. */
const MOST_ASKED_BYTES = 140;
const MOST_ANSWERED_BYTES = 66_000;

/** Sockets of this process, as it opens them. */
function watchSockets(): { readonly sockets: Socket[]; end(): void } {
  const sockets: Socket[] = [];
  const take = (message: unknown): void => {
    const isNamed = typeof message === 'object' && message !== null && 'socket' in message;
    if (isNamed && message.socket instanceof Socket) sockets.push(message.socket);
  };
  subscribe('net.client.socket', take);
  return { sockets, end: () => unsubscribe('net.client.socket', take) };
}

/** An unused /24 of 127.0.0.0/8, derived from the pid and apart from those of the simulator's tests. */
const network = `127.${128 + (process.pid & 0x3f)}.${(process.pid >> 6) & 0xff}`;
const ip = (id: number) => `${network}.${id + 1}`;

async function startHollow(): Promise<ChildProcess> {
  const { args, env } = hollowLaunch(path.join(os.tmpdir(), 'simulator-compile-cache'));
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', SIMULATOR_HOLLOW_JOIN_MS: '0', ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const started = new Promise<void>((resolve, reject) => {
    let left = MEMBERS;
    child.on('message', (message: { readonly type: string; readonly error?: string }) => {
      if (message.type !== 'started') reject(new Error(`hollow member: ${message.error}`));
      left -= 1;
      if (left === 0) resolve();
    });
    child.once('exit', (code) => reject(new Error(`hollow members ended with ${code}`)));
  });
  for (let id = 0; id < MEMBERS; id += 1) {
    const host = ip(id);
    const env = {
      MAREKVS_NODE_ID: String(id),
      MAREKVS_ADVERTISE_IP: host,
      MAREKVS_CLUSTER: 'cost',
      MAREKVS_REPLICAS_N: '2',
      MAREKVS_RESP_ADDR: `${host}:6379`,
      MAREKVS_MESH_ADDR: `${host}:7373`,
      MAREKVS_GOSSIP_ADDR: `${host}:7946`,
      MAREKVS_METRICS_ADDR: `${host}:9121`,
    };
    child.send({ type: 'start', id: String(id), env });
  }
  await started;
  return child;
}

describe('following 50 members while an operation runs', function () {
  this.timeout(60_000);
  let child: ChildProcess;
  before(async () => {
    child = await startHollow();
  });
  after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('takes two connections each, and reads no list that has not changed', async function () {
    const clock = createManualClock();
    const stop = new AbortController();
    let answers = 0;
    let wanted = 0;
    let round = Promise.withResolvers<void>();
    const sampler = createSampler({
      probe: createProbe(createStoreClient()),
      onChange: () => {},
      onRate: () => {
        answers += 1;
        if (answers === wanted) round.resolve();
      },
      clock,
      random: () => 0.5,
    });
    const done = sampler.run(stop.signal);
    /** One probe of every member, begun by the clock, ended by the answers. */
    const probeAll = async (ms: number): Promise<void> => {
      wanted = answers + MEMBERS;
      round = Promise.withResolvers();
      clock.advance(ms);
      await round.promise;
      sampler.facts(KEY);
    };
    const targets = Array.from({ length: MEMBERS }, (_, id) => ({
      podUid: `pod-${id}`,
      restartCount: 0,
      name: `demo-${id}`,
      nodeId: id,
      ip: ip(id),
      isPodReady: true,
      isSealed: false,
    }));
    sampler.follow(KEY, targets, 'operation');
    for (let n = 0; n < WARM_UP_ROUNDS; n += 1) await probeAll(n === 0 ? 0 : LARGE_OPERATION_INTERVAL_MS);

    const watched = watchSockets();
    const lists = sampler.facts(KEY).map(({ last }) => last.shown?.view);
    const from = process.cpuUsage();
    for (let n = 0; n < ROUNDS; n += 1) await probeAll(LARGE_OPERATION_INTERVAL_MS);
    const { user, system } = process.cpuUsage(from);
    watched.end();

    const facts = sampler.facts(KEY);
    stop.abort();
    await done;
    // Every member served all the time and was asked everything, so nothing was saved by silence.
    expect(facts).to.have.lengthOf(MEMBERS);
    for (const { last, shownSinceMs } of facts) {
      expect(last.shown?.view).to.have.lengthOf(MEMBERS);
      expect(last.atMs - (shownSinceMs ?? last.atMs)).to.be.at.least((ROUNDS - 1) * LARGE_OPERATION_INTERVAL_MS);
    }
    const probes = ROUNDS * MEMBERS;
    const each = (bytes: 'bytesRead' | 'bytesWritten') =>
      watched.sockets.reduce((sum, socket) => sum + socket[bytes], 0) / probes;
    expect(watched.sockets).to.have.lengthOf(2 * probes);
    expect(each('bytesWritten')).to.be.within(1, MOST_ASKED_BYTES);
    expect(each('bytesRead')).to.be.within(1, MOST_ANSWERED_BYTES);
    const kept = facts.filter(({ last }, index) => last.shown?.view === lists[index]);
    expect(kept, 'lists that were not read again').to.have.lengthOf(MEMBERS);
    const share = (user + system) / 1_000 / (ROUNDS * LARGE_OPERATION_INTERVAL_MS);
    if (this.test) this.test.title += ` (${(share * 100).toFixed(1)} % of a core)`;
  });
});
