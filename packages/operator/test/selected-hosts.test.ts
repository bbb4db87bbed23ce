// Which hosts are followed for spec.hosts.onePerHost: those with the labels, while a cluster needs them, without
// passes for other clusters.

import { ApiError, type StreamRequest, type Transport } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createSelectedHosts, MAX_SELECTORS } from '../src/hosts/selected-hosts.ts';

const DB = { pool: 'db' };

const refused = (status: number) =>
  new ApiError({ verb: 'watch', subject: 'nodes', path: '/api/v1/nodes', status, reason: '' });

function rig(refusal?: () => number | undefined) {
  const clock = createManualClock();
  const stop = new AbortController();
  const streams: StreamRequest[] = [];
  const woken: string[] = [];
  let drop = (_error: Error): void => {};
  const transport: Pick<Transport, 'stream'> = {
    stream(request) {
      streams.push(request);
      const status = refusal?.();
      if (status !== undefined) return Promise.reject(refused(status));
      request.onOpen?.();
      return new Promise((_, reject) => {
        drop = reject;
        request.signal.addEventListener('abort', () => reject(request.signal.reason));
      });
    },
  };
  const subject = createSelectedHosts({
    transport: { ...transport, request: () => Promise.reject(new Error('no request')), close: async () => {} },
    clock,
    random: () => 0.5,
    onChange: (key) => void woken.push(key),
  });
  let version = 1;
  const tell = (type: string, name: string, more: object = {}) => {
    version += 1;
    const metadata = { name, uid: `uid-${name}`, resourceVersion: String(version) };
    const annotations = type === 'BOOKMARK' ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    const object = { kind: 'Node', apiVersion: 'v1', metadata: { ...metadata, ...annotations }, ...more };
    streams.at(-1)?.onLine(Buffer.from(JSON.stringify({ type, object })));
  };
  const begin = async () => {
    const done = subject.run(stop.signal);
    await clock.run(0);
    return done;
  };
  /** The cluster follows, and this host is all there is. */
  const readOne = async (key: string, host: string) => {
    subject.follow(key, DB);
    await clock.run(0);
    tell('ADDED', host);
    tell('BOOKMARK', '');
    await clock.run(0);
  };
  const selectors = () => streams.map(({ path }) => new URL(path, 'http://x').searchParams.get('labelSelector'));
  const end = async () => {
    stop.abort();
    await clock.run(0);
  };
  const lose = () => drop(refused(503));
  return { clock, subject, streams, woken, tell, lose, begin, readOne, selectors, end };
}

describe('the hosts that are to have a member each', () => {
  it('are followed by their labels, once for all clusters with the same labels', async () => {
    const { subject, begin, selectors, clock, end } = rig();
    void begin();
    subject.follow('a/one', { pool: 'db', disk: 'nvme' });
    subject.follow('b/two', { disk: 'nvme', pool: 'db' });
    await clock.run(0);
    expect(selectors()).to.deep.equal(['disk=nvme,pool=db']);
    await end();
  });

  it('are not followed before a cluster needs them, nor after the last one does', async () => {
    const { subject, begin, streams, clock, end } = rig();
    void begin();
    subject.follow('a/one', undefined);
    await clock.run(0);
    expect(streams).to.deep.equal([]);
    subject.follow('a/one', DB);
    await clock.run(0);
    subject.follow('a/one', undefined);
    expect(streams.map(({ signal }) => signal.aborted)).to.deep.equal([true]);
    await end();
  });

  it('are known once all of them were read', async () => {
    const { subject, begin, clock, tell, woken, end } = rig();
    void begin();
    expect(subject.follow('a/one', DB)).to.equal(undefined);
    await clock.run(0);
    tell('ADDED', 'host-1');
    expect(subject.follow('a/one', DB)).to.equal(undefined);
    tell('BOOKMARK', '');
    await clock.run(0);
    expect([subject.follow('a/one', DB), woken]).to.deep.equal([
      { kind: 'known', hosts: new Map([['host-1', { isReady: true, isCordoned: false, taints: [] }]]) },
      ['a/one'],
    ]);
    await end();
  });

  it('cause passes of their clusters by changes that affect a size, and not by their reports', async () => {
    const { begin, readOne, tell, woken, end } = rig();
    void begin();
    await readOne('a/one', 'host-1');
    woken.length = 0;
    const ready = (status: string, lastHeartbeatTime: string) => ({
      status: { conditions: [{ type: 'Ready', status, lastHeartbeatTime }] },
    });
    tell('MODIFIED', 'host-1', ready('True', '2026-01-01T00:00:00Z'));
    tell('MODIFIED', 'host-1', ready('True', '2026-01-01T00:05:00Z'));
    expect(woken).to.deep.equal([]);
    tell('MODIFIED', 'host-1', ready('Unknown', '2026-01-01T00:05:00Z'));
    tell('MODIFIED', 'host-1', { spec: { unschedulable: true } });
    tell('MODIFIED', 'host-1', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } });
    tell('DELETED', 'host-1');
    expect(woken.length).to.equal(4);
    await end();
  });

  it('are unknown where Nodes may not be watched, which is tried once in ten minutes and reported all the time', async () => {
    let status: number | undefined = 403;
    const { subject, begin, clock, streams, woken, tell, end } = rig(() => status);
    void begin();
    subject.follow('a/one', DB);
    await clock.run(0);
    const refused = { kind: 'unknown', why: 'the operator may not watch Nodes' };
    expect([subject.follow('a/one', DB), woken, streams.length]).to.deep.equal([refused, ['a/one'], 1]);
    await clock.run(599_000);
    subject.follow('a/one', DB);
    expect(streams.length).to.equal(1);
    status = undefined;
    await clock.run(2_000);
    expect(subject.follow('a/one', DB)).to.deep.equal(refused);
    await clock.run(0);
    tell('BOOKMARK', '');
    await clock.run(0);
    expect(subject.follow('a/one', DB)).to.deep.equal({ kind: 'known', hosts: new Map() });
    await end();
  });

  it('are reported as unknown while the API server gives no answer, until they are read', async () => {
    let status: number | undefined = 503;
    const { subject, begin, clock, tell, woken, end } = rig(() => status);
    void begin();
    subject.follow('a/one', DB);
    await clock.run(0);
    expect(subject.follow('a/one', DB)).to.deep.equal({
      kind: 'unknown',
      why: 'the API server gives no answer about Nodes',
    });
    status = undefined;
    await clock.run(60_000);
    tell('BOOKMARK', '');
    await clock.run(0);
    expect([subject.follow('a/one', DB), woken]).to.deep.equal([
      { kind: 'known', hosts: new Map() },
      ['a/one', 'a/one'],
    ]);
    await end();
  });

  it('stay known while the API server gives no answer after they were read', async () => {
    let status: number | undefined;
    const { subject, begin, readOne, clock, lose, streams, woken, end } = rig(() => status);
    void begin();
    await readOne('a/one', 'host-1');
    const known = subject.follow('a/one', DB);
    status = 503;
    lose();
    await clock.run(60_000);
    expect(streams.length, 'it was tried again').to.be.above(1);
    expect(known).to.have.property('kind', 'known');
    expect([subject.follow('a/one', DB), woken]).to.deep.equal([known, ['a/one']]);
    await end();
  });

  it('are followed by a bounded number of selectors', async () => {
    const { subject, begin, clock, streams, end } = rig();
    void begin();
    for (let at = 0; at < MAX_SELECTORS; at += 1) subject.follow(`a/${at}`, { pool: String(at) });
    await clock.run(0);
    expect([subject.follow('a/last', DB)?.kind, streams.length]).to.deep.equal(['unknown', MAX_SELECTORS]);
    await end();
  });

  it('are known from requests made before the watches could begin', async () => {
    const { subject, begin, woken, end } = rig();
    subject.follow('a/one', DB);
    void begin();
    expect(woken).to.deep.equal(['a/one']);
    await end();
  });
});
