// Which hosts are being drained: those that the API server shows as cordoned, and nothing of the others.

import { ApiError, type StreamRequest, type Transport } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createDrainedHosts } from '../src/members/drained-hosts.ts';

function rig(refusal?: number) {
  const clock = createManualClock();
  const stop = new AbortController();
  const streams: StreamRequest[] = [];
  const changed: string[] = [];
  const problems: string[] = [];
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
    onChange: (host) => void changed.push(host),
  });
  const done = subject.run(stop.signal);
  let version = 1;
  const tell = (type: string, name: string) => {
    version += 1;
    const metadata = { name, uid: `uid-${name}`, resourceVersion: String(version) };
    const annotations = type === 'BOOKMARK' ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    const object = { kind: 'Node', apiVersion: 'v1', metadata: { ...metadata, ...annotations } };
    streams.at(-1)?.onLine(Buffer.from(JSON.stringify({ type, object })));
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await done;
  };
  return { clock, subject, streams, changed, problems, tell, end };
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

  it('are known since they were first seen so, and told as they come and go', async () => {
    const { subject, clock, changed, tell, end } = rig();
    await clock.run(0);
    tell('ADDED', 'host-1');
    tell('BOOKMARK', '');
    const atMs = clock.nowMs();
    await clock.run(5_000);
    tell('MODIFIED', 'host-1');
    expect([...subject.current()]).to.deep.equal([['host-1', atMs]]);
    tell('DELETED', 'host-1');
    expect([subject.current().size, changed]).to.deep.equal([0, ['host-1', 'host-1', 'host-1']]);
    await end();
  });

  it('are nobody’s to know who may not watch Nodes, and are asked for again in ten minutes', async () => {
    const { subject, streams, clock, problems, end } = rig(403);
    await clock.run(599_000);
    expect([subject.current().size, streams.length, problems]).to.deep.equal([0, 1, []]);
    await clock.run(2_000);
    expect(streams.length).to.equal(2);
    await end();
  });
});
