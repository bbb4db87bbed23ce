// The member contract on three members that were started elsewhere, for example real servers. Run by `npm run
// member-contract`, which gives their addresses; not a part of the gate, which has no such members.

import fs from 'node:fs';
import { createContentClient, createStoreClient } from '@marekvs/store-client';
import { memberContract } from './member-contract.ts';
import { getOver } from './member-contract-subject.ts';
import { rawObserverOverTcp } from './raw-observer.ts';

const hosts = (process.env.MEMBER_ADDRESSES ?? '').split(',');
const passwordFile = process.env.MEMBER_PASSWORD_FILE;
const password = passwordFile === undefined ? undefined : fs.readFileSync(passwordFile, 'utf8').trimEnd();

memberContract('given', async () => ({
  client: createStoreClient({ timeoutMs: 30_000 }),
  contents: createContentClient(),
  observe: (id) => rawObserverOverTcp(hosts[id - 1] ?? ''),
  get: (id, path) => getOver(hosts[id - 1] ?? '', path),
  address: (id) => ({ host: hosts[id - 1] ?? '', ...(password === undefined ? {} : { password }) }),
  pass: (work) => work(),
  stop: () => Promise.resolve(),
}));
