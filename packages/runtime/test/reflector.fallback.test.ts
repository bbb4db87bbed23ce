import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { type Followed, follow, pod } from './support/follow.ts';

/** The longest pause between two attempts, with the jitter of these tests (none). */
const LONGEST_WAIT_MS = 30_000;

describe('reflector without WatchList', () => {
  let f: Followed;
  afterEach(() => f.stop());

  /** Two pages, then the watch. */
  async function answerPages(): Promise<void> {
    const first = await f.server.next();
    expect(first.query.get('limit')).to.equal('500');
    expect(first.query.has('watch')).to.equal(false);
    first.json(200, { metadata: { resourceVersion: '20', continue: 'token' }, items: [pod('a', '5')] });
    const second = await f.server.next();
    expect(second.query.get('continue')).to.equal('token');
    second.json(200, { metadata: { resourceVersion: '20' }, items: [pod('b', '6')] });
  }

  for (const [why, refuse] of [
    ['400', async () => (await f.server.next()).refuse(400, 'BadRequest')],
    ['422', async () => (await f.server.next()).refuse(422, 'Invalid')],
    ['an error in-band', async () => (await f.server.next()).openWatch().error(500, 'InternalError')],
    [
      'an end bookmark that never comes',
      async () => {
        const watch = (await f.server.next()).openWatch();
        watch.event('ADDED', pod('a', '5'));
        await f.events.next();
        await f.clock.run(60_000);
      },
    ],
  ] as const) {
    it(`F9: reads pages after ${why}, and watches from the list's version`, async () => {
      f = await follow();
      await refuse();
      expect(await f.restarts.next()).to.equal('unsupported');
      await answerPages();
      const watch = await f.server.next();
      expect(watch.query.get('resourceVersion')).to.equal('20');
      expect([...f.reflector.store.values()].map((r) => r.name)).to.deep.equal(['a', 'b']);
      expect(f.reflector.store.hasSynced).to.equal(true);
    });
  }

  it('F9: reads pages after three streamed lists in a row that were cut', async () => {
    f = await follow();
    for (let i = 0; i < 3; i++) {
      const watch = (await f.server.next()).openWatch();
      watch.event('ADDED', pod('a', '5'));
      await f.events.next();
      watch.reset();
      await f.restarts.next();
      await f.clock.run(LONGEST_WAIT_MS);
    }
    await answerPages();
    await f.reflector.synced;
  });

  it('F9: remembers that for the next list, and probes again half an hour later', async () => {
    f = await follow();
    (await f.server.next()).refuse(400, 'BadRequest');
    await answerPages();
    (await f.server.next()).refuse(410, 'Expired');
    await answerPages();
    const watch = (await f.server.next()).openWatch();
    watch.bookmark('21');
    for (let minute = 0; minute < 30; minute++) {
      await f.clock.run(60_000);
      watch.bookmark(String(22 + minute));
      while ((await f.events.next()) !== 'BOOKMARK') {}
    }
    watch.error(410, 'Expired');
    expect((await f.server.next()).query.get('sendInitialEvents')).to.equal('true');
  });

  it('F11: waits out a 429 with Retry-After between two pages', async () => {
    f = await follow();
    (await f.server.next()).refuse(400, 'BadRequest');
    const first = await f.server.next();
    first.json(200, { metadata: { resourceVersion: '20', continue: 'token' }, items: [pod('a', '5')] });
    (await f.server.next()).refuse(429, 'TooManyRequests', { headers: { 'retry-after': '2' } });
    const asked = f.server.seen.length;
    while (f.clock.nextTimerInMs() !== 2_000) await new Promise(setImmediate);
    expect(f.server.seen).to.have.length(asked);
    await f.clock.run(2_000);
    const second = await f.server.next();
    expect(second.query.get('continue')).to.equal('token');
    second.json(200, { metadata: { resourceVersion: '20' }, items: [] });
    await f.reflector.synced;
    expect(f.reflector.store.size).to.equal(1);
  });

  it('starts over when the list itself expires between two pages', async () => {
    f = await follow();
    (await f.server.next()).refuse(400, 'BadRequest');
    (await f.server.next()).json(200, {
      metadata: { resourceVersion: '20', continue: 'token' },
      items: [pod('a', '5')],
    });
    (await f.server.next()).refuse(410, 'Expired');
    await answerPages();
    await f.reflector.synced;
    expect(f.reflector.store.size).to.equal(2);
  });

  it('opens no watch of a namespace that is left as soon as its last page has come', async () => {
    f = await follow({ namespaces: [] });
    const left = f.reflector.join('team-a').then(() => f.reflector.leave('team-a'));
    (await f.server.next()).refuse(400, 'BadRequest');
    (await f.server.next()).json(200, { metadata: { resourceVersion: '20' }, items: [] });
    await left;
    const watch = f.server.next().then(({ query }) => `watches from ${query.get('resourceVersion')}`);
    expect(await Promise.race([watch, f.stop().then(() => 'stopped')])).to.equal('stopped');
  });

  it('F20: reports only the differences of a list of 20,000', async () => {
    f = await follow();
    const all = Array.from({ length: 20_000 }, (_, i) => pod(`p-${i}`, String(1_000 + i)));
    const watch = (await f.server.next()).openWatch();
    for (const object of all) watch.event('ADDED', object);
    watch.bookmark('30000', true);
    await f.reflector.synced;
    expect(f.changes.all).to.have.length(20_000);
    watch.error(410, 'Expired');
    const again = (await f.server.next()).openWatch();
    for (const object of all.slice(3)) again.event('ADDED', object);
    again.event('ADDED', pod('new', '40000'));
    again.bookmark('40000', true);
    again.event('ADDED', pod('sentinel', '40001'));
    while (f.changes.all.at(-1) !== 'added default/sentinel 40001') await f.changes.next();
    expect(f.changes.all.slice(20_000)).to.deep.equal([
      'deleted default/p-0',
      'deleted default/p-1',
      'deleted default/p-2',
      'added default/new 40000',
      'added default/sentinel 40001',
    ]);
  });
});
