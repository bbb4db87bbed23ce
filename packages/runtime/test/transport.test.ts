import { getEventListeners } from 'node:events';
import {
  ApiError,
  createClient,
  createTransport,
  isConflict,
  pods,
  type RequestInfo,
  TransportError,
} from '@marekvs/runtime';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createReloadingCredentials } from '../src/access/credentials.ts';
import { createInbox } from './support/inbox.ts';
import { createManualClock } from './support/manual-clock.ts';
import { type ScriptedApiServer, startScriptedApiServer } from './support/scripted-api-server.ts';

const WHAT = { resource: 'pods', subject: 'pods default/a', path: '/api/v1/namespaces/default/pods/a' } as const;

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );
}

describe('transport', () => {
  let server: ScriptedApiServer;
  const clock = createManualClock();
  const infos: RequestInfo[] = [];
  const refusals: string[] = [];
  let transport: ReturnType<typeof createTransport>;

  beforeEach(async () => {
    server = await startScriptedApiServer();
    infos.length = 0;
    refusals.length = 0;
    transport = createTransport(server.access, {
      userAgent: 'marekvs-operator/test',
      clock,
      random: () => 0,
      maxResponseBytes: 10_000,
      maxLineBytes: 1_000,
      onRequest: (info) => infos.push(info),
      onRefused: ({ verb, resource }, error) => refusals.push(`${verb} ${resource} ${error.status} ${error.reason}`),
    });
  });

  afterEach(async () => {
    await transport.close();
    await server.close();
  });

  it('names itself, sends JSON and reports the request to the meter', async () => {
    const answer = transport.request({ ...WHAT, verb: 'update', body: { x: 1 } });
    const exchange = await server.next();
    exchange.json(200, { ok: true });
    expect(await answer).to.deep.equal({ ok: true });
    expect(exchange.method).to.equal('PUT');
    expect(exchange.headers['user-agent']).to.equal('marekvs-operator/test');
    expect(exchange.headers['content-type']).to.equal('application/json');
    expect(exchange.body).to.deep.equal({ x: 1 });
    expect(infos).to.deep.equal([{ verb: 'update', resource: 'pods', code: '200' }]);
  });

  it('reports every refusal, and no lost answer, to the meter', async () => {
    const refused = failure(transport.request({ ...WHAT, verb: 'update', body: {} }));
    (await server.next()).refuse(403, 'Forbidden');
    await refused;
    const watch = failure(transport.stream({ ...WHAT, onLine: () => {}, signal: new AbortController().signal }));
    (await server.next()).refuse(410, 'Expired');
    await watch;
    const lost = failure(transport.request({ ...WHAT, verb: 'update', body: {} }));
    (await server.next()).reset();
    await lost;
    expect(refusals).to.deep.equal(['update pods 403 Forbidden', 'watch pods 410 Expired']);
  });

  it('keeps connections: 20 requests in a row need no more than two', async () => {
    for (let i = 0; i < 20; i++) {
      const answer = transport.request({ ...WHAT, verb: 'get' });
      (await server.next()).json(200, {});
      await answer;
    }
    expect(server.connections).to.be.at.most(2);
  });

  it('reports in an error what was tried on which object, the code and the reason', async () => {
    const answer = failure(transport.request({ ...WHAT, verb: 'create', body: {} }));
    (await server.next()).refuse(409, 'AlreadyExists');
    const error = await answer;
    expect(error).to.be.instanceOf(ApiError);
    expect((error as ApiError).message).to.equal('create pods default/a: 409 AlreadyExists: scripted AlreadyExists');
  });

  it('understands a refusal that is not a Status object', async () => {
    const answer = failure(transport.request({ ...WHAT, verb: 'get' }));
    (await server.next()).json(502, 'bad gateway');
    expect(await answer).to.include({ status: 502, reason: '' });
  });

  it('F12: reports a patch of a successor (another uid under the name) as a conflict', async () => {
    const answer = failure(transport.request({ ...WHAT, verb: 'patch', body: {} }));
    (await server.next()).refuse(422, 'Invalid', { details: { causes: [{ field: 'metadata.uid' }] } });
    expect(isConflict(await answer)).to.equal(true);
  });

  for (const verb of ['get', 'create'] as const) {
    it(`F11: waits out the Retry-After of a 429 and repeats the ${verb}`, async () => {
      const answer = transport.request({ ...WHAT, verb, ...(verb === 'create' ? { body: {} } : {}) });
      (await server.next()).refuse(429, 'TooManyRequests', { headers: { 'retry-after': '3' } });
      const second = server.next();
      await untilTimerIn(clock, 3_000);
      await clock.run(2_999);
      expect(server.seen).to.have.length(1);
      await clock.run(1);
      (await second).json(201, { done: true });
      expect(await answer).to.deep.equal({ done: true });
    });
  }

  it('F11: gives up after three refusals and returns how long to wait', async () => {
    const answer = failure(transport.request({ ...WHAT, verb: 'get' }));
    for (let i = 0; i < 4; i++) {
      (await server.next()).refuse(429, 'TooManyRequests', { headers: { 'retry-after': '1' } });
      if (i < 3) {
        await untilTimerIn(clock, 1_000);
        await clock.run(1_000);
      }
    }
    expect(await answer).to.include({ status: 429, retryAfterSeconds: 1 });
    expect(server.seen).to.have.length(4);
  });

  it('does not wait out a Retry-After that is longer than a request should take', async () => {
    const answer = failure(transport.request({ ...WHAT, verb: 'get' }));
    (await server.next()).refuse(429, 'TooManyRequests', { headers: { 'retry-after': '11' } });
    expect(await answer).to.include({ status: 429, retryAfterSeconds: 11 });
  });

  it('repeats a read, but no write, after a 503 with Retry-After', async () => {
    const write = failure(transport.request({ ...WHAT, verb: 'update', body: {} }));
    (await server.next()).refuse(503, 'ServiceUnavailable', { headers: { 'retry-after': '1' } });
    expect(await write).to.include({ status: 503 });
    const read = transport.request({ ...WHAT, verb: 'get' });
    (await server.next()).refuse(503, 'ServiceUnavailable', { headers: { 'retry-after': '1' } });
    await untilTimerIn(clock, 1_000);
    await clock.run(1_000);
    (await server.next()).json(200, {});
    await read;
  });

  it('F13: never repeats a write whose answer was lost, and reports that it may have been applied', async () => {
    const answer = failure(transport.request({ ...WHAT, verb: 'create', body: {} }));
    (await server.next()).reset();
    const error = await answer;
    expect(error).to.be.instanceOf(TransportError);
    expect(error).to.include({ phase: 'reset', mayHaveBeenApplied: true });
    expect(server.seen).to.have.length(1);
  });

  it('F13: distinguishes a write that timed out although it was applied from one that was refused', async () => {
    const answer = failure(transport.request({ ...WHAT, verb: 'update', body: {}, timeoutMs: 5_000 }));
    const exchange = await server.next();
    await clock.run(5_000);
    expect(await answer).to.include({ phase: 'timeout', mayHaveBeenApplied: true });
    await exchange.closed;
  });

  it('repeats a read once whose connection was reset', async () => {
    const answer = failure(transport.request({ ...WHAT, verb: 'get' }));
    (await server.next()).reset();
    (await server.next()).reset();
    expect(await answer).to.include({ phase: 'reset' });
    expect(server.seen).to.have.length(2);
  });

  it('reports that a request to a closed port was not applied', async () => {
    await server.close();
    const error = await failure(transport.request({ ...WHAT, verb: 'create', body: {} }));
    expect(error).to.include({ phase: 'connect', mayHaveBeenApplied: false });
    expect((error as Error).message).to.match(/^create pods default\/a: could not connect: /);
    expect(infos.at(-1)?.code).to.equal('error');
  });

  it('F8: treats an answer that is cut short or not JSON as no answer', async () => {
    const cut = failure(transport.request({ ...WHAT, verb: 'update', body: {} }));
    (await server.next()).truncate('{"kind":');
    expect(await cut).to.be.instanceOf(TransportError);
    const watch = failure(transport.request({ ...WHAT, verb: 'update', body: {} }));
    const garbled = (await server.next()).openWatch();
    await garbled.raw('{"kind":');
    garbled.end();
    expect(await watch).to.include({ phase: 'truncated' });
  });

  it('stops reading an answer that is larger than the limit', async () => {
    const answer = failure(transport.request({ ...WHAT, verb: 'update', body: {} }));
    (await server.next()).json(200, { big: 'x'.repeat(20_000) });
    expect(await answer).to.include({ phase: 'too-large' });
  });

  it('rejects with the reason of the signal, at once and while waiting', async () => {
    const abort = new AbortController();
    const waiting = failure(transport.request({ ...WHAT, verb: 'get', signal: abort.signal }));
    const exchange = await server.next();
    const reason = new Error('lease lost');
    abort.abort(reason);
    expect(await waiting).to.equal(reason);
    await exchange.closed;
    expect(await failure(transport.request({ ...WHAT, verb: 'get', signal: abort.signal }))).to.equal(reason);
    expect(server.seen).to.have.length(1);
  });

  it('rejects with the reason of the signal while credentials are loaded, and after they were refused', async () => {
    const none = { authorization: undefined, clientCertificate: undefined };
    const never = () => new Promise<never>(() => undefined);
    const reason = new Error('stopping');
    for (const get of [never, async () => none]) {
      const abort = new AbortController();
      const asked = Promise.withResolvers<void>();
      const hang = (): Promise<never> => {
        asked.resolve();
        return never();
      };
      const credentials = { get: get === never ? hang : get, refresh: hang };
      const authed = createTransport({ ...server.access, credentials }, { userAgent: 't', clock });
      const waiting = failure(authed.request({ ...WHAT, verb: 'get', signal: abort.signal }));
      if (get !== never) (await server.next()).refuse(401, 'Unauthorized');
      await asked.promise;
      abort.abort(reason);
      const later = new Promise((resolve) => setImmediate(() => resolve('it waits on')));
      expect(await Promise.race([waiting, later])).to.equal(reason);
      await authed.close();
    }
  });

  it('leaves no listener on a signal that outlives many requests', async () => {
    const { signal } = new AbortController();
    for (let i = 0; i < 3; i++) {
      const answer = transport.request({ ...WHAT, verb: 'get', signal });
      (await server.next()).json(200, {});
      await answer;
    }
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('keeps a path in front of the API server', async () => {
    const proxied = createTransport(
      { ...server.access, server: new URL(`${server.access.server.origin}/k8s/x/`) },
      { userAgent: 't' },
    );
    const answer = proxied.request({ ...WHAT, verb: 'get' });
    const exchange = await server.next();
    exchange.json(200, {});
    await answer;
    expect(exchange.path).to.equal('/k8s/x/api/v1/namespaces/default/pods/a');
    await proxied.close();
  });

  describe('stream', () => {
    const STREAM = { path: '/api/v1/pods?watch=true', resource: 'pods', subject: 'pods' };

    it('F5: ends a connection on which nothing arrives for the idle limit, counted from the last byte', async () => {
      const lines = createInbox<string>();
      const ended = failure(
        transport.stream({ ...STREAM, signal: new AbortController().signal, onLine: (l) => lines.push(l.toString()) }),
      );
      const watch = (await server.next()).openWatch();
      await watch.raw('one\n');
      await lines.next();
      await clock.run(80_000);
      await watch.raw('two\n');
      await lines.next();
      await clock.run(89_999);
      expect(clock.pendingTimers).to.equal(1);
      await clock.run(1);
      expect(await ended).to.include({ phase: 'timeout' });
      await watch.closed;
    });

    it('F5: ends a connection that is never answered', async () => {
      const ended = failure(
        transport.stream({
          ...STREAM,
          signal: new AbortController().signal,
          onLine: () => undefined,
          idleTimeoutMs: 50,
        }),
      );
      await server.next();
      await clock.run(50);
      expect(await ended).to.include({ phase: 'timeout' });
    });

    it('is opened beside a hundred others: each namespace has some of its own', async () => {
      const stop = new AbortController();
      const ended: Promise<unknown>[] = [];
      const open = (): Promise<void> =>
        new Promise((resolve) => {
          const watched = { ...STREAM, signal: stop.signal, onOpen: resolve, onLine: () => undefined };
          ended.push(failure(transport.stream(watched)));
        });
      for (let count = 0; count < 100; count += 1) {
        const opened = open();
        (await server.next()).openWatch();
        await opened;
      }
      stop.abort(new Error('enough'));
      for (const error of await Promise.all(ended)) expect(error).to.include({ message: 'enough' });
    });

    it('reports a line without an end at the end of the stream as truncated', async () => {
      const ended = failure(
        transport.stream({ ...STREAM, signal: new AbortController().signal, onLine: () => undefined }),
      );
      const watch = (await server.next()).openWatch();
      await watch.raw('{"type":"ADD');
      watch.end();
      expect(await ended).to.include({ phase: 'truncated' });
    });

    it('refuses a line longer than the limit', async () => {
      const ended = failure(
        transport.stream({ ...STREAM, signal: new AbortController().signal, onLine: () => undefined }),
      );
      const watch = (await server.next()).openWatch();
      await watch.raw('x'.repeat(1_001));
      expect(await ended).to.include({ phase: 'too-large' });
    });

    it('rethrows what its reader threw and closes the connection', async () => {
      const mine = new Error('mine');
      const ended = failure(
        transport.stream({
          ...STREAM,
          signal: new AbortController().signal,
          onLine() {
            throw mine;
          },
        }),
      );
      const watch = (await server.next()).openWatch();
      await watch.raw('one\n');
      expect(await ended).to.equal(mine);
      await watch.closed;
    });

    it('lets other work run when lines take longer than 5 ms', async () => {
      const order: string[] = [];
      const slow = createTransport(server.access, {
        userAgent: 't',
        clock: { ...clock, steadyMs: steppingClock(6) },
        idleTimeoutMs: 1e9,
      });
      const ended = slow.stream({
        ...STREAM,
        signal: new AbortController().signal,
        onLine(line) {
          order.push(line.toString());
          if (order.length === 1) setImmediate(() => order.push('other work'));
        },
      });
      const watch = (await server.next()).openWatch();
      // More than one chunk is waiting when the first has been read.
      await watch.raw(`first\n${'x'.repeat(900)}\n`.padEnd(70_000, 'y\n'));
      await watch.raw('last\n');
      watch.end();
      await ended;
      await slow.close();
      expect(order.indexOf('other work')).to.be.greaterThan(0);
      expect(order.indexOf('other work')).to.be.lessThan(order.length - 1);
    });
  });

  describe('after a 401', () => {
    it('loads the credentials again once and repeats the request, also a write', async () => {
      let token = 0;
      const credentials = createReloadingCredentials(
        async () => ({ authorization: `Bearer t${++token}`, clientCertificate: undefined }),
        { clock, maxAgeMs: 60_000 },
      );
      const authed = createTransport({ ...server.access, credentials }, { userAgent: 't', clock });
      const answer = authed.request({ ...WHAT, verb: 'create', body: {} });
      const first = await server.next();
      first.refuse(401, 'Unauthorized');
      const second = await server.next();
      second.json(201, {});
      await answer;
      expect([first, second].map((e) => e.headers.authorization)).to.deep.equal(['Bearer t1', 'Bearer t2']);
      const refused = failure(authed.request({ ...WHAT, verb: 'get' }));
      (await server.next()).refuse(401, 'Unauthorized');
      (await server.next()).refuse(401, 'Unauthorized');
      expect(await refused).to.include({ status: 401 });
      await authed.close();
    });

    it('never shows a credential in an error', async () => {
      const credentials = createReloadingCredentials(() => Promise.reject(new Error('plugin said: secret-token')), {
        clock,
        maxAgeMs: 60_000,
      });
      const authed = createTransport({ ...server.access, credentials }, { userAgent: 't', clock });
      const error = await failure(createClient(authed).get(pods, { namespace: 'default', name: 'a' }));
      expect(error).to.include({ phase: 'credentials', mayHaveBeenApplied: false });
      expect(String(error)).not.to.include('secret-token');
      await authed.close();
    });
  });
});

/** Each reading is `ms` later than the one before. */
function steppingClock(ms: number): () => number {
  let now = 0;
  return () => {
    now += ms;
    return now;
  };
}

/** Until the code under test waits for exactly this long: it gets there by promises and sockets only. */
async function untilTimerIn(clock: ReturnType<typeof createManualClock>, ms: number): Promise<void> {
  while (clock.nextTimerInMs() !== ms) await new Promise(setImmediate);
}
