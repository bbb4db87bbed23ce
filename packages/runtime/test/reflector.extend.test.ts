// A cache that follows one part of a kind and is extended by another part: what it requests, and how it treats a watch
// that repeats events of either part.

import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { type Followed, follow, pod } from './support/follow.ts';
import type { WatchStream } from './support/scripted-api-server.ts';

const WHOLE = 'part in (held,new)';
const NEW = { labelSelector: 'part in (new)', has: ({ note }: { note: string | undefined }) => note === 'new' };
const fresh = (name: string, version: string, uid = `uid-${name}`) => pod(name, version, { uid, note: 'new' });

describe('a cache that follows a further part', () => {
  let f: Followed;
  let selector: string;
  let extended: Promise<void>;
  afterEach(() => f.stop());

  const names = (): readonly string[] =>
    [...f.reflector.store.values()].map(({ name, resourceVersion }) => `${name} ${resourceVersion}`).sort();

  /** It has `held` and follows from version 9 on, and has requested the list of the new part. */
  async function extending(): Promise<{ held: WatchStream; list: WatchStream }> {
    selector = 'part in (held)';
    f = await follow({ labelSelector: () => selector });
    const held = await f.sync('9', pod('held', '5'));
    await f.events.next();
    selector = WHOLE;
    extended = f.reflector.extend(NEW, AbortSignal.timeout(30_000));
    const asked = await f.server.next();
    expect(asked.query.get('labelSelector')).to.equal(NEW.labelSelector);
    expect(asked.query.get('sendInitialEvents')).to.equal('true');
    return { held, list: asked.openWatch() };
  }

  /** The watch of both parts, which has to begin at this version. */
  async function reopened(resourceVersion: string): Promise<WatchStream> {
    const asked = await f.server.next();
    expect(asked.query.get('labelSelector')).to.equal(WHOLE);
    expect(asked.query.get('resourceVersion')).to.equal(resourceVersion);
    return asked.openWatch();
  }

  /** Resolves when everything this stream has sent is in the cache. */
  async function taken(watch: WatchStream, at: string): Promise<void> {
    watch.event('ADDED', pod('mark', at));
    await f.changes.next();
    while (!f.changes.all.includes(`added default/mark ${at}`)) await f.changes.next();
  }

  it('lists only that part, and then watches both from where the first part was', async () => {
    const { held, list } = await extending();
    list.event('ADDED', fresh('new', '7'));
    list.event('ADDED', pod('unlabelled', '6'));
    list.bookmark('12', true);
    await extended;
    await list.closed;
    await held.closed;
    await reopened('9');
    expect(names()).to.deep.equal(['held 5', 'new 7']);
    expect(f.counts.relisted).to.equal(0);
  });

  it('goes on with the first part while the list is read', async () => {
    const { held, list } = await extending();
    held.event('MODIFIED', pod('held', '11'));
    await f.events.next();
    list.bookmark('10', true);
    await extended;
    await reopened('10');
    expect(names()).to.deep.equal(['held 11']);
  });

  it('does not restore what the first part has lost meanwhile', async () => {
    const { held, list } = await extending();
    held.event('ADDED', pod('short', '11'));
    held.event('DELETED', pod('short', '13'));
    held.bookmark('14');
    for (let count = 0; count < 3; count += 1) await f.events.next();
    list.bookmark('10', true);
    await extended;
    const both = await reopened('10');
    both.event('ADDED', pod('short', '11'));
    both.event('ADDED', fresh('new', '12'));
    both.event('DELETED', pod('short', '13'));
    await taken(both, '15');
    expect(f.changes.all.filter((change) => change.includes('short'))).to.deep.equal([
      'added default/short 11',
      'deleted default/short',
    ]);
    expect(names()).to.deep.equal(['held 5', 'mark 15', 'new 12']);
  });

  it('does not restore what the new part had lost before it was listed, and accepts new events of the first part', async () => {
    const { list } = await extending();
    list.bookmark('20', true);
    await extended;
    const both = await reopened('9');
    both.event('ADDED', fresh('short', '11'));
    both.event('MODIFIED', pod('held', '12'));
    both.event('DELETED', fresh('short', '13'));
    await taken(both, '21');
    expect(f.changes.all.some((change) => change.includes('short'))).to.equal(false);
    expect(names()).to.deep.equal(['held 12', 'mark 21']);
  });

  it('removes what is deleted after the list', async () => {
    const { list } = await extending();
    list.event('ADDED', fresh('new', '7'));
    list.bookmark('12', true);
    await extended;
    const both = await reopened('9');
    both.event('DELETED', fresh('new', '14'));
    await taken(both, '15');
    expect(names()).to.deep.equal(['held 5', 'mark 15']);
  });

  it('recognises repeated events of each part after two extensions in a row', async () => {
    const { list } = await extending();
    list.event('ADDED', fresh('new', '7'));
    list.bookmark('20', true);
    await extended;
    await reopened('9');
    const third = {
      labelSelector: 'part in (third)',
      has: ({ note }: { note: string | undefined }) => note === 'third',
    };
    extended = f.reflector.extend(third, AbortSignal.timeout(30_000));
    (await f.server.next()).openWatch().bookmark('30', true);
    await extended;
    const all = await reopened('9');
    all.event('ADDED', fresh('short', '11'));
    all.event('ADDED', pod('early', '25', { note: 'third' }));
    all.event('ADDED', fresh('later', '26'));
    await taken(all, '31');
    expect(f.changes.all.some((change) => /short|early/.test(change))).to.equal(false);
    expect(names()).to.deep.equal(['held 5', 'later 26', 'mark 31', 'new 7']);
  });

  it('accepts a list of everything that was requested meanwhile', async () => {
    const { held, list } = await extending();
    held.error(410, 'Expired');
    const everything = (await f.server.next()).openWatch();
    everything.event('ADDED', pod('held', '5'));
    everything.event('ADDED', fresh('new', '7'));
    everything.bookmark('15', true);
    await f.changes.next();
    while (f.counts.relisted === 0) await f.changes.next();
    list.event('ADDED', fresh('gone', '6'));
    list.bookmark('10', true);
    await extended;
    expect(names()).to.deep.equal(['held 5', 'new 7']);
  });

  it('is listed together with the first part where versions have no order', async () => {
    const { held, list } = await extending();
    held.bookmark('opaque');
    await f.events.next();
    list.bookmark('opaque', true);
    const everything = await f.server.next();
    expect(everything.query.get('labelSelector')).to.equal(WHOLE);
    expect(everything.query.get('sendInitialEvents')).to.equal('true');
    const both = everything.openWatch();
    both.event('ADDED', fresh('new', 'another'));
    both.bookmark('later', true);
    await extended;
    expect(names()).to.deep.equal(['new another']);
  });

  it('reports that the part could not be read, and can list everything instead', async () => {
    const { list } = await extending();
    list.error(500, 'InternalError');
    const error = await extended.then(
      () => undefined,
      (err: unknown) => err,
    );
    expect(String(error)).to.include('InternalError');
    extended = f.reflector.relist(AbortSignal.timeout(30_000));
    const everything = (await f.server.next()).openWatch();
    everything.event('ADDED', fresh('new', '7'));
    everything.bookmark('15', true);
    await extended;
    expect(names()).to.deep.equal(['new 7']);
  });

  it('does not accept a list whose stream ends in the middle', async () => {
    const { list } = await extending();
    list.event('ADDED', fresh('new', '7'));
    list.end();
    const error = await extended.then(
      () => undefined,
      (err: unknown) => err,
    );
    expect(String(error)).to.include('before it was whole');
    expect(names()).to.deep.equal(['held 5']);
  });
});
