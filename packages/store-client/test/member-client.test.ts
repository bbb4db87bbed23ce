import { once } from 'node:events';
import { mock } from 'node:test';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  StoreAuthError,
  type StoreError,
  StoreProtocolError,
  StoreTooLargeError,
  StoreUnreachableError,
} from '../src/errors.ts';
import { createStoreClient } from '../src/member-client.ts';
import { parseMetricsText } from '../src/member-metrics.ts';
import { RespDecoder } from '../src/resp-decoder.ts';
import type { StoreClient } from '../src/store-client.ts';
import { bulkBytes } from './support/reply-bytes.ts';
import { sample, sampleBody } from './support/samples.ts';
import { blocked, closedPort, failureOf, httpAnswer, respScript, scriptedMember } from './support/scripted-member.ts';

const client = createStoreClient();
/** For members that never answer, when the limit itself is tested. */
const hasty = createStoreClient({ timeoutMs: 40 });

const realAnswers: Record<string, Uint8Array> = {
  'CLUSTER NODES': bulkBytes(sample('cluster_nodes.txt')),
  'CLUSTER INFO': bulkBytes(sample('cluster_info.txt')),
  'CLUSTER SLOTS': sample('cluster_slots.raw.gz'),
  'CLUSTER MYID': bulkBytes(sample('cluster_myid.txt')),
  'INFO clients': bulkBytes('# Clients\r\nconnected_clients:1\r\nblocked_clients:0\r\n'),
  'INFO cluster': bulkBytes('# Cluster\r\ncluster_members:3\r\n'),
};
const realResp = respScript((command) => realAnswers[command.join(' ')] ?? `-ERR unexpected ${command[0]}\r\n`);

type Call = [name: string, call: (to: StoreClient, at: Parameters<StoreClient['drain']>[0]) => Promise<unknown>];
const httpCalls: Call[] = [
  ['drain', (to, at) => to.drain(at)],
  ['metrics', (to, at) => to.metrics(at)],
];
const respCalls: Call[] = [
  ['nodes', (to, at) => to.nodes(at)],
  ['clusterInfo', (to, at) => to.clusterInfo(at)],
  ['glance', (to, at) => to.glance(at)],
  ['session', (to, at) => to.session(at)],
];

describe('StoreClient over HTTP', () => {
  it('reads the real answers of /drain and /metrics', async () => {
    await using member = await scriptedMember((socket, request) => {
      const path = /^GET \/(\w+) /.exec(new TextDecoder().decode(request))?.[1];
      socket.end(sample(`http_${path}.txt`));
    });
    expect(await client.drain(member.address)).to.equal(undefined);
    expect((await client.metrics(member.address)).ownedPartitions).to.equal(2716);
    expect(member.requests.every((request) => request.endsWith('Connection: close\r\n\r\n'))).to.equal(true);
  });

  for (const [name, call] of httpCalls) {
    for (const [status, body] of [
      [500, 'oops'],
      [404, 'not found\n'],
      [200, 'welcome to another program\n'],
      [503, 'not ready: who knows'],
    ] as const) {
      it(`${name} refuses ${status} ${JSON.stringify(body)}`, async () => {
        await using member = await scriptedMember((socket) => socket.end(httpAnswer(status, body)));
        const failure = await failureOf(call(client, member.address));
        expect(failure).to.be.instanceOf(StoreProtocolError);
        expect((failure as StoreError).address).to.equal(`127.0.0.1:${member.address.metricsPort}`);
        expect((failure as StoreError).message).to.match(/^GET \/\w+ on 127\.0\.0\.1:\d+: /);
      });
    }
  }
});

describe('StoreClient over RESP', () => {
  it('reads the real answers to CLUSTER NODES and INFO, each over one connection', async () => {
    await using member = await scriptedMember(realResp);
    expect(await client.nodes(member.address)).to.have.length(3);
    expect(await client.clusterInfo(member.address)).to.include({ knownNodes: 3, size: 3 });
    expect(member.connections()).to.equal(2);
  });

  for (const [name, call] of respCalls) {
    it(`${name} refuses an error reply`, async () => {
      await using member = await scriptedMember(respScript(() => '-ERR no such thing\r\n'));
      expect(await failureOf(call(client, member.address))).to.be.instanceOf(StoreProtocolError);
    });

    it(`${name} refuses another type of reply`, async () => {
      await using member = await scriptedMember(respScript(() => ':1\r\n'));
      expect(await failureOf(call(client, member.address))).to.be.instanceOf(StoreProtocolError);
    });

    it(`${name} reports that the member wants a password`, async () => {
      await using member = await scriptedMember(respScript(() => '-NOAUTH Authentication required.\r\n'));
      const failure = await failureOf(call(client, member.address));
      expect(failure).to.be.instanceOf(StoreAuthError);
      expect((failure as StoreAuthError).problem).to.equal('passwordRequired');
    });

    it(`${name} reports that the password is wrong, even if the member hangs up, and never names it`, async () => {
      await using member = await scriptedMember((socket) =>
        socket.end('-WRONGPASS invalid username-password pair\r\n'),
      );
      const failure = await failureOf(call(client, { ...member.address, password: 'hunter2' }));
      expect(failure).to.be.instanceOf(StoreAuthError);
      expect((failure as StoreAuthError).problem).to.equal('wrongPassword');
      expect(JSON.stringify(failure) + String((failure as Error).stack)).to.not.include('hunter2');
    });
  }

  it('gives in one glance over one connection the id, the generation, the changes of the view and the clients', async () => {
    await using member = await scriptedMember(realResp);
    expect(await client.glance(member.address)).to.deep.equal({
      nodeId: 1,
      info: { knownNodes: 3, size: 3, currentEpoch: 4, myEpoch: 1795262237 },
      clients: 1,
    });
    expect(member.connections()).to.equal(1);
  });

  for (const [what, answer] of [
    ['CLUSTER MYID', 'zz'],
    ['CLUSTER INFO', 'cluster_known_nodes:3\r\n'],
    ['INFO clients', '# Clients\r\nconnected_clients:-1\r\n'],
    ['INFO clients', '# Clients\r\nblocked_clients:0\r\n'],
  ] as const)
    it(`refuses a glance in which ${what} is ${JSON.stringify(answer)}`, async () => {
      const script = respScript((command) =>
        command.join(' ') === what ? bulkBytes(answer) : (realAnswers[command.join(' ')] ?? '-ERR\r\n'),
      );
      await using member = await scriptedMember(script);
      expect(await failureOf(client.glance(member.address))).to.be.instanceOf(StoreProtocolError);
    });

  it('authenticates before the commands in the same packet', async () => {
    await using member = await scriptedMember(
      respScript((command) => (command[0] === 'AUTH' ? '+OK\r\n' : (realAnswers[command.join(' ')] ?? '-ERR\r\n'))),
    );
    let isGuarded = false;
    const onGuarded = () => {
      isGuarded = true;
    };
    await client.nodes({ ...member.address, password: 'pä' }, { onGuarded });
    expect(isGuarded).to.equal(true);
    expect(member.requests[0])
      .to.match(/^\*2\r\n\$4\r\nAUTH\r\n\$3\r\np/)
      .and.to.include('NODES');
  });

  it('says of a session, too, that the member has accepted the password', async () => {
    await using member = await scriptedMember(
      respScript(([name]) => (name === 'AUTH' ? '+OK\r\n' : name === 'PING' ? '+PONG\r\n' : '-ERR\r\n')),
    );
    let guarded = 0;
    const onGuarded = () => {
      guarded += 1;
    };
    await using session = await client.session({ ...member.address, password: 'x' }, { onGuarded });
    expect(guarded).to.equal(1);
    await using open = await client.session(member.address, { onGuarded });
    expect([guarded, session === open]).to.deep.equal([1, false]);
  });

  it('accepts a member that has no password yet', async () => {
    await using member = await scriptedMember(
      respScript((command) =>
        command[0] === 'AUTH'
          ? '-ERR Client sent AUTH, but no password is set.\r\n'
          : (realAnswers[command.join(' ')] ?? '-ERR\r\n'),
      ),
    );
    const onGuarded = () => expect.fail('it wants none');
    expect(await client.nodes({ ...member.address, password: 'x' }, { onGuarded })).to.have.length(3);
    expect(await client.nodes(member.address, { onGuarded })).to.have.length(3);
  });
});

describe('StoreClient and a sick member', () => {
  for (const [name, call] of [...httpCalls, ...respCalls]) {
    it(`${name} is StoreUnreachableError when nothing listens`, async () => {
      const port = await closedPort();
      const failure = await failureOf(call(client, { host: '127.0.0.1', respPort: port, metricsPort: port }));
      expect(failure).to.be.instanceOf(StoreUnreachableError);
      expect((failure as StoreUnreachableError).reason).to.equal('refused');
      expect((failure as StoreUnreachableError).address).to.equal(`127.0.0.1:${port}`);
    });

    it(`${name} ends at its time limit when the member accepts and is silent`, async () => {
      await using member = await scriptedMember(() => {});
      const failure = await failureOf(call(hasty, member.address));
      expect(failure).to.be.instanceOf(StoreUnreachableError);
      expect((failure as StoreUnreachableError).reason).to.equal('timeout');
    });

    it(`${name} refuses garbage`, async () => {
      await using member = await scriptedMember((socket) => socket.end(Buffer.from([0, 255, 13, 10, 7, 13, 10])));
      expect(await failureOf(call(client, member.address))).to.be.instanceOf(StoreProtocolError);
    });

    it(`${name} is StoreUnreachableError when the connection is reset or closed without an answer`, async () => {
      await using resetting = await scriptedMember((socket) => socket.resetAndDestroy());
      const reset = await failureOf(call(client, resetting.address));
      expect(reset).to.be.instanceOf(StoreUnreachableError);
      expect((reset as StoreUnreachableError).reason).to.equal('reset');
      await using closing = await scriptedMember((socket) => socket.end());
      const closed = await failureOf(call(client, closing.address));
      expect((closed as StoreUnreachableError).reason).to.equal('closed');
    });
  }

  it('ends at the time limit for the whole exchange although bytes keep dripping in', async () => {
    await using member = await scriptedMember((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n');
      // A byte is sent when the one before has left, so the member is never silent, and 500 kB cannot pass in 40 ms.
      const drip = (): void => {
        if (!socket.destroyed) socket.write('a', () => setImmediate(drip));
      };
      drip();
    });
    const failure = await failureOf(hasty.metrics(member.address));
    expect((failure as StoreUnreachableError).reason).to.equal('timeout');
  });

  it('takes no list of 50,000 members, and no more of it than the members it may name', async () => {
    const list = Array.from(
      { length: 50_000 },
      (_, id) => `${id.toString(16).padStart(40, '0')} 10.0.0.1:6379@7946 master - 0 0 17 connected\n`,
    ).join('');
    await using member = await scriptedMember((socket) => socket.end(`$${list.length}\r\n${list}\r\n`));
    const failure = await failureOf(createStoreClient().nodes(member.address, { maxMembers: 256 }));
    expect(failure).to.be.instanceOf(StoreTooLargeError);
    expect((failure as StoreTooLargeError).limit).to.be.at.most(300 * 1024);
  });

  it('accepts an answer that arrived in time although our own event loop was blocked past the limit', async () => {
    await using member = await scriptedMember((socket) => blocked(() => socket.end(sample('http_drain.txt'))));
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      expect(await client.drain(member.address)).to.equal(undefined);
    } finally {
      mock.timers.reset();
    }
  });

  it('reads the same figures when they come in pieces, wherever they are cut', async () => {
    const whole = sample('http_metrics.txt');
    const known = parseMetricsText(sampleBody('http_metrics.txt'));
    for (const cut of [1, 5, 14, 90, 130, 4_000, whole.length - 1]) {
      await using member = await scriptedMember((socket) => {
        socket.write(whole.subarray(0, cut), () => setImmediate(() => socket.end(whole.subarray(cut))));
      });
      expect(await client.metrics(member.address), `cut at ${cut}`).to.deep.equal(known);
    }
  });

  it('is StoreUnreachableError when an answer stops in the middle', async () => {
    await using http = await scriptedMember((socket) => socket.end(sample('http_metrics.txt').subarray(0, 5000)));
    expect(((await failureOf(client.metrics(http.address))) as StoreUnreachableError).reason).to.equal('closed');
    await using resp = await scriptedMember((socket) =>
      socket.end(bulkBytes(sample('cluster_nodes.txt')).subarray(0, 20_000)),
    );
    expect(((await failureOf(client.nodes(resp.address))) as StoreUnreachableError).reason).to.equal('closed');
  });

  it('accepts no more bytes than allowed, announced or not', async () => {
    const small = createStoreClient({ maxBytes: 10_000 });
    await using metrics = await scriptedMember((socket) => socket.end(sample('http_metrics.txt')));
    expect(await failureOf(small.metrics(metrics.address))).to.be.instanceOf(StoreTooLargeError);
    await using nodes = await scriptedMember(realResp);
    expect(await failureOf(small.nodes(nodes.address))).to.be.instanceOf(StoreTooLargeError);
    await using endless = await scriptedMember((socket) => {
      const pour = (): void => {
        if (!socket.destroyed) socket.write(':1\r\n'.repeat(1000), () => pour());
      };
      socket.write('*100000\r\n');
      pour();
    });
    expect(await failureOf(small.nodes(endless.address))).to.be.instanceOf(StoreTooLargeError);
  });

  it('closes the connection after every failure', async () => {
    const { promise: hungUp, resolve } = Promise.withResolvers<void>();
    await using member = await scriptedMember((socket) => {
      socket.once('close', () => resolve());
    });
    await failureOf(hasty.drain(member.address));
    await hungUp;
  });

  it('rejects at once with the reason of an aborted signal, even before the start', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    await using member = await scriptedMember(() => resolve());
    const stop = new AbortController();
    const running = failureOf(client.poll(member.address, { signal: stop.signal }));
    await asked;
    stop.abort(new Error('shutting down'));
    expect(await running).to.have.property('message', 'shutting down');
    const before = member.requests.length;
    expect(await failureOf(client.metrics(member.address, { signal: stop.signal }))).to.have.property(
      'message',
      'shutting down',
    );
    expect(member.requests).to.have.length(before);
  });

  it('refuses addresses that are not IPv4 literals, and invalid ports, without a look-up', async () => {
    for (const host of ['localhost', 'demo-0.demo-headless', '::1', '10.0.0.256', '', '010.0.0.1']) {
      expect(await failureOf(client.drain({ host })), host).to.be.instanceOf(RangeError);
      expect(await failureOf(client.poll({ host })), host).to.be.instanceOf(RangeError);
    }
    for (const port of [0, 65536, 1.5]) {
      expect(await failureOf(client.drain({ host: '127.0.0.1', metricsPort: port }))).to.be.instanceOf(RangeError);
    }
    for (const timeoutMs of [0, -1, Number.NaN, 2 ** 31])
      expect(() => createStoreClient({ timeoutMs })).to.throw(RangeError);
    expect(() => createStoreClient({ localAddress: 'eth0' })).to.throw(RangeError);
  });
});

describe('StoreClient.poll', () => {
  it('gives metrics, view and info of a healthy member over two connections', async () => {
    await using http = await scriptedMember((socket) => socket.end(sample('http_metrics.txt')));
    await using resp = await scriptedMember(realResp);
    const poll = await client.poll({ ...http.address, respPort: resp.address.respPort });
    if (poll.metrics.kind !== 'answered' || poll.view.kind !== 'answered') throw new Error('a half failed');
    expect(poll.metrics.value.aeRounds).to.equal(2);
    expect(poll.view.value.nodes).to.have.length(3);
    expect(poll.view.value.info.size).to.equal(3);
    expect([http.connections(), resp.connections()]).to.deep.equal([1, 1]);
  });

  it('keeps the metrics of a joining member whose RESP port is closed', async () => {
    await using http = await scriptedMember((socket) => socket.end(sample('http_metrics.txt')));
    const poll = await client.poll({ ...http.address, respPort: await closedPort() });
    expect(poll.metrics.kind).to.equal('answered');
    if (poll.view.kind !== 'failed') throw new Error('the view did not fail');
    expect(poll.view.error).to.be.instanceOf(StoreUnreachableError);
  });

  it('keeps the view of a member whose metrics are garbage', async () => {
    await using http = await scriptedMember((socket) => socket.end(httpAnswer(200, 'garbage!\n')));
    await using resp = await scriptedMember(realResp);
    const poll = await client.poll({ ...http.address, respPort: resp.address.respPort });
    expect(poll.view.kind).to.equal('answered');
    if (poll.metrics.kind !== 'failed') throw new Error('the metrics did not fail');
    expect(poll.metrics.error).to.be.instanceOf(StoreProtocolError);
  });

  it('connects from the given local address', async () => {
    const { promise: from, resolve } = Promise.withResolvers<string | undefined>();
    await using member = await scriptedMember((socket) => {
      resolve(socket.remoteAddress);
      socket.end(sample('http_drain.txt'));
    });
    await createStoreClient({ localAddress: '127.0.0.77' }).drain(member.address);
    expect(await from).to.equal('127.0.0.77');
  });
});

describe('StoreSession', () => {
  /** A store with SET, GET and DEL that counts its packets. */
  function tinyStore(): ReturnType<typeof respScript> {
    const data = new Map<string, string>();
    return respScript(([name, key = '', value = '']) => {
      if (name === 'PING') return '+PONG\r\n';
      if (name === 'SET') data.set(key, value);
      if (name === 'SET') return '+OK\r\n';
      if (name === 'DEL') return data.delete(key) ? ':1\r\n' : ':0\r\n';
      const found = data.get(key);
      return found === undefined ? '$-1\r\n' : bulkBytes(found);
    });
  }

  it('sets, gets and deletes 5,000 keys that begin with NUL, and keeps the order of the answers', async () => {
    await using member = await scriptedMember(tinyStore());
    await using session = await client.session(member.address);
    const keys = Array.from({ length: 5000 }, (_, i) => `\0op:1:{${i}}`);
    const set = await session.commands(keys.map((key, i) => ['SET', key, `nonce-${i}`]));
    expect(set.every((reply) => reply === 'OK')).to.equal(true);
    const got = await session.commands(keys.map((key) => ['GET', key]));
    expect(got.map((reply) => new TextDecoder().decode(reply as Uint8Array))).to.deep.equal(
      keys.map((_, i) => `nonce-${i}`),
    );
    expect(
      await session.commands([
        ['DEL', keys[0] ?? ''],
        ['GET', keys[0] ?? ''],
      ]),
    ).to.deep.equal([1, null]);
    expect(await session.commands([])).to.deep.equal([]);
    expect(member.connections()).to.equal(1);
  });

  it('waits for the answers of 512 commands before it sends more', async () => {
    let unanswered = 0;
    let most = 0;
    let total = 0;
    await using member = await scriptedMember((socket, first) => {
      const decoder = new RespDecoder();
      const take = (bytes: Uint8Array): void => {
        decoder.push(bytes);
        while (decoder.next() !== undefined) unanswered += 1;
        most = Math.max(most, unanswered);
        if (unanswered < 512 && total + unanswered < 1201 && total > 0) return;
        socket.write('+PONG\r\n'.repeat(unanswered));
        total += unanswered;
        unanswered = 0;
      };
      socket.on('data', take);
      take(first);
    });
    await using session = await client.session(member.address);
    expect(await session.commands(Array.from({ length: 1200 }, () => ['PING']))).to.have.length(1200);
    expect([total, most]).to.deep.equal([1201, 512]);
  });

  it('gives error replies as values, in their place', async () => {
    await using member = await scriptedMember(
      respScript(([name]) => (name === 'PING' ? '+PONG\r\n' : name === 'SET' ? '-MISCONF disk\r\n' : ':0\r\n')),
    );
    await using session = await client.session(member.address);
    const [set, del] = await session.commands([
      ['SET', 'a', 'b'],
      ['DEL', 'a'],
    ]);
    expect(set).to.have.property('code', 'MISCONF');
    expect(del).to.equal(0);
  });

  it('is closed by a failure, which it reports at later calls', async () => {
    await using member = await scriptedMember(
      respScript(([name], socket) => {
        if (name !== 'PING') socket.resetAndDestroy();
        return '+PONG\r\n';
      }),
    );
    await using session = await client.session(member.address);
    expect(await failureOf(session.commands([['GET', 'a']]))).to.be.instanceOf(StoreUnreachableError);
    expect(await failureOf(session.commands([['GET', 'a']]))).to.be.instanceOf(StoreUnreachableError);
  });

  it('reports that the member has gone away between two lists', async () => {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    await using member = await scriptedMember((socket, first) => {
      socket.write('+PONG\r\n');
      socket.end();
      socket.once('close', () => resolve());
      expect(first.length).to.be.greaterThan(0);
    });
    await using session = await client.session(member.address);
    await gone;
    const failure = await failureOf(session.commands([['GET', 'a']]));
    expect(failure).to.be.instanceOf(StoreUnreachableError);
  });

  it('refuses a second list while one is under way, without disturbing it', async () => {
    await using member = await scriptedMember(tinyStore());
    await using session = await client.session(member.address);
    const first = session.commands([['SET', 'a', 'b']]);
    expect(await failureOf(session.commands([['GET', 'a']]))).to.be.instanceOf(RangeError);
    expect(await first).to.deep.equal(['OK']);
  });

  it('closes its connection when it is closed', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    await using member = await scriptedMember((socket) => {
      socket.write('+PONG\r\n');
      once(socket, 'close').then(() => resolve(), resolve);
    });
    const session = await client.session(member.address);
    session.close();
    await closed;
    expect(await failureOf(session.commands([['PING']]))).to.be.instanceOf(StoreUnreachableError);
  });

  it('has no type for commands that scan the store or print the password', () => {
    const refused = (): void => {
      const session = {} as Awaited<ReturnType<StoreClient['session']>>;
      // @ts-expect-error DBSIZE scans the whole store on shard 0
      void session.commands([['DBSIZE']]);
      // @ts-expect-error KEYS scans
      void session.commands([['KEYS', '*']]);
      // @ts-expect-error SCAN scans
      void session.commands([['SCAN', '0']]);
      // @ts-expect-error bare INFO scans
      void session.commands([['INFO']]);
      // @ts-expect-error INFO keyspace scans
      void session.commands([['INFO', 'keyspace']]);
      // @ts-expect-error CONFIG GET prints the password
      void session.commands([['CONFIG', 'GET', 'requirepass']]);
    };
    expect(refused, 'checked by the compiler').to.be.a('function');
  });
});
