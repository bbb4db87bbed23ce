import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClusterAccess, createTransport } from '@marekvs/runtime';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { createPartsCredentials } from '../src/access/credentials.ts';
import { type Followed, follow, pod } from './support/follow.ts';

/** The longest pause between two attempts, with the jitter of these tests (none). */
const LONGEST_WAIT_MS = 30_000;

describe('reflector under faults', () => {
  let f: Followed;
  afterEach(() => f.stop());

  it('F1: retries with growing pauses while the API server is away, keeps its objects and goes on at its version', async () => {
    f = await follow();
    const watch = await f.sync('9', pod('a', '5'));
    watch.reset();
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 8; i++) {
      await f.restarts.next();
      await new Promise(setImmediate);
      waits.push(f.clock.nextTimerInMs());
      await f.clock.run(LONGEST_WAIT_MS);
      (await f.server.next()).reset();
    }
    expect(waits).to.deep.equal([1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000]);
    expect(f.problems.all.map((p) => p.kind)).to.include('unreachable');
    expect(f.reflector.problem?.kind).to.equal('unreachable');
    expect(f.reflector.store.size).to.equal(1);
    await f.restarts.next();
    await f.clock.run(LONGEST_WAIT_MS);
    const again = await f.server.next();
    expect(again.query.get('resourceVersion')).to.equal('9');
    again.openWatch().event('ADDED', pod('b', '12'));
    await f.changes.next();
    await f.changes.next();
    expect(f.reflector.problem).to.equal(undefined);
    expect(f.counts).to.deep.equal({ listed: 1, relisted: 0, recovered: 1 });
  });

  it('begins with the shortest pause again once a connection has transferred something', async () => {
    f = await follow();
    (await f.sync('9')).reset();
    for (let i = 0; i < 3; i++) {
      await f.restarts.next();
      await f.clock.run(LONGEST_WAIT_MS);
      const request = await f.server.next();
      if (i < 2) request.reset();
      else {
        const watch = request.openWatch();
        watch.event('ADDED', pod('a', '10'));
        await f.changes.next();
        watch.reset();
      }
    }
    await f.restarts.next();
    await new Promise(setImmediate);
    expect(f.clock.nextTimerInMs()).to.equal(1_600);
  });

  it('F2: never asks for an earlier list: no version to start at is in the query, neither streamed nor in pages', async () => {
    f = await follow();
    const streamed = await f.server.next();
    streamed.refuse(400, 'BadRequest');
    const paged = await f.server.next();
    for (const request of [streamed, paged]) expect(request.query.has('resourceVersion')).to.equal(false);
    expect(paged.query.has('resourceVersionMatch')).to.equal(false);
  });

  for (const how of ['in-band', 'in-band by its reason', 'by status'] as const) {
    it(`F3: reads everything again after 410 ${how}, and reports the deletes of the gap`, async () => {
      f = await follow();
      const watch = await f.sync('9', pod('a', '5'), pod('b', '6'), pod('c', '7'));
      if (how === 'by status') {
        watch.event('MODIFIED', pod('c', '10'));
        watch.end();
        (await f.server.next()).refuse(410, 'Expired');
      } else watch.error(how === 'in-band' ? 410 : 500, how === 'in-band' ? '' : 'Expired');
      const again = await f.server.next();
      expect(again.query.get('sendInitialEvents')).to.equal('true');
      const before = f.changes.all.length;
      const second = again.openWatch();
      second.event('ADDED', pod('a', '5'));
      second.event('ADDED', pod('c', '30'));
      second.bookmark('40', true);
      second.event('ADDED', pod('d', '41'));
      while (f.changes.all.at(-1) !== 'added default/d 41') await f.changes.next();
      expect(f.changes.all.slice(before).sort()).to.deep.equal([
        'added default/d 41',
        'deleted default/b',
        'updated default/c 30',
      ]);
      expect(f.counts).to.include({ listed: 2, relisted: 1 });
    });
  }

  it('F3: does not read everything again and again when every position expires at once', async () => {
    f = await follow();
    (await f.sync('9')).error(410, 'Expired');
    await f.restarts.next();
    const second = (await f.server.next()).openWatch();
    second.bookmark('10', true);
    second.error(410, 'Expired');
    await f.restarts.next();
    await new Promise(setImmediate);
    expect(f.clock.nextTimerInMs()).to.equal(1_600);
    expect(f.server.seen).to.have.length(2);
  });

  it('F4: sees an object that was deleted and created again in the gap as both', async () => {
    f = await follow();
    const watch = await f.sync('9', pod('a', '5', { uid: 'first' }));
    watch.error(410, 'Expired');
    const again = (await f.server.next()).openWatch();
    again.event('ADDED', pod('a', '30', { uid: 'second' }));
    again.bookmark('40', true);
    await f.changes.next();
    expect([await f.changes.next(), await f.changes.next()]).to.deep.equal(['deleted default/a', 'added default/a 30']);
  });

  it('F5: leaves a half-open connection after the idle limit and goes on at its version, after the lag was visible', async () => {
    f = await follow();
    const watch = await f.sync('9');
    await f.clock.run(89_999);
    expect(f.reflector.lastSeenAgeMs()).to.equal(89_999);
    expect(f.restarts.all).to.deep.equal([]);
    await f.clock.run(1);
    expect(await f.restarts.next()).to.equal('idle');
    await watch.closed;
    await f.clock.run(1_600);
    expect((await f.server.next()).query.get('resourceVersion')).to.equal('9');
  });

  it('F7: ignores an event older than its object and keeps its place', async () => {
    f = await follow();
    const watch = await f.sync('9', pod('a', '5'));
    watch.event('MODIFIED', pod('a', '12'));
    watch.event('MODIFIED', pod('a', '11'));
    watch.event('ADDED', pod('b', '13'));
    watch.end();
    expect((await f.server.next()).query.get('resourceVersion')).to.equal('13');
    expect(f.changes.all.slice(1)).to.deep.equal(['updated default/a 12', 'added default/b 13']);
  });

  it('F7: does not let an older event set back the version it resumes at', async () => {
    f = await follow();
    const watch = await f.sync('9', pod('a', '5'));
    watch.event('MODIFIED', pod('a', '12'));
    watch.event('MODIFIED', pod('a', '11'));
    watch.end();
    expect((await f.server.next()).query.get('resourceVersion')).to.equal('12');
  });

  it('F7: requests a list when an old event is about an object that it does not know', async () => {
    f = await follow();
    const watch = await f.sync('9');
    watch.event('ADDED', pod('ghost', '4'));
    expect(await f.restarts.next()).to.equal('regressed');
    const again = (await f.server.next()).openWatch();
    again.event('ADDED', pod('real', '8'));
    again.bookmark('9', true);
    expect(await f.changes.next()).to.equal('added default/real 8');
  });

  it('F7: accepts versions that are not numbers, in the order of arrival', async () => {
    f = await follow();
    const watch = await f.sync('v-9', pod('a', 'v-5'));
    watch.event('MODIFIED', pod('a', 'v-12'));
    watch.event('MODIFIED', pod('a', 'v-11'));
    watch.end();
    expect((await f.server.next()).query.get('resourceVersion')).to.equal('v-11');
    expect(f.reflector.store.get('default/a')?.resourceVersion).to.equal('v-11');
  });

  for (const [what, bytes] of [
    ['no JSON', '{"type":"ADDED","object":{"meta\n'],
    ['an event without a version', '{"type":"ADDED","object":{"metadata":{"name":"x"}}}\n'],
    ['an event of a type nobody knows', '{"type":"RENAMED","object":{"metadata":{"resourceVersion":"11"}}}\n'],
    ['not an object', 'null\n'],
  ] as const) {
    it(`F8: ends the stream at a line that is ${what} and resumes before it`, async () => {
      f = await follow();
      const watch = await f.sync('9');
      watch.event('ADDED', pod('a', '10'));
      await watch.raw(bytes);
      watch.event('ADDED', pod('b', '12'));
      expect(await f.restarts.next()).to.equal('truncated');
      await f.clock.run(1_600);
      const again = await f.server.next();
      expect(again.query.get('resourceVersion')).to.equal('10');
      expect(f.reflector.store.get('default/b')).to.equal(undefined);
    });
  }

  it('F8: resumes after a connection that was cut in the middle of a line', async () => {
    f = await follow();
    const watch = await f.sync('9');
    await watch.raw(`${JSON.stringify({ type: 'ADDED', object: pod('a', '10') })}\n{"type":"ADDED","obj`);
    await f.changes.next();
    watch.reset();
    expect(await f.restarts.next()).to.equal('reset');
    await f.clock.run(1_600);
    const again = await f.server.next();
    expect(again.query.get('resourceVersion')).to.equal('10');
    again.openWatch().event('ADDED', pod('b', '12'));
    expect(await f.changes.next()).to.equal('added default/b 12');
  });

  it('F8: reads a character that arrives in two pieces', async () => {
    f = await follow();
    const watch = await f.sync('9');
    const bytes = Buffer.from(`${JSON.stringify({ type: 'ADDED', object: pod('a', '10', { note: '名𝄞' }) })}\n`);
    for (const byte of bytes) await watch.raw(Uint8Array.of(byte));
    await f.changes.next();
    expect(f.reflector.store.get('default/a')?.note).to.equal('名𝄞');
  });

  it('F11: waits before the next watch as long as Retry-After says, then goes on at its version', async () => {
    f = await follow();
    const watch = await f.sync('9');
    watch.bookmark('10');
    watch.end();
    await f.restarts.next();
    (await f.server.next()).refuse(429, 'TooManyRequests', { headers: { 'retry-after': '17' } });
    expect(await f.restarts.next()).to.equal('throttled');
    await f.clock.run(16_999);
    const asked = f.server.seen.length;
    await f.clock.run(1);
    expect((await f.server.next()).query.get('resourceVersion')).to.equal('10');
    expect(f.server.seen).to.have.length(asked + 1);
  });

  it('F11: does not count waits that a server asked for as failures: a later lost connection is retried after the shortest pause', async () => {
    f = await follow();
    const watch = await f.sync('9');
    watch.bookmark('10');
    watch.end();
    await f.restarts.next();
    for (let refusals = 0; refusals < 5; refusals += 1) {
      (await f.server.next()).refuse(429, 'TooManyRequests', { headers: { 'retry-after': '1' } });
      expect(await f.restarts.next()).to.equal('throttled');
      await f.clock.run(1_000);
    }
    const again = await f.server.next();
    again.openWatch();
    again.reset();
    expect(await f.restarts.next()).to.equal('reset');
    const asked = f.server.seen.length;
    await f.clock.run(1_600);
    expect((await f.server.next()).query.get('resourceVersion')).to.equal('10');
    expect(f.server.seen).to.have.length(asked + 1);
  });

  it('F11: waits as long as Retry-After says after any number of lost connections, and reports the second refusal', async () => {
    f = await follow();
    const watch = await f.sync('9');
    watch.reset();
    for (const waitMs of [1_600, 3_200, 6_400, 12_800]) {
      await f.restarts.next();
      await f.clock.run(waitMs);
      if (waitMs < 12_800) (await f.server.next()).reset();
    }
    for (const expected of [undefined, 'refused'] as const) {
      (await f.server.next()).refuse(429, 'TooManyRequests', { headers: { 'retry-after': '1' } });
      expect(await f.restarts.next()).to.equal('throttled');
      if (expected !== undefined) expect(f.reflector.problem).to.include({ kind: expected, retryInMs: 1_000 });
      await f.clock.run(1_000);
    }
    (await f.server.next()).openWatch();
  });

  it('F14: reports a missing permission, retries rarely, and follows once it is granted', async () => {
    f = await follow();
    (await f.server.next()).refuse(403, 'Forbidden');
    const problem = await f.problems.next();
    expect(problem).to.include({ kind: 'forbidden', resource: 'pods', retryInMs: 2_000 });
    expect((problem.error as Error).message).to.equal('watch pods: 403 Forbidden: scripted Forbidden');
    expect(f.reflector.notReady?.()).to.equal('cache of pods: forbidden');
    await f.clock.run(2_000);
    await f.sync('9', pod('a', '5'));
    expect(f.reflector.problem).to.equal(undefined);
    expect(f.counts.recovered).to.equal(1);
  });

  it('F14: keeps the cache when the permission is removed later', async () => {
    f = await follow();
    const watch = await f.sync('9', pod('a', '5'));
    watch.bookmark('10');
    watch.end();
    (await f.server.next()).refuse(403, 'Forbidden');
    await f.problems.next();
    expect(f.reflector.store.size).to.equal(1);
    await f.clock.run(2_000);
    expect((await f.server.next()).query.get('resourceVersion')).to.equal('10');
  });

  it('F15: waits for a CRD that is not installed, and follows once it is', async () => {
    f = await follow();
    for (let i = 0; i < 3; i++) {
      (await f.server.next()).refuse(404, 'NotFound');
      expect((await f.problems.next()).kind).to.equal('not-found');
      await f.clock.run(LONGEST_WAIT_MS);
    }
    await f.sync('9', pod('a', '5'));
    expect(f.changes.all).to.deep.equal(['added default/a 5 (initial)']);
  });

  it('F15: reads everything again when a CRD was deleted and installed again', async () => {
    f = await follow();
    const watch = await f.sync('9', pod('a', '5'));
    watch.bookmark('10');
    watch.end();
    (await f.server.next()).refuse(404, 'NotFound');
    await f.problems.next();
    await f.clock.run(2_000);
    const again = (await f.server.next()).openWatch();
    again.bookmark('30', true);
    await f.changes.next();
    expect(await f.changes.next()).to.equal('deleted default/a');
  });

  it('backs off after an in-band error with any other code, and goes on at the same version', async () => {
    f = await follow();
    const watch = await f.sync('9');
    watch.error(500, 'InternalError');
    expect(await f.restarts.next()).to.equal('error');
    await f.clock.run(1_600);
    expect((await f.server.next()).query.get('resourceVersion')).to.equal('9');
  });

  it('F59: accepts a restored state when a list is older than what it had seen', async () => {
    f = await follow();
    const watch = await f.sync('900', pod('a', '800'), pod('b', '850'));
    watch.error(410, 'Expired');
    const again = (await f.server.next()).openWatch();
    again.event('ADDED', pod('a', '100'));
    again.bookmark('120', true);
    await f.changes.next();
    await f.changes.next();
    expect([await f.changes.next(), await f.changes.next()]).to.have.members([
      'deleted default/b',
      'updated default/a 100',
    ]);
  });

  it('F59: reads everything again when a bookmark is older than the last', async () => {
    f = await follow();
    const watch = await f.sync('900');
    watch.bookmark('120');
    expect(await f.restarts.next()).to.equal('regressed');
    expect((await f.server.next()).query.get('sendInitialEvents')).to.equal('true');
  });

  it('F59: reads everything again when the server says that the version is in its future', async () => {
    f = await follow();
    const watch = await f.sync('900');
    watch.bookmark('901');
    watch.end();
    (await f.server.next()).refuse(504, 'Timeout', {
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
    });
    expect((await f.server.next()).query.get('sendInitialEvents')).to.equal('true');
  });

  it('F59: reads everything again after two streams in a row without a byte', async () => {
    f = await follow();
    const watch = await f.sync('900');
    watch.bookmark('901');
    watch.end();
    await f.restarts.next();
    for (let i = 0; i < 2; i++) {
      const silent = await f.server.next();
      expect(silent.query.get('resourceVersion')).to.equal('901');
      silent.openWatch();
      await f.clock.run(90_000);
      expect(await f.restarts.next()).to.equal('idle');
      await f.clock.run(LONGEST_WAIT_MS);
    }
    expect((await f.server.next()).query.get('sendInitialEvents')).to.equal('true');
  });

  it('uses a rotated token after a 401, which it reads from the new file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'marekvs-token-'));
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'old\n');
    f = await follow();
    const access: ClusterAccess = { ...f.server.access, credentials: createPartsCredentials({ tokenFile }, f.clock) };
    const transport = createTransport(access, { userAgent: 't', clock: f.clock });
    (await f.server.next()).openWatch();
    const lines: string[] = [];
    const streaming = transport.stream({
      path: '/x',
      resource: 'x',
      subject: 'x',
      signal: new AbortController().signal,
      onLine: (line) => lines.push(line.toString()),
    });
    const first = await f.server.next();
    await writeFile(tokenFile, 'new\n');
    first.refuse(401, 'Unauthorized');
    const second = await f.server.next();
    expect([first.headers.authorization, second.headers.authorization]).to.deep.equal(['Bearer old', 'Bearer new']);
    const watch = second.openWatch();
    await watch.raw('hello\n');
    watch.end();
    await streaming;
    expect(lines).to.deep.equal(['hello']);
    await transport.close();
    await rm(folder, { recursive: true });
  });
});
