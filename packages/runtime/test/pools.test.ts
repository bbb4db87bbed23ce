import { createStaticCredentials } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createPoolHolder } from '../src/http/pools.ts';

const access = {
  server: new URL('https://127.0.0.1:1'),
  credentials: createStaticCredentials({ authorization: undefined, clientCertificate: undefined }),
  namespace: '',
  describe: '',
};
const certified = (cert: string) => ({
  authorization: undefined,
  clientCertificate: { cert: Buffer.from(cert), key: Buffer.from('key') },
});

describe('connection pools', () => {
  it('are kept while the client certificate is the same, whatever the token', () => {
    const holder = createPoolHolder(access, { connections: 2, maxResponseBytes: 1 });
    const pools = holder.of(certified('one'));
    expect(holder.of({ ...certified('one'), authorization: 'Bearer new' })).to.equal(pools);
    holder.destroy();
  });

  it('are created anew, and the old ones closed, when the client certificate was rotated', () => {
    const holder = createPoolHolder(access, { connections: 2, maxResponseBytes: 1 });
    const old = holder.of(certified('one'));
    const pools = holder.of(certified('two'));
    expect(pools).not.to.equal(old);
    expect([old.requests.closed, old.watches.closed, pools.requests.closed]).to.deep.equal([true, true, false]);
    holder.destroy();
    expect([pools.requests.destroyed, pools.watches.destroyed]).to.deep.equal([true, true]);
  });

  it('are forgotten when they are old and nothing is under way in them', () => {
    const holder = createPoolHolder(access, { connections: 2, maxResponseBytes: 1 });
    const all = ['one', 'two', 'three', 'four'].map((cert) => holder.of(certified(cert)));
    holder.destroy();
    expect(all.map(({ requests }) => requests.destroyed)).to.deep.equal([false, false, false, true]);
  });
});
