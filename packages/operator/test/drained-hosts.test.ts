// Which hosts are being drained: those that the API server shows as cordoned; other hosts are not watched.

import { ApiError, type StreamRequest, type Transport } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createDrainedHosts } from '../src/hosts/drained-hosts.ts';

function rig(refusal?: number, taints: readonly string[] = []) {
  const clock = createManualClock();
  const stop = new AbortController();
  const streams: StreamRequest[] = [];
  const changed: string[] = [];
  const problems: string[] = [];
  const seen: string[] = [];
  const transport: Pick<Transport, 'stream'> = {
    stream(request) {
      streams.push(request);
      if (refusal !== undefined)
        return Promise.reject(
          new ApiError({ verb: 'watch', subject: 'nodes', path: request.path, status: refusal, reason: '' }),
        );
      request.onOpen?.();
      return new Promise((_, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason));
      });
    },
  };
  const subject = createDrainedHosts({
    transport: { ...transport, request: () => Promise.reject(new Error('no request')), close: async () => {} },
    clock,
    onProblem: ({ kind }) => void problems.push(kind),
    taints: new Set(taints),
    onChange: (host) => void changed.push(host),
    onSeen: () => void seen.push(subject.seen()),
  });
  const done = subject.run(stop.signal);
  let version = 1;
  const tell = (type: string, name: string, spec: object = {}) => {
    version += 1;
    const metadata = { name, uid: `uid-${name}`, resourceVersion: String(version) };
    const annotations = type === 'BOOKMARK' ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    const object = { kind: 'Node', apiVersion: 'v1', metadata: { ...metadata, ...annotations }, spec };
    streams.at(-1)?.onLine(Buffer.from(JSON.stringify({ type, object })));
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await done;
  };
  return { clock, subject, streams, changed, problems, seen, tell, end };
}

describe('the hosts that are being drained', () => {
  it('are watched as those that are cordoned, and no others', async () => {
    const { streams, clock, end } = rig();
    await clock.run(0);
    expect(streams.map(({ path }) => new URL(path, 'http://x').searchParams.get('fieldSelector'))).to.deep.equal([
      'spec.unschedulable=true',
    ]);
    await end();
  });

  it('are known from when they were first seen as such, and reported as they come and go', async () => {
    const { subject, clock, changed, tell, end } = rig();
    await clock.run(0);
    tell('ADDED', 'host-1');
    tell('BOOKMARK', '');
    const atMs = clock.nowMs();
    await clock.run(5_000);
    tell('MODIFIED', 'host-1');
    expect([...subject.current()]).to.deep.equal([['host-1', atMs]]);
    tell('DELETED', 'host-1');
    // What the host reported in between caused no pass.
    expect([subject.current().size, changed]).to.deep.equal([0, ['host-1', 'host-1']]);
    await end();
  });

  it('are unknown where Nodes may not be watched, and are asked for again in ten minutes', async () => {
    const { subject, streams, clock, problems, seen, end } = rig(403);
    await clock.run(599_000);
    expect([subject.current().size, streams.length, problems]).to.deep.equal([0, 1, []]);
    await clock.run(2_000);
    expect([streams.length, seen]).to.deep.equal([2, ['forbidden']]);
    await end();
  });

  it('are all known when the first list is complete, which is reported once', async () => {
    const { subject, clock, seen, tell, end } = rig();
    await clock.run(0);
    tell('ADDED', 'host-1');
    await clock.run(0);
    expect([subject.seen(), seen]).to.deep.equal(['notYet', []]);
    tell('BOOKMARK', '');
    await clock.run(0);
    expect([subject.seen(), seen]).to.deep.equal(['known', ['known']]);
    await end();
  });
});

describe('the hosts that are being drained, with taints that say so', () => {
  const TAINT = 'karpenter.sh/disrupted';
  const tainted = (key: string, effect: string) => ({ taints: [{ key, effect }] });

  it('are all watched, since no selector finds a taint', async () => {
    const { streams, clock, end } = rig(undefined, [TAINT]);
    await clock.run(0);
    expect(streams.map(({ path }) => new URL(path, 'http://x').searchParams.get('fieldSelector'))).to.deep.equal([
      null,
    ]);
    await end();
  });

  const ROWS: readonly (readonly [string, object, boolean])[] = [
    ['is cordoned', { unschedulable: true }, true],
    ['has one of them', tainted(TAINT, 'NoSchedule'), true],
    ['has one of them that evicts', tainted(TAINT, 'NoExecute'), true],
    ['has one of them as a wish', tainted(TAINT, 'PreferNoSchedule'), false],
    ['has another one', tainted('dedicated', 'NoSchedule'), false],
    ['has none', {}, false],
  ];
  for (const [what, spec, isDrained] of ROWS)
    it(`${isDrained ? 'are' : 'do not have'} one that ${what}`, async () => {
      const { subject, clock, changed, tell, end } = rig(undefined, [TAINT]);
      await clock.run(0);
      tell('ADDED', 'host-1', spec);
      tell('ADDED', 'host-2');
      tell('BOOKMARK', '');
      await clock.run(0);
      expect([[...subject.current().keys()], changed]).to.deep.equal(isDrained ? [['host-1'], ['host-1']] : [[], []]);
      tell('MODIFIED', 'host-1');
      expect([subject.current().size, changed.length]).to.deep.equal(isDrained ? [0, 2] : [0, 0]);
      await end();
    });

  it('cause no pass by their usual reports', async () => {
    const { clock, changed, tell, end } = rig(undefined, [TAINT]);
    await clock.run(0);
    tell('ADDED', 'host-1', tainted(TAINT, 'NoSchedule'));
    tell('BOOKMARK', '');
    await clock.run(0);
    for (let n = 0; n < 5; n += 1) {
      tell('MODIFIED', 'host-1', tainted(TAINT, 'NoSchedule'));
      tell('MODIFIED', 'host-2');
    }
    expect(changed).to.deep.equal(['host-1']);
    await end();
  });
});
