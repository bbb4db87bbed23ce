// The process driver on real sockets, ten times faster than real time.

import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { createStoreClient, digestOfNodes } from '@marekvs/store-client';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createFolder, endAll, forkHollow, ip, MemberProcess, memberEnv, network, until } from './process-support.ts';

const client = createStoreClient({ timeoutMs: 30_000 });
const address = (id: number) => ({ host: ip(id) });

async function rawHttp(host: string, port: number, head: string, body = ''): Promise<string> {
  const socket = net.connect(port, host);
  socket.setEncoding('latin1');
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.write(`${head} HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  await once(socket, 'close');
  return text;
}

describe('three member processes at speed 10', function () {
  this.timeout(30_000);
  const folder = createFolder();
  const members = new Map<number, MemberProcess>();
  const start = (id: number, env: Record<string, string> = {}) => {
    const hosts = path.join(folder, 'hosts');
    const member = new MemberProcess(
      memberEnv(id, folder, { MAREKVS_SEEDS: 'demo-headless:7946', SIMULATOR_HOSTS_FILE: hosts, ...env }),
    );
    members.set(id, member);
    return member;
  };
  const agreed = () =>
    until(
      () => Promise.all([1, 2, 3].map((id) => client.clusterInfo(address(id)))),
      (infos) => infos.every((info) => info.size === 3 && info.knownNodes === 3),
    );

  before(async () => {
    fs.writeFileSync(path.join(folder, 'hosts'), `${[1, 2, 3].map(ip).join()} demo-headless\n`);
    const control = { SIMULATOR_CONTROL_ADDR: `${ip(1)}:9999` };
    await Promise.all([1, 2, 3].map((id) => start(id, id === 1 ? control : {}).said('serving')));
    await agreed();
  });
  after(async () => {
    await endAll();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it('find each other by the seed name and agree on members and slots', async () => {
    const views = await Promise.all([1, 2, 3].map((id) => client.nodes(address(id))));
    expect(new Set(views.map(digestOfNodes)).size).to.equal(1);
    expect(views[0]?.map((line) => line.ip)).to.deep.equal([1, 2, 3].map(ip));
  });

  it('answer /ready with the bytes of the real server', async () => {
    const answer =
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\nConnection: close\r\n\r\nready\n';
    expect(
      await until(
        () => rawHttp(ip(1), 9121, 'GET /ready'),
        (text) => text.includes('200'),
      ),
    ).to.equal(answer);
  });

  it('replicate a write, so that each of them answers with it', async () => {
    await using session = await client.session(address(1));
    await session.commands([['SET', 'key', 'value']]);
    for (const id of [2, 3]) {
      await using other = await client.session(address(id));
      const [value] = await until(
        () => other.commands([['GET', 'key']]),
        ([answer]) => answer !== null,
      );
      expect(Buffer.from(value instanceof Uint8Array ? value : []).toString()).to.equal('value');
    }
  });

  it('accept knobs on the control port and refuse unknown ones by name', async () => {
    expect(await rawHttp(ip(1), 9999, 'POST /knobs', '{"metrics":"error"}')).to.match(/^HTTP\/1.1 200/);
    expect(await rawHttp(ip(1), 9121, 'GET /metrics')).to.match(/^HTTP\/1.1 500/);
    expect(await rawHttp(ip(1), 9999, 'POST /knobs', '{"nosuch":1}')).to.include('set knob nosuch: is unknown');
    expect(await rawHttp(ip(1), 9999, 'POST /knobs', '{"metrics":null}')).to.match(/^HTTP\/1.1 200/);
    expect((await client.metrics(address(1))).nodeId).to.equal(1);
  });

  it('come back from a freeze with the same generation', async () => {
    const generationOf = async () => (await client.nodes(address(2))).find((line) => line.id === 1)?.generation;
    const before = await generationOf();
    // Longer than this process itself may stand still, because the time without the member has to be seen.
    await rawHttp(ip(1), 9999, 'POST /freeze?ms=8000');
    const seen = await until(
      () => client.clusterInfo(address(2)),
      (info) => info.knownNodes === 2,
    );
    expect(seen.size).to.equal(2);
    await agreed();
    expect(await generationOf()).to.equal(before);
  });

  it('refuse a data folder that another process uses', async () => {
    const second = new MemberProcess(memberEnv(3, folder));
    expect(await second.exited()).to.equal(1);
    expect(second.lines.join()).to.match(/^lock .*: held by process \d+$/);
  });

  it('exit 0 on SIGTERM and come back from their folder as returning members', async () => {
    const leaver = members.get(2);
    leaver?.child.kill('SIGTERM');
    expect(await leaver?.exited()).to.equal(0);
    expect(leaver?.lines.at(-1)).to.match(/^drain complete; exiting backlog=\d+$/);
    await start(2).said('serving');
    await agreed();
    expect((await client.metrics(address(2))).bootstrapsCompleted).to.equal(0);
    await using session = await client.session(address(2));
    expect(await session.commands([['EXISTS', 'key']])).to.deep.equal([1]);
  });

  it('name a bad setting and exit 1', async () => {
    const member = new MemberProcess(memberEnv(9, folder, { MAREKVS_GC_GRACE_SECS: 'x' }));
    expect(await member.exited()).to.equal(1);
    expect(member.lines[0]).to.match(/^read MAREKVS_GC_GRACE_SECS: /);
  });
});

describe('hollow members', function () {
  this.timeout(30_000);
  after(endAll);

  it('form, answer for each other, close their doors, drain, and leave when stopped', async () => {
    const child = forkHollow({ SIMULATOR_HOLLOW_JOIN_MS: '50', SIMULATOR_HOLLOW_OPS_PER_SECOND: '100000' });
    const order = async (message: Record<string, unknown>): Promise<unknown> => {
      child.send(message);
      return (await once(child, 'message'))[0];
    };
    const closedDoor = memberEnv(104, '/nowhere', { MAREKVS_RESP_ADDR: `${ip(105)}:6379` });
    for (const id of [101, 102, 103]) {
      const reply = await order({ type: 'start', id: `m${id}`, env: memberEnv(id, '/nowhere') });
      expect(reply).to.deep.equal({ type: 'started', id: `m${id}` });
    }
    for (const id of [101, 102, 103]) {
      await until(
        () => client.poll(address(id)),
        ({ view }) => view.kind === 'answered' && view.value.info.size === 3,
      );
    }
    const nodes = await client.nodes(address(102));
    expect(nodes.map((line) => [line.id, line.myself, line.primarySlots > 0])).to.deep.equal([
      [101, false, true],
      [102, true, true],
      [103, false, true],
    ]);
    expect((await client.metrics(address(101))).clusterMembers).to.equal(3);
    expect(await order({ type: 'start', id: 'm104', env: closedDoor })).to.include({ type: 'started' });
    const shown = await until(
      () => client.nodes(address(101)),
      (lines) => lines.length === 4 && lines.every(({ primarySlots }) => primarySlots > 0),
    );
    expect(shown.at(-1)).to.include({ id: 104, ip: ip(104), respPort: 6379 });
    expect(await client.nodes(address(104)).catch((error: unknown) => error)).to.include({ reason: 'refused' });
    expect(await client.nodes(address(105))).to.have.length(4);
    await order({ type: 'signal', id: 'm104', signal: 'SIGTERM' });
    await client.drain(address(103));
    expect(await client.clusterInfo(address(101))).to.include({ size: 2, knownNodes: 3 });
    expect(await order({ type: 'signal', id: 'm103', signal: 'SIGTERM' })).to.deep.equal({
      type: 'ended',
      id: 'm103',
      code: 0,
    });
    expect(await client.nodes(address(101))).to.have.length(2);
  });

  it('say which member could not start and why', async () => {
    const child = forkHollow({});
    child.send({ type: 'start', id: 'bad', env: { MAREKVS_NODE_ID: 'x' } });
    const [reply] = await once(child, 'message');
    expect(reply).to.include({ type: 'failed', id: 'bad' });
    expect(reply.error).to.match(/MAREKVS_NODE_ID/);
    const taken = net.createServer();
    taken.listen(9121, `${network}.200`);
    await once(taken, 'listening');
    child.send({ type: 'start', id: 'taken', env: memberEnv(200, '/nowhere') });
    const [second] = await once(child, 'message');
    expect(second.error).to.match(/EADDRINUSE/);
    taken.close();
  });
});
