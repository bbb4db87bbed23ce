// Which namespaces are wanted, by a ConfigMap and by labels, on an API server that a test controls.

import { createTransport, silentLogger, type Transport } from '@marekvs/runtime';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createInbox, type Inbox } from '../../../runtime/test/support/inbox.ts';
import { createManualClock, type ManualClock } from '../../../runtime/test/support/manual-clock.ts';
import {
  type Exchange,
  type ScriptedApiServer,
  startScriptedApiServer,
} from '../../../runtime/test/support/scripted-api-server.ts';
import { createWantedNamespaces, type WantedNamespaces } from '../../src/namespaces/wanted.ts';

const setting = (resourceVersion: string, data: object) => ({
  metadata: { namespace: 'ops', name: 'which', uid: 'u', resourceVersion },
  data,
});
const namespace = (name: string, resourceVersion: string) => ({
  metadata: { name, uid: `u-${name}`, resourceVersion },
});

describe('the namespaces that are wanted', () => {
  let server: ScriptedApiServer;
  let transport: Transport;
  let clock: ManualClock;
  let told: Inbox<string>;
  let looks: Inbox<true>;
  let problems: Inbox<string>;
  let wanted: WantedNamespaces;
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(async () => {
    server = await startScriptedApiServer();
    clock = createManualClock();
    transport = createTransport(server.access, { userAgent: 'test/1', clock, random: () => 0 });
    told = createInbox();
    looks = createInbox();
    problems = createInbox();
    wanted = createWantedNamespaces({
      from: { namespace: 'ops', name: 'which' },
      transport,
      clock,
      random: () => 0,
      logger: silentLogger,
      onWanted: (names) => told.push(names.join()),
      onProblem: ({ kind }) => problems.push(kind),
      onCheck: () => looks.push(true),
    });
    stop = new AbortController();
    running = wanted.run(stop.signal);
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await transport.close();
    await server.close();
  });

  /** Answers the stream of the ConfigMap. */
  async function settingIs(data: object | undefined) {
    const asked = await server.next();
    expect(asked.path).to.equal('/api/v1/namespaces/ops/configmaps');
    expect(asked.query.get('fieldSelector')).to.equal('metadata.name=which');
    const watch = asked.openWatch();
    if (data !== undefined) watch.event('ADDED', setting('5', data));
    watch.bookmark('9', true);
    return watch;
  }

  function select(asked: Exchange, ...names: readonly string[]) {
    const watch = asked.openWatch();
    for (const name of names) watch.event('ADDED', namespace(name, '5'));
    watch.bookmark('9', true);
    return watch;
  }

  it('are those of the list in the ConfigMap, and change with it', async () => {
    const watch = await settingIs({ namespaces: 'team-b,team-a' });
    expect(await told.next()).to.equal('team-a,team-b');
    watch.event('MODIFIED', setting('10', { namespaces: 'team-b' }));
    expect(await told.next()).to.equal('team-b');
    watch.event('MODIFIED', setting('11', { namespaces: '' }));
    expect(await told.next()).to.equal('');
    expect(wanted.problems()).to.deep.equal([]);
  });

  it('are none while there is no ConfigMap, which is known and reported', async () => {
    await settingIs(undefined);
    await looks.next();
    expect(wanted.isRead).to.equal(true);
    expect(wanted.problems()).to.deep.equal(['ConfigMap ops/which is not there: nothing is managed']);
  });

  it('stay the same when the ConfigMap is deleted, or has neither key', async () => {
    const watch = await settingIs({ namespaces: 'team-a' });
    await told.next();
    await looks.next();
    watch.event('MODIFIED', setting('10', { namespace: 'team-b' }));
    await looks.next();
    expect(wanted.problems()[0]).to.match(/neither the key namespaces nor the key selector: what it said before stays/);
    watch.event('DELETED', setting('11', {}));
    await looks.next();
    expect(wanted.problems()[0]).to.match(/is not there: what it said before stays/);
    watch.event('ADDED', setting('12', { namespaces: 'team-c' }));
    expect(await told.next()).to.equal('team-c');
    expect(wanted.problems()).to.deep.equal([]);
  });

  it('include those that match the selector, as they come and go', async () => {
    await settingIs({ namespaces: 'team-a', selector: 'kv=yes' });
    expect(await told.next()).to.equal('team-a');
    const asked = await server.next();
    expect([asked.path, asked.query.get('labelSelector')]).to.deep.equal(['/api/v1/namespaces', 'kv=yes']);
    expect(wanted.isRead, 'before those are known').to.equal(false);
    const watch = select(asked, 'team-a', 'team-b');
    expect(await told.next()).to.equal('team-a,team-b');
    watch.event('ADDED', namespace('team-c', '10'));
    expect(await told.next()).to.equal('team-a,team-b,team-c');
    watch.event('DELETED', namespace('team-b', '11'));
    expect(await told.next()).to.equal('team-a,team-c');
    watch.event('DELETED', namespace('team-a', '12'));
    watch.event('DELETED', namespace('team-c', '13'));
    expect(await told.next()).to.equal('team-a');
  });

  it('stay those of the earlier selector until the list for the new one is complete', async () => {
    const watch = await settingIs({ selector: 'kv=yes' });
    expect(await told.next()).to.equal('');
    select(await server.next(), 'team-a', 'team-b');
    expect(await told.next()).to.equal('team-a,team-b');
    watch.event('MODIFIED', setting('10', { selector: 'kv=no' }));
    const asked = await server.next();
    expect(asked.query.get('labelSelector')).to.equal('kv=no');
    select(asked, 'team-c');
    expect(await told.next()).to.equal('team-c');
  });

  it('are those of the list also when Namespaces may not be read, which is reported with the way out', async () => {
    await settingIs({ namespaces: 'team-a', selector: 'kv=yes' });
    expect(await told.next()).to.equal('team-a');
    (await server.next()).refuse(403, 'Forbidden');
    await looks.next();
    await looks.next();
    expect(wanted.isRead).to.equal(true);
    expect(wanted.problems()).to.deep.equal([
      'selector kv=yes: Namespaces may not be read, see config/components/namespace-selector',
    ]);
    await clock.run(2_000);
    select(await server.next(), 'team-b');
    expect(await told.next()).to.equal('team-a,team-b');
    expect(wanted.problems()).to.deep.equal([]);
  });

  it('are none for an invalid selector, with the message of the API server', async () => {
    await settingIs({ selector: 'kv in (' });
    await told.next();
    (await server.next()).refuse(400, 'BadRequest');
    (await server.next()).refuse(400, 'BadRequest');
    await looks.next();
    await looks.next();
    expect(wanted.problems()[0]).to.match(/^selector kv in \(: .*400 BadRequest/);
  });

  it('are unknown while the ConfigMap may not be read', async () => {
    (await server.next()).refuse(403, 'Forbidden');
    expect(await problems.next()).to.equal('forbidden');
    await clock.run(2_000);
    const again = await server.next();
    expect(wanted.isRead).to.equal(false);
    expect(wanted.problems()[0]).to.match(/^ConfigMap ops\/which cannot be read: .*403 Forbidden/);
    again.openWatch().bookmark('9', true);
    await looks.next();
    expect(wanted.isRead).to.equal(true);
  });
});
