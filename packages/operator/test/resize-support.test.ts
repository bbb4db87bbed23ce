// Whether the API server resizes running Pods, and how often it is asked about that.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createResizeSupport } from '../src/api-server/resize-support.ts';

const KEY = 'default/demo';

function rig(offered: () => Promise<readonly string[]>) {
  const clock = createManualClock();
  const stop = new AbortController();
  const told: string[] = [];
  let asked = 0;
  const subject = createResizeSupport({
    client: {
      offered: () => {
        asked += 1;
        return offered();
      },
    },
    clock,
    onAnswer: (key) => void told.push(key),
  });
  void subject.run(stop.signal);
  return { clock, told, ask: () => subject.ask(KEY), count: () => asked };
}

describe('the support for resizing Pods', () => {
  it('is asked about once for all clusters, and reported to those that wait', async () => {
    const { clock, told, ask, count } = rig(async () => ['pods', 'pods/resize']);
    expect([ask(), ask()]).to.deep.equal(['unknown', 'unknown']);
    await clock.run(1);
    expect([ask(), count(), told]).to.deep.equal(['offered', 1, [KEY]]);
  });

  it('is asked about again after ten minutes, not before, since an API server may have been upgraded', async () => {
    const { clock, ask, count } = rig(async () => ['pods']);
    ask();
    await clock.run(599_999);
    expect([ask(), count()]).to.deep.equal(['absent', 1]);
    await clock.run(2);
    ask();
    expect(count()).to.equal(2);
  });

  it('counts as absent for half a minute when there is no answer', async () => {
    const { clock, ask, count } = rig(() => Promise.reject(new Error('no answer')));
    ask();
    await clock.run(1);
    expect([ask(), count()]).to.deep.equal(['absent', 1]);
    await clock.run(30_000);
    expect([ask(), count()]).to.deep.equal(['unknown', 2]);
  });
});
