import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { type Followed, follow, pod, toRow } from './support/follow.ts';

describe('reflector', () => {
  let f: Followed;
  afterEach(() => f.stop());

  it('requests the whole state as a stream, and shows nothing of it before its end', async () => {
    f = await follow({ labelSelector: 'app=x' });
    const request = await f.server.next();
    expect(request.path).to.equal('/api/v1/pods');
    expect(Object.fromEntries(request.query)).to.include({
      watch: 'true',
      allowWatchBookmarks: 'true',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      labelSelector: 'app=x',
    });
    expect(request.query.has('resourceVersion')).to.equal(false);
    expect(Number(request.query.get('timeoutSeconds'))).to.be.within(300, 600);
    const watch = request.openWatch();
    watch.event('ADDED', pod('a', '5'));
    watch.event('ADDED', pod('b', '7'));
    await f.events.next();
    await f.events.next();
    expect(f.reflector.store.size).to.equal(0);
    expect(f.reflector.notReady?.()).to.equal('cache of pods is not complete yet');
    watch.bookmark('9', true);
    await f.reflector.synced;
    expect(f.changes.all).to.deep.equal(['added default/a 5 (initial)', 'added default/b 7 (initial)']);
    expect(f.reflector.store.resourceVersion).to.equal('9');
    expect(f.reflector.notReady?.()).to.equal(undefined);
  });

  it('follows additions, changes and deletions', async () => {
    f = await follow();
    const watch = await f.sync('9', pod('a', '5'));
    watch.event('MODIFIED', pod('a', '10'));
    watch.event('ADDED', pod('b', '11'));
    watch.event('DELETED', pod('a', '12'));
    await f.changes.next();
    expect([await f.changes.next(), await f.changes.next(), await f.changes.next()]).to.deep.equal([
      'updated default/a 10',
      'added default/b 11',
      'deleted default/a',
    ]);
  });

  it('projects objects without managedFields', async () => {
    f = await follow();
    const withFields = pod('a', '5');
    const manage = (o: typeof withFields): typeof withFields & { metadata: { managedFields: object[] } } => ({
      ...o,
      metadata: { ...o.metadata, managedFields: [{ manager: 'x' }] },
    });
    await f.sync('9', manage(withFields));
    expect(f.reflector.store.get('default/a')?.hasManagedFields).to.equal(false);
    const answer = manage(pod('b', '12'));
    f.reflector.observe(answer);
    expect(f.reflector.store.get('default/b')?.hasManagedFields).to.equal(false);
    expect(answer.metadata.managedFields).to.have.length(1);
  });

  it('reports how long ago the API server last answered', async () => {
    f = await follow();
    expect(f.reflector.lastSeenAgeMs()).to.equal(Number.POSITIVE_INFINITY);
    const watch = await f.sync('9');
    await f.clock.run(45_000);
    expect(f.reflector.lastSeenAgeMs()).to.equal(45_000);
    watch.event('ADDED', pod('a', '10'));
    await f.changes.next();
    expect(f.reflector.lastSeenAgeMs()).to.equal(0);
  });

  it('advances by bookmarks alone, so that a quiet kind reconnects at the last one', async () => {
    f = await follow();
    const watch = await f.sync('9', pod('a', '5'));
    watch.bookmark('20');
    watch.bookmark('31');
    watch.end();
    const again = await f.server.next();
    expect(again.query.get('resourceVersion')).to.equal('31');
    expect(again.query.has('sendInitialEvents')).to.equal(false);
    expect(f.reflector.store.resourceVersion).to.equal('31');
    expect(f.counts).to.include({ listed: 1, relisted: 0 });
  });

  it('goes on at once and at the same version after a clean end, without a list', async () => {
    f = await follow();
    const watch = await f.sync('9');
    watch.event('ADDED', pod('a', '15'));
    watch.end();
    const again = await f.server.next();
    expect(await f.restarts.next()).to.equal('end');
    expect(again.query.get('resourceVersion')).to.equal('15');
    again.openWatch().event('DELETED', pod('a', '17'));
    await f.changes.next();
    expect(await f.changes.next()).to.equal('deleted default/a');
    expect(f.counts.relisted).to.equal(0);
  });

  it('does not reconnect without pause to a server that ends every stream at once', async () => {
    f = await follow();
    const watch = await f.sync('9');
    watch.end();
    await f.restarts.next();
    (await f.server.next()).openWatch().end();
    expect(await f.restarts.next()).to.equal('end');
    const asked = f.server.seen.length;
    await f.clock.run(1_599);
    expect(f.server.seen).to.have.length(asked);
    await f.clock.run(1);
    await f.server.next();
  });

  it('has its own writes at once, as in the answer', async () => {
    f = await follow();
    await f.sync('9');
    f.reflector.observe(pod('a', '15'));
    expect(f.reflector.store.get('default/a')?.resourceVersion).to.equal('15');
    f.reflector.observeDelete({ namespace: 'default', name: 'a', uid: pod('a', '15').metadata.uid ?? '' });
    expect(f.reflector.store.get('default/a')).to.equal(undefined);
    expect(f.changes.all).to.deep.equal(['added default/a 15 (own)', 'deleted default/a (own)']);
  });

  for (const when of ['before', 'after']) {
    it(`does not keep what others deleted while its delete was under way, with the answer ${when} the event`, async () => {
      f = await follow();
      const watch = await f.sync('9', pod('a', '9'));
      const { resourceVersion: _, ...metadata } = pod('a', '9').metadata;
      const ref = { namespace: 'default', name: 'a', uid: metadata.uid ?? '' };
      const answer = () => f.reflector.observeDelete(ref, { ...pod('a', '9'), metadata });
      if (when === 'before') answer();
      watch.event('DELETED', pod('a', '11'));
      watch.event('ADDED', pod('b', '12'));
      for (const seen of ['added default/a 9 (initial)', `deleted default/a${when === 'before' ? ' (own)' : ''}`])
        expect(await f.changes.next()).to.equal(seen);
      expect(await f.changes.next()).to.equal('added default/b 12');
      if (when === 'after') answer();
      expect(f.reflector.store.get('default/a')).to.equal(undefined);
      watch.event('ADDED', { ...pod('a', '14'), metadata: { ...pod('a', '14').metadata, uid: 'successor' } });
      expect(await f.changes.next()).to.equal('added default/a 14');
    });
  }

  it('follows each named namespace by a stream of its own', async () => {
    f = await follow({ namespaces: ['one', 'two'] });
    const first = await f.server.next();
    first.openWatch().bookmark('9', true);
    const second = await f.server.next();
    expect(f.reflector.store.hasSynced).to.equal(false);
    second.openWatch().bookmark('11', true);
    await f.reflector.synced;
    expect([first.path, second.path]).to.have.members(['/api/v1/namespaces/one/pods', '/api/v1/namespaces/two/pods']);
    expect(f.reflector.store.resourceVersion).to.equal('9');
  });

  it('accepts a line of 1.4 MB', async () => {
    f = await follow();
    const watch = await f.sync('9');
    watch.event('ADDED', pod('big', '15', { note: 'é'.repeat(700_000) }));
    await f.changes.next();
    expect(f.reflector.store.get('default/big')?.note).to.have.length(700_000);
  });

  describe('of which only a part is kept', () => {
    const ours = (name: string, version: string) => pod(name, version, { note: 'ours' });
    const theirs = (name: string, version: string) => pod(name, version, { note: 'theirs' });
    const names = () => [...f.reflector.store.values()].map(({ name }) => name);

    it('lets go of an object that a change takes out of the part', async () => {
      f = await follow({ keep: ({ note }) => note === 'ours' });
      const watch = await f.sync('9', ours('a', '5'), ours('b', '6'), theirs('c', '7'));
      watch.event('MODIFIED', theirs('a', '10'));
      watch.event('DELETED', theirs('b', '11'));
      watch.event('ADDED', ours('d', '12'));
      while (f.changes.all.at(-1) !== 'added default/d 12') await f.changes.next();
      expect(f.changes.all.slice(2)).to.deep.equal(['deleted default/a', 'deleted default/b', 'added default/d 12']);
      expect(names()).to.deep.equal(['d']);
    });

    it('does not begin with an object that was taken out of the part while the first list came', async () => {
      f = await follow({ keep: ({ note }) => note === 'ours' });
      await f.sync('9', ours('a', '5'), ours('b', '6'), theirs('a', '7'));
      expect(names()).to.deep.equal(['b']);
    });
  });

  it('forgets an object that was deleted in a state that cannot be projected', async () => {
    f = await follow({
      project(object) {
        if (object.metadata.labels?.note === 'odd') throw new Error('unknown shape');
        return toRow(object);
      },
    });
    const watch = await f.sync('9', pod('a', '5'));
    watch.event('DELETED', pod('a', '10', { note: 'odd' }));
    watch.event('ADDED', pod('b', '11'));
    const seen = [await f.changes.next(), await f.changes.next()];
    expect(seen).to.deep.equal(['added default/a 5 (initial)', 'deleted default/a']);
  });

  it('keeps following when a handler or a projection throws, and reports both', async () => {
    const seen: string[] = [];
    f = await follow({
      onChange(change) {
        seen.push(change.key);
        if (change.key === 'default/a') throw new Error('handler broke');
      },
      project(o) {
        if (o.metadata.name === 'odd') throw new Error('unknown shape');
        const { namespace, name = '', uid = '', resourceVersion = '' } = o.metadata;
        return { namespace, name, uid, resourceVersion, note: undefined, hasManagedFields: false };
      },
    });
    const watch = await f.sync('9', pod('a', '5'), pod('odd', '6'), pod('b', '7'));
    watch.event('ADDED', pod('c', '10'));
    const problems = [await f.problems.next(), await f.problems.next()];
    expect(problems.map((p) => p.kind)).to.deep.equal(['projection', 'handler']);
    watch.bookmark('12');
    watch.end();
    await f.server.next();
    expect(seen).to.deep.equal(['default/a', 'default/b', 'default/c']);
    expect([...f.reflector.store.values()].map((r) => r.name)).to.deep.equal(['a', 'b', 'c']);
  });

  it('closes its connection when it is stopped', async () => {
    f = await follow();
    const request = await f.server.next();
    request.openWatch();
    await f.stop();
    await request.closed;
  });
});
