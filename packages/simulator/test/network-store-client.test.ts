import { type StoreClient, StoreUnreachableError } from '@marekvs/store-client';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { createNetworkStoreClient, MemberNetwork } from '../src/index.ts';
import { ids } from './support.ts';

const at = (id: number, password?: string) => ({ host: `127.0.1.${id}`, password });

/** Lets the promise settle while virtual time passes. */
async function during<T>(net: MemberNetwork, ms: number, work: Promise<T>): Promise<T> {
  const settled = work.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
  for (let n = 0; n < ms; n += 100) {
    net.advance(100);
    await Promise.resolve();
  }
  return (await settled)();
}

describe('the StoreClient over the in-memory network', () => {
  let net: MemberNetwork;
  let client: StoreClient;
  before(() => {
    net = new MemberNetwork({ seed: 1 });
    client = createNetworkStoreClient(net);
    net.formed(ids(3));
    net.advance(3_000);
  });

  it('reads a settled member through the parsers of the operator', async () => {
    const { metrics, view } = await client.poll(at(1));
    expect(metrics.kind === 'answered' && metrics.value.clusterMembers).to.equal(3);
    expect(view.kind === 'answered' && view.value.info.size).to.equal(3);
  });

  it('is refused by RESP of a joining member while its metrics answer', async () => {
    net.start(4, { knobs: { neverLeavesJoining: true } });
    net.advance(3_000);
    const { metrics, view } = await client.poll(at(4));
    expect([metrics.kind, view.kind]).to.deep.equal(['answered', 'failed']);
    expect(net.http(4, '/ready')?.body).to.equal('not ready: Some(Joining)\n');
    net.kill(4);
  });

  it('times out on the virtual clock when a member is frozen', async () => {
    net.freeze(3);
    const failure = await during(
      net,
      3_200,
      client.metrics(at(3)).catch((error: unknown) => error),
    );
    net.thaw(3);
    expect(failure).to.be.instanceOf(StoreUnreachableError).with.property('reason', 'timeout');
  });

  it('reports that a member wants a password, and sends the one it has', async () => {
    net.member(2).requirepass = 'secret';
    const problem = await client.nodes(at(2)).catch((error: unknown) => error);
    expect(problem).to.have.property('problem', 'passwordRequired');
    expect(await client.nodes(at(2, 'wrong')).catch((error: unknown) => error)).to.have.property(
      'problem',
      'wrongPassword',
    );
    expect(await client.nodes(at(2, 'secret'))).to.have.length.above(1);
  });
});
