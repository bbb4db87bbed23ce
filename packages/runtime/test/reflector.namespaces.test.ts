// A cache whose namespaces come and go while it runs.

import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { type Followed, follow } from './support/follow.ts';

const of = (namespace: string, name: string, resourceVersion: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name, uid: `uid-${namespace}-${name}`, resourceVersion },
});

describe('a cache whose namespaces come and go', () => {
  let f: Followed;
  afterEach(() => f.stop());

  it('is complete at once while it has none, without a request', async () => {
    f = await follow({ namespaces: [] });
    await f.reflector.synced;
    expect(f.reflector.notReady?.()).to.equal(undefined);
    expect(f.reflector.lastSeenAgeMs()).to.equal(0);
    expect(f.server.seen).to.deep.equal([]);
  });

  it('follows a namespace that joins by a stream of its own, and reports when it has all of it', async () => {
    f = await follow({ namespaces: [] });
    let isListed = false;
    const joined = f.reflector.join('team-a').then(() => {
      isListed = true;
    });
    const watch = (await f.server.next()).openWatch();
    expect(f.server.seen[0]).to.match(/^\/api\/v1\/namespaces\/team-a\/pods\?/);
    watch.event('ADDED', of('team-a', 'a', '5'));
    await f.events.next();
    expect([isListed, f.reflector.store.size]).to.deep.equal([false, 0]);
    watch.bookmark('9', true);
    await joined;
    expect(await f.changes.next()).to.equal('added team-a/a 5 (initial)');
    watch.event('ADDED', of('team-a', 'b', '10'));
    expect(await f.changes.next()).to.equal('added team-a/b 10');
  });

  it('forgets a namespace that leaves without an event, closes its watch, and drops what arrives later', async () => {
    f = await follow({ namespaces: [] });
    const joined = [f.reflector.join('team-a'), f.reflector.join('team-b')];
    const streams = new Map<string, Awaited<ReturnType<Followed['server']['next']>>>();
    for (let count = 0; count < 2; count += 1) {
      const asked = await f.server.next();
      streams.set(asked.path.split('/')[4] ?? '', asked);
    }
    const watches = new Map([...streams].map(([name, asked]) => [name, asked.openWatch()]));
    for (const [name, watch] of watches) {
      watch.event('ADDED', of(name, 'a', '5'));
      watch.bookmark('9', true);
    }
    await Promise.all(joined);
    await f.changes.next();
    await f.changes.next();
    f.reflector.leave('team-a');
    await streams.get('team-a')?.closed;
    f.reflector.observe(of('team-a', 'late', '11'));
    watches.get('team-b')?.event('ADDED', of('team-b', 'b', '12'));
    expect(await f.changes.next()).to.equal('added team-b/b 12');
    expect([...f.reflector.store.values()].map(({ namespace, name }) => `${namespace}/${name}`)).to.deep.equal([
      'team-b/a',
      'team-b/b',
    ]);
    expect(f.reflector.store.hasSynced).to.equal(true);
  });

  it('begins anew with a namespace that comes back, without anything from before', async () => {
    f = await follow({ namespaces: [] });
    const first = f.reflector.join('team-a');
    const watch = (await f.server.next()).openWatch();
    watch.event('ADDED', of('team-a', 'a', '5'));
    watch.bookmark('900', true);
    await first;
    await f.changes.next();
    f.reflector.leave('team-a');
    const again = f.reflector.join('team-a');
    expect(f.reflector.store.hasSynced).to.equal(false);
    const second = (await f.server.next()).openWatch();
    second.event('ADDED', of('team-a', 'a', '7'));
    second.bookmark('8', true);
    await again;
    expect(await f.changes.next()).to.equal('added team-a/a 7 (initial)');
  });

  it('is read again as a whole without waiting for a namespace that cannot be read', async () => {
    f = await follow({ namespaces: [] });
    void f.reflector.join('closed');
    (await f.server.next()).refuse(403, 'Forbidden');
    expect(await f.problems.next()).to.include({ kind: 'forbidden', namespace: 'closed' });
    const open = f.reflector.join('open');
    (await f.server.next()).openWatch().bookmark('9', true);
    await open;
    const read = f.reflector.relist(AbortSignal.timeout(30_000));
    for (let count = 0; count < 2; count += 1) {
      const asked = await f.server.next();
      if (asked.path.includes('/closed/')) asked.refuse(403, 'Forbidden');
      else asked.openWatch().bookmark('10', true);
    }
    await read;
  });
});
