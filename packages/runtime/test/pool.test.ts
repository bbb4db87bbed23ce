// Connections over Node's own client, with what the transport expects of them, on real sockets.

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Pool, type PoolOptions } from '../src/http/pool.ts';

async function withServer(
  listener: RequestListener,
  test: (origin: string, sockets: readonly Socket[]) => Promise<void>,
): Promise<void> {
  const server = createServer(listener);
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await test(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const failure = (promise: Promise<unknown>): Promise<Error & { code?: string }> =>
  promise.then(
    () => new Error('it did not fail'),
    (error: Error) => error,
  );
const GET = { method: 'GET', path: '/x', headers: {} };

const openPool = (origin: string, more: Partial<PoolOptions> = {}): Pool =>
  new Pool(origin, { keepAliveMs: 80_000, connectTimeoutMs: 10_000, tcpKeepAliveMs: 15_000, ...more });

describe('a pool of connections', () => {
  it('sends method, path, headers and body, and returns status, headers and text', async () => {
    await withServer(
      (request, response) => {
        request.setEncoding('utf8').on('data', (text) => {
          response
            .writeHead(201, { 'retry-after': '3' })
            .end(`${request.method} ${request.url} ${request.headers.authorization} ${text} größe`);
        });
      },
      async (origin) => {
        const pool = openPool(origin);
        const answer = await pool.request({
          method: 'POST',
          path: '/a?b=c',
          headers: { authorization: 'Bearer t' },
          body: 'hello',
        });
        expect([answer.statusCode, answer.headers['retry-after']]).to.deep.equal([201, '3']);
        expect(await answer.body.text()).to.equal('POST /a?b=c Bearer t hello größe');
        pool.destroy();
      },
    );
  });

  it('announces the length of every body, also of a DELETE, so that the next request of the connection begins after it', async () => {
    await withServer(
      (request, response) => {
        request.setEncoding('utf8').on('data', (text) => response.write(text));
        request.on('end', () => response.end(` ${request.headers['content-length']}`));
      },
      async (origin, sockets) => {
        const pool = openPool(origin, { connections: 1 });
        for (const method of ['DELETE', 'PATCH', 'DELETE'])
          expect(await (await pool.request({ method, path: '/', headers: {}, body: 'größe' })).body.text()).to.equal(
            'größe 7',
          );
        expect(sockets).to.have.lengthOf(1);
        pool.destroy();
      },
    );
  });

  it('uses one connection for consecutive requests, and no more than it may', async () => {
    await withServer(
      (_, response) => response.end('ok'),
      async (origin, sockets) => {
        const pool = openPool(origin, { connections: 2 });
        for (let i = 0; i < 3; i += 1) await (await pool.request(GET)).body.text();
        expect(sockets).to.have.lengthOf(1);
        await Promise.all(Array.from({ length: 8 }, async () => (await pool.request(GET)).body.text()));
        expect(sockets).to.have.lengthOf(2);
        pool.destroy();
      },
    );
  });

  it('fails on an answer that is cut short, with or without an announced length', async () => {
    for (const headers of [{ 'content-length': '100' }, { 'transfer-encoding': 'chunked' }]) {
      await withServer(
        (_, response) => {
          response.writeHead(200, headers);
          response.write('{"half":', () => response.destroy());
        },
        async (origin) => {
          const pool = openPool(origin);
          const error = await failure(pool.request(GET).then(({ body }) => body.text()));
          expect(error.code).to.equal('ECONNRESET');
          pool.destroy();
        },
      );
    }
  });

  it('fails on an answer beyond its bound', async () => {
    await withServer(
      (_, response) => response.end('x'.repeat(1_000)),
      async (origin) => {
        const pool = openPool(origin, { maxResponseBytes: 100 });
        const error = await failure(pool.request(GET).then(({ body }) => body.text()));
        expect(error.code).to.equal('POOL_ANSWER_TOO_LARGE');
        pool.destroy();
      },
    );
  });

  it('ends with the reason of the signal, before and in the middle of an answer', async () => {
    await withServer(
      (request, response) => void (request.url === '/x' ? undefined : response.writeHead(200).write('beginning\n')),
      async (origin) => {
        const pool = openPool(origin);
        const stop = new AbortController();
        const waiting = failure(pool.request({ ...GET, signal: stop.signal }));
        const { body } = await pool.request({ ...GET, path: '/stream', signal: stop.signal });
        const reading = failure(body.text());
        stop.abort(new Error('enough'));
        expect((await waiting).message).to.equal('enough');
        expect((await reading).message).to.equal('aborted');
        pool.destroy();
        expect((await failure(pool.request(GET))).code).to.equal('POOL_CLOSED');
      },
    );
  });

  it('ends with the signal’s reason while it waits for a connection', async () => {
    await withServer(
      () => undefined,
      async (origin) => {
        const pool = openPool(origin, { connections: 1 });
        const first = failure(pool.request(GET));
        const stop = new AbortController();
        const waiting = failure(pool.request({ ...GET, signal: stop.signal }));
        stop.abort(new Error('enough'));
        expect((await Promise.race([waiting, first])).message).to.equal('enough');
        pool.destroy();
        await first;
      },
    );
  });

  it('reports that a connection was refused', async () => {
    const pool = openPool('http://127.0.0.1:1', { connectTimeoutMs: 1_000 });
    expect((await failure(pool.request(GET))).code).to.equal('ECONNREFUSED');
  });

  it('completes requests under way when it is closed, and accepts no new ones', async () => {
    let finish = (): void => undefined;
    await withServer(
      (_, response) => {
        response.writeHead(200).write('one ');
        finish = () => response.end('two');
      },
      async (origin, sockets) => {
        const pool = openPool(origin);
        const { body } = await pool.request(GET);
        pool.close();
        expect([pool.closed, pool.destroyed]).to.deep.equal([true, false]);
        expect((await failure(pool.request(GET))).code).to.equal('POOL_CLOSED');
        const gone = once(sockets[0] as Socket, 'close');
        finish();
        expect(await body.text()).to.equal('one two');
        await gone;
      },
    );
  });

  it('reports for an interrupted request that it is closed', async () => {
    await withServer(
      (request, response) => void (request.url === '/x' ? undefined : response.writeHead(200).write('beginning\n')),
      async (origin, sockets) => {
        const pool = openPool(origin);
        const waiting = failure(pool.request(GET));
        const reading = failure((await pool.request({ ...GET, path: '/stream' })).body.text());
        expect(sockets).to.have.lengthOf(2);
        pool.destroy();
        expect([(await waiting).code, (await reading).code]).to.deep.equal(['POOL_CLOSED', 'POOL_CLOSED']);
      },
    );
  });

  it('sends nothing that waited for a connection when it cut them all', async () => {
    const asked: string[] = [];
    await withServer(
      (request) => void asked.push(request.url ?? ''),
      async (origin) => {
        const pool = openPool(origin, { connections: 1 });
        const first = failure(pool.request(GET));
        const second = failure(pool.request({ ...GET, path: '/waiting' }));
        while (asked.length === 0) await new Promise(setImmediate);
        pool.destroy();
        expect([(await first).code, (await second).code]).to.deep.equal(['POOL_CLOSED', 'POOL_CLOSED']);
        expect(asked).to.deep.equal(['/x']);
      },
    );
  });

  it('closes a connection that is unused for long, and never one with a slow answer', async () => {
    let finish = (): void => undefined;
    await withServer(
      (request, response) => {
        response.writeHead(200);
        if (request.url === '/x') response.end('ok');
        else {
          response.write('slow ');
          finish = () => response.end('answer');
        }
      },
      async (origin, sockets) => {
        const pool = openPool(origin, { keepAliveMs: 40 });
        const { body } = await pool.request({ ...GET, path: '/slow' });
        await (await pool.request(GET)).body.text();
        const [slow, idle] = sockets as [Socket, Socket];
        await once(idle, 'close');
        expect(slow.closed).to.equal(false);
        finish();
        expect(await body.text()).to.equal('slow answer');
        pool.destroy();
      },
    );
  });
});
