// Members that share a process behave, to clients and to each other, like members in processes of their own.

import fs from 'node:fs';
import net from 'node:net';
import { createStoreClient, StoreAuthError } from '@marekvs/store-client';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createFolder, endAll, Host, ip, MemberProcess, memberEnv, until } from './process-support.ts';

/** A limit for a test that hangs, so large that the speed of the machine does not matter. */
const client = createStoreClient({ timeoutMs: 30_000 });
/** The limit for an answer of a member that never answers. */
const hasty = createStoreClient({ timeoutMs: 1_000 });
const [FIRST, SECOND, THIRD] = [41, 42, 43];
const address = (id: number) => ({ host: ip(id) });
const cluster = {
  MAREKVS_CLUSTER: 'hosted',
  MAREKVS_SEEDS: [FIRST, SECOND, THIRD].map((id) => `${ip(id)}:7946`).join(),
};

/** The result of dialling; an open connection is closed again. */
function dial(id: number, port: number): Promise<string> {
  return dialTo(ip(id), port);
}

function dialTo(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, host);
    socket.on('connect', () => resolve('open'));
    socket.on('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    socket.on('connect', () => socket.destroy());
  });
}

describe('two members in one process and a third in its own, at speed 10', function () {
  this.timeout(30_000);
  const folder = createFolder();
  const host = new Host(folder);
  let first = '';
  let second = '';
  const agreed = (size: number) =>
    until(
      () => Promise.all([FIRST, THIRD].map((id) => client.clusterInfo(address(id)))),
      (infos) => infos.every((info) => info.size === size && info.knownNodes === size),
    );
  const generationOf = async (id: number) =>
    (await client.nodes(address(THIRD))).find((line) => line.id === id)?.generation;

  before(async () => {
    first = await host.start(FIRST, cluster);
    second = await host.start(SECOND, cluster);
    const third = new MemberProcess(memberEnv(THIRD, folder, cluster));
    await Promise.all([host.serving([first, second]), third.said('serving')]);
    await agreed(3);
  });
  after(async () => {
    await endAll();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it('replicate a write to each other and over the wire', async () => {
    await using session = await client.session(address(FIRST));
    await session.commands(Array.from({ length: 20 }, (_, key) => ['SET', `key-${key}`, 'value']));
    for (const id of [SECOND, THIRD]) {
      await until(
        () => client.metrics(address(id)),
        (metrics) => metrics.meshPeers === 2,
      );
      await using other = await client.session(address(id));
      await until(
        () => other.commands(Array.from({ length: 20 }, (_, key) => ['EXISTS', `key-${key}`])),
        (answers) => answers.every((answer) => answer === 1),
      );
    }
  });

  it('do not answer while they are frozen, are dropped from lists, and come back with the same generation', async () => {
    const before = await generationOf(SECOND);
    host.signal(second, 'SIGSTOP');
    const unanswered = hasty.clusterInfo(address(SECOND)).then(
      () => 'answered',
      () => 'silent',
    );
    await until(
      () => client.clusterInfo(address(FIRST)),
      (info) => info.knownNodes === 2,
    );
    expect([await unanswered, await dial(SECOND, 9121)]).to.deep.equal(['silent', 'open']);
    host.signal(second, 'SIGCONT');
    await agreed(3);
    expect(await generationOf(SECOND)).to.equal(before);
  });

  it('close their ports and keep acknowledged writes when they are killed', async () => {
    await using session = await client.session(address(SECOND));
    await session.commands([['SET', 'last', 'value']]);
    const before = await generationOf(SECOND);
    expect(await host.end(second, 'SIGKILL')).to.include({ signal: 'SIGKILL' });
    const ports = [6379, 7373, 9121];
    expect(await Promise.all(ports.map((port) => dial(SECOND, port)))).to.deep.equal(ports.map(() => 'ECONNREFUSED'));
    await agreed(2);
    second = await host.start(SECOND, cluster);
    await host.serving([second]);
    await agreed(3);
    expect(await generationOf(SECOND)).to.be.greaterThan(before ?? 0);
    await using again = await client.session(address(SECOND));
    expect(await again.commands([['EXISTS', 'last']])).to.deep.equal([1]);
  });

  it('let nobody in with a closed door, while the others list them where they advertise', async () => {
    expect(await host.end(second, 'SIGTERM')).to.include({ code: 0 });
    await agreed(2);
    second = await host.start(SECOND, { ...cluster, MAREKVS_RESP_ADDR: `${ip(44)}:6379`, MAREKVS_REQUIREPASS: 'x' });
    await host.serving([second]);
    await agreed(3);
    expect(await Promise.all([dial(SECOND, 6379), dial(SECOND, 7373)])).to.deep.equal(['ECONNREFUSED', 'open']);
    const line = (await client.nodes(address(THIRD))).find(({ id }) => id === SECOND);
    expect(line).to.include({ ip: ip(SECOND), respPort: 6379 });
    const inside = await client.nodes({ host: ip(44) }).catch((error: unknown) => error);
    expect(inside).to.be.instanceOf(StoreAuthError);
    expect(await client.nodes({ host: ip(44), password: 'x' })).to.have.length(3);
    expect(await host.end(second, 'SIGTERM')).to.include({ code: 0 });
    second = await host.start(SECOND, cluster);
    await host.serving([second]);
    await agreed(3);
  });

  it('refuse a folder that another member of the process uses', async () => {
    const twin = host.start(SECOND, { ...cluster, MAREKVS_RESP_ADDR: `${ip(44)}:6379` });
    const name = await twin;
    await until(
      () => Promise.resolve(host.log(name)),
      (log) => /^lock .*: held by process \d+$/m.test(log),
    );
  });

  it('end with 0 and a last line on SIGTERM, and with 1 on a bad setting', async () => {
    expect(await host.end(first, 'SIGTERM')).to.include({ code: 0 });
    expect(host.log(first).trim().split('\n').at(-1)).to.match(/^drain complete; exiting backlog=\d+$/);
    const bad = `${FIRST}-7`;
    const ended = host.ended(bad);
    expect(await host.start(FIRST, { ...cluster, MAREKVS_GC_GRACE_SECS: 'x' })).to.equal(bad);
    expect(await ended).to.include({ code: 1 });
    expect(host.log(bad)).to.match(/^read MAREKVS_GC_GRACE_SECS: /);
  });
});
