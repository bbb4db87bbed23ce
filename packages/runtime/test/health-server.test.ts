import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { exitCodeOf } from '../src/errors/exit-codes.ts';
import {
  createHealthServer,
  type HealthServer,
  type HealthServerOptions,
  ListenError,
} from '../src/process/health-server.ts';

async function withServer(
  options: Partial<HealthServerOptions>,
  test: (url: string, server: HealthServer) => Promise<void>,
): Promise<void> {
  const server = createHealthServer({ address: '127.0.0.1:0', ...options });
  const stop = new AbortController();
  const ended = server.run(stop.signal);
  await server.ready?.(stop.signal);
  try {
    await test(`http://${server.boundAddress}`, server);
  } finally {
    stop.abort();
    await ended;
  }
}

describe('health server', () => {
  it('answers /healthz also when a part is not ready, and names that part on /readyz with 503', async () => {
    let why = ['pods: not synced', 'nodes: list nodes: 403'];
    await withServer({ notReady: () => why }, async (url) => {
      expect((await fetch(`${url}/healthz`)).status).to.equal(200);
      const waiting = await fetch(`${url}/readyz`);
      expect(waiting.status).to.equal(503);
      expect(await waiting.text()).to.equal('pods: not synced\nnodes: list nodes: 403\n');
      why = [];
      expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    });
  });

  it('serves the metrics with their content type', async () => {
    const metrics = { contentType: 'text/plain; version=0.0.4', metrics: async () => 'up 1\n' };
    await withServer({ metrics }, async (url) => {
      const answer = await fetch(`${url}/metrics`);
      expect(answer.headers.get('content-type')).to.equal('text/plain; version=0.0.4');
      expect(await answer.text()).to.equal('up 1\n');
      expect((await fetch(`${url}/readyz`)).status).to.equal(404);
    });
  });

  it('answers only GET, and only known paths', async () => {
    await withServer({ notReady: () => [] }, async (url) => {
      expect((await fetch(`${url}/healthz`, { method: 'POST', body: 'x' })).status).to.equal(405);
      expect((await fetch(`${url}/`)).status).to.equal(404);
    });
  });

  it('answers 500 when collecting the metrics fails, and goes on', async () => {
    const metrics = { contentType: 'text/plain', metrics: () => Promise.reject(new Error('no')) };
    await withServer({ metrics, notReady: () => [] }, async (url) => {
      expect((await fetch(`${url}/metrics`)).status).to.equal(500);
      expect((await fetch(`${url}/healthz`)).status).to.equal(200);
    });
  });

  it('refuses a header block over 8 kB', async () => {
    await withServer({ notReady: () => [] }, async (url) => {
      const answer = await fetch(`${url}/healthz`, { headers: { 'x-long': 'x'.repeat(10_000) } });
      expect(answer.status).to.equal(431);
    });
  });

  it('stops although a client keeps its connection open', async () => {
    const server = createHealthServer({ address: '127.0.0.1:0', notReady: () => [] });
    const stop = new AbortController();
    const ended = server.run(stop.signal);
    await server.ready?.(stop.signal);
    const socket = connect(Number(server.boundAddress?.split(':')[1]), '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    stop.abort();
    await ended;
    await closed;
  });

  it('names the address when the port is in use, and asks for exit code 2', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const bound = other.address();
    const port = typeof bound === 'object' ? bound?.port : 0;
    const server = createHealthServer({ address: `127.0.0.1:${port}`, notReady: () => [] });
    const error = await server.run(new AbortController().signal).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    other.close();
    expect(error).to.be.instanceOf(ListenError);
    expect(String(error)).to.contain(`listen on 127.0.0.1:${port}: the port is in use`);
    expect(exitCodeOf(error)).to.equal(2);
  });

  for (const address of ['8080', 'localhost', '127.0.0.1:99999', '127.0.0.1:x', '']) {
    it(`refuses the address "${address}"`, async () => {
      const server = createHealthServer({ address });
      const error = await server.run(new AbortController().signal).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ListenError);
    });
  }
});
