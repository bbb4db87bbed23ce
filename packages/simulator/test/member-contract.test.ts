import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createContentClient, createStoreClient } from '@marekvs/store-client';
import { expect } from 'chai';
import { after, describe, it } from 'mocha';
import { createNetworkContentClient, createNetworkStoreClient, MemberNetwork } from '../src/index.ts';
import { memberContract } from './member-contract.ts';
import { getOver, type Subject } from './member-contract-subject.ts';
import { createFolder, endAll, Host, ip, MemberProcess, memberEnv } from './process-support.ts';
import { rawObserverOverNetwork, rawObserverOverTcp } from './raw-observer.ts';
import { ids } from './support.ts';

memberContract('in-memory', async () => {
  const net = new MemberNetwork({ seed: 1 });
  net.formed(ids(3));
  return {
    client: createNetworkStoreClient(net),
    contents: createNetworkContentClient(net),
    observe: (id) => rawObserverOverNetwork(net, `127.0.1.${id}`),
    address: (id) => ({ host: `127.0.1.${id}` }),
    async get(id, path) {
      const answer = net.http(id, path);
      return [answer?.status, answer?.body];
    },
    async pass(work) {
      let isSettled = false;
      const done = work().finally(() => {
        isSettled = true;
      });
      done.catch(() => undefined);
      while (!isSettled) {
        net.advance(20);
        await Promise.resolve();
      }
      return done;
    },
    stop: () => Promise.resolve(),
  };
});

/** Three member processes of one cluster with the ids 1 to 3, on addresses from `first` + 1 on. */
async function startThree(first: number, folder: string): Promise<readonly string[]> {
  const hosts = ids(3).map((id) => ip(first + id));
  const seeds = { MAREKVS_SEEDS: hosts.map((host) => `${host}:7946`).join() };
  const members = ids(3).map(
    (id) =>
      new MemberProcess(
        memberEnv(first + id, folder, { ...seeds, MAREKVS_CLUSTER: `contract-${first}`, MAREKVS_NODE_ID: String(id) }),
      ),
  );
  await Promise.all(members.map((member) => member.said('serving')));
  return hosts;
}

function overSockets(hosts: readonly string[], folder: string): Subject {
  return {
    client: createStoreClient({ timeoutMs: 30_000 }),
    contents: createContentClient({ timeoutMs: 30_000 }),
    observe: (id) => rawObserverOverTcp(hosts[id - 1] ?? ''),
    address: (id) => ({ host: hosts[id - 1] ?? '' }),
    get: (id, path) => getOver(hosts[id - 1] ?? '', path),
    pass: (work) => work(),
    async stop() {
      await endAll();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

memberContract('process', async () => {
  const folder = createFolder();
  return overSockets(await startThree(10, folder), folder);
});

memberContract('hosted', async () => {
  const folder = createFolder();
  const host = new Host(folder);
  const hosts = ids(3).map((id) => ip(30 + id));
  const seeds = { MAREKVS_SEEDS: hosts.map((one) => `${one}:7946`).join(), MAREKVS_CLUSTER: 'contract-hosted' };
  const names = await Promise.all(ids(3).map((id) => host.start(30 + id, { ...seeds, MAREKVS_NODE_ID: String(id) })));
  await host.serving(names);
  return overSockets(hosts, folder);
});

describe('npm run member-contract', function () {
  this.timeout(30_000);
  const folder = createFolder();
  after(async () => {
    await endAll();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it('runs the same tests on members that were started elsewhere', async () => {
    const hosts = await startThree(20, folder);
    const { code, said } = await run('--member-address', hosts.join());
    expect(said).to.match(/keep a drained member ready.*\n14 passed, 0 failed, 0 skipped\n$/);
    expect(code).to.equal(0);
  });

  it('ends with 2 and says what it needs when it gets no addresses', async () => {
    const { code, said } = await run('--member-address', '127.0.0.1,127.0.0.2');
    expect(said).to.match(/^--member-address: want 3 different IP addresses/);
    expect(code).to.equal(2);
  });

  async function run(...args: readonly string[]): Promise<{ readonly code: unknown; readonly said: string }> {
    const command = fileURLToPath(new URL('../../testbed/src/bin/member-contract.ts', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=development', command, ...args]);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
    const [code] = await once(child, 'close');
    return { code, said };
  }
});
