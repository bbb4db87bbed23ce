// Commands that go on until Ctrl-C: events as they come, and that a watch is for people.

import type { MemoryApiServer } from '@marekvs/simulator';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { serverWith } from './support/fake-server.ts';
import { NOW_MS } from './support/objects.ts';

const EVENTS = 'events.events.k8s.io';

function tell(server: MemoryApiServer, name: string, kind: string, type: string, reason: string, secondsAgo: number) {
  return server.create(EVENTS, eventOf(name, kind, type, reason, secondsAgo));
}

function eventOf(name: string, kind: string, type: string, reason: string, secondsAgo: number) {
  return {
    metadata: { name: `${name}.${reason.toLowerCase()}`, namespace: 'default' },
    ...{
      regarding: { kind, name },
      type,
      reason,
      note: `${reason} of ${name}`,
      eventTime: new Date(NOW_MS - secondsAgo * 1000).toISOString(),
    },
  };
}

/** Ends the watch, like Ctrl-C, after its last line. */
async function watched(server: MemoryApiServer, line: string, later: readonly object[]) {
  const stop = new AbortController();
  const lines: FakeOptions['lines'] = (path) => {
    if (!path.includes('/events') || !path.includes('watch=')) return undefined;
    if (stop.signal.aborted) return [];
    setImmediate(() => stop.abort());
    const listed = server.list(EVENTS).map((object) => JSON.stringify({ type: 'ADDED', object }));
    const end = JSON.stringify({
      type: 'BOOKMARK',
      object: {
        kind: 'Event',
        metadata: { resourceVersion: '900', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    });
    return [
      ...(path.includes('sendInitialEvents=true') ? [...listed, end] : []),
      ...later.map((one) => JSON.stringify(one)),
    ];
  };
  return runFake(line.split(' '), { server, nowMs: NOW_MS, lines, signal: stop.signal });
}

const versioned = (object: { readonly metadata: object }, resourceVersion: string) => ({
  ...object,
  metadata: { ...object.metadata, uid: `uid-${resourceVersion}`, resourceVersion },
});

describe('kubectl mkv events --watch', () => {
  it('shows the events so far, then each new event about the cluster once, and ends with 0 on Ctrl-C', async () => {
    const server = serverWith();
    tell(server, 'demo', 'MarekvsCluster', 'Normal', 'ClusterFormed', 300);
    const { code, out, err } = await watched(server, 'events demo --watch', [
      { type: 'ADDED', object: versioned(eventOf('demo-7', 'MarekvsNode', 'Warning', 'CrashLooping', 0), '901') },
      { type: 'ADDED', object: versioned(eventOf('else-1', 'MarekvsNode', 'Warning', 'DiskFull', 0), '902') },
    ]);
    expect([code, err]).to.deep.equal([EXIT.fine, '']);
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => /ClusterFormed|CrashLooping|REASON|DiskFull/.exec(line)?.[0])).to.deep.equal([
      'REASON',
      'ClusterFormed',
      'CrashLooping',
    ]);
  });

  it('shows an event again when it happened again, and only warnings with --warnings', async () => {
    const server = serverWith();
    tell(server, 'demo', 'MarekvsCluster', 'Warning', 'QuotaExceeded', 300);
    const again = eventOf('demo', 'MarekvsCluster', 'Warning', 'QuotaExceeded', 300);
    const { out } = await watched(server, 'events demo --watch --warnings', [
      {
        type: 'MODIFIED',
        object: versioned(
          { ...again, ...{ series: { count: 2, lastObservedTime: new Date(NOW_MS).toISOString() } } },
          '901',
        ),
      },
      { type: 'ADDED', object: versioned(eventOf('demo', 'MarekvsCluster', 'Normal', 'ClusterFormed', 0), '902') },
    ]);
    expect(out.match(/QuotaExceeded of demo/g)).to.have.lengthOf(2);
    expect(out).to.not.include('ClusterFormed');
  });
});

describe('a watch for programs', () => {
  for (const line of ['status demo --watch -o json', 'status --watch -o yaml', 'events demo --watch -o json']) {
    it(`is refused with 2 before anything is read: \`${line}\``, async () => {
      const refusal: FakeOptions['refusal'] = () => expect.fail('something was read');
      const { code, out, err } = await runFake(line.split(' '), { server: serverWith(), nowMs: NOW_MS, refusal });
      expect([code, out]).to.deep.equal([EXIT.usage, '']);
      expect(err).to.match(/^error: --watch .* -o (json|yaml)\. Next: .*kubectl get .*\n$/);
    });
  }
});
