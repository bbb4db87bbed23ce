// A cache that follows a part of a kind and gains a further one: it is read again as a whole, by the selector that
// holds from then on (docs/decisions/sharing.md). Until that list is whole the cache has what it had.

import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { type Followed, follow, pod } from './support/follow.ts';
import type { WatchStream } from './support/scripted-api-server.ts';

describe('a cache that follows a further part', () => {
  let f: Followed;
  /** The parts that are selected, and kept. */
  let parts: readonly string[];
  afterEach(() => f.stop());

  const of = (part: string, name: string, version: string) => pod(name, version, { note: part });
  const names = (): readonly string[] =>
    [...f.reflector.store.values()].map(({ name, resourceVersion }) => `${name} ${resourceVersion}`).sort();

  /** It has two objects of the part `held`, and follows from version 9 on. */
  async function holding(): Promise<WatchStream> {
    parts = ['held'];
    f = await follow({
      labelSelector: () => `part in (${parts.join(',')})`,
      keep: ({ note }) => parts.includes(note ?? ''),
    });
    const watch = await f.sync('9', of('held', 'lost', '5'), of('held', 'same', '6'));
    for (let count = 0; count < 2; count += 1) await f.changes.next();
    return watch;
  }

  /** Resolves when the list is in place. */
  function gain(part: string): Promise<void> {
    parts = [...parts, part];
    return f.reflector.relist(AbortSignal.timeout(30_000));
  }

  /** The list that the server is asked for next. */
  async function asked(selector: string): Promise<WatchStream> {
    const { query, openWatch } = await f.server.next();
    expect(query.get('labelSelector')).to.equal(selector);
    expect(query.get('sendInitialEvents')).to.equal('true');
    expect(query.has('resourceVersion')).to.equal(false);
    return openWatch();
  }

  /** Whether the promise is settled by now. */
  const isOver = (read: Promise<void>): Promise<boolean> =>
    Promise.race([read.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);

  it('has what it had until the list is whole, and tells only what is different in it', async () => {
    const before = await holding();
    const read = gain('new');
    await before.closed;
    const both = await asked('part in (held,new)');
    both.event('ADDED', of('held', 'same', '6'));
    both.event('ADDED', of('new', 'fresh', '7'));
    for (let count = 0; count < 4; count += 1) await f.events.next();
    expect(names()).to.deep.equal(['lost 5', 'same 6']);
    expect(await isOver(read)).to.equal(false);
    both.bookmark('12', true);
    await read;
    expect(names()).to.deep.equal(['fresh 7', 'same 6']);
    both.event('DELETED', of('new', 'fresh', '13'));
    for (const seen of ['deleted default/lost', 'added default/fresh 7', 'deleted default/fresh'])
      expect(await f.changes.next()).to.equal(seen);
    expect(f.changes.waiting).to.deep.equal([]);
  });

  it('reads until a list is whole, and takes nothing from one that was not', async () => {
    await holding();
    const read = gain('new');
    const cut = await asked('part in (held,new)');
    cut.event('ADDED', of('new', 'fresh', '7'));
    for (let count = 0; count < 3; count += 1) await f.events.next();
    cut.end();
    await f.restarts.next();
    expect(await isOver(read)).to.equal(false);
    expect(names()).to.deep.equal(['lost 5', 'same 6']);
    await f.clock.run(1_600);
    (await f.server.next()).refuse(500, 'InternalError');
    await f.restarts.next();
    await f.clock.run(3_200);
    (await asked('part in (held,new)')).bookmark('12', true);
    await read;
    expect(names()).to.deep.equal([]);
  });

  it('is not complete with a list that began before the last part was gained', async () => {
    await holding();
    const first = gain('new');
    const early = await asked('part in (held,new)');
    const second = gain('third');
    await early.closed;
    const all = await asked('part in (held,new,third)');
    expect(await isOver(first)).to.equal(false);
    all.event('ADDED', of('third', 'late', '8'));
    all.bookmark('12', true);
    await Promise.all([first, second]);
    expect(names()).to.deep.equal(['late 8']);
  });

  it('has nothing of a part that was lost while the list was read', async () => {
    await holding();
    const read = gain('new');
    const both = await asked('part in (held,new)');
    both.event('ADDED', of('held', 'same', '6'));
    both.event('ADDED', of('new', 'fresh', '7'));
    for (let count = 0; count < 4; count += 1) await f.events.next();
    parts = ['new'];
    f.reflector.drop();
    both.bookmark('12', true);
    await read;
    expect(names()).to.deep.equal(['fresh 7']);
    expect(await f.changes.next()).to.equal('added default/fresh 7');
    expect(f.changes.waiting).to.deep.equal([]);
  });
});
