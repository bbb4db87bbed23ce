import fs from 'node:fs';
import { createStoreClient } from '@marekvs/store-client';
import { createMemberNetwork, createNetworkStoreClient } from '../src/index.ts';
import { memberContract } from './member-contract.ts';
import { createFolder, endAll, ip, MemberProcess, memberEnv } from './process-support.ts';
import { ids } from './support.ts';

memberContract('in-memory', async () => {
  const net = createMemberNetwork({ seed: 1 });
  net.formed(ids(3));
  return {
    client: createNetworkStoreClient(net),
    address: (id) => ({ host: `127.0.1.${id}` }),
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

memberContract('process', async () => {
  const folder = createFolder();
  const first = 10;
  const seeds = {
    MAREKVS_SEEDS: ids(3)
      .map((id) => `${ip(first + id)}:7946`)
      .join(),
  };
  const members = ids(3).map(
    (id) =>
      new MemberProcess(
        memberEnv(first + id, folder, { ...seeds, MAREKVS_CLUSTER: 'contract', MAREKVS_NODE_ID: String(id) }),
      ),
  );
  await Promise.all(members.map((member) => member.said('serving')));
  return {
    client: createStoreClient({ timeoutMs: 2_000 }),
    address: (id) => ({ host: ip(first + id) }),
    pass: (work) => work(),
    async stop() {
      await endAll();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
});
