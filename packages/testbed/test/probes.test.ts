import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { type ContainerProbesOptions, startContainerProbes } from '../src/kubelet/containers/container-probes.ts';
import { createCrashBackoff } from '../src/kubelet/containers/crash-backoff.ts';
import { isProbeSuccess } from '../src/kubelet/containers/http-get.ts';
import { afterAnswer, type ProbeState, probeSettings, UNPROBED } from '../src/kubelet/containers/probe.ts';

const settings = {
  path: '/',
  port: 1,
  initialDelayMs: 0,
  periodMs: 1000,
  timeoutMs: 1000,
  successThreshold: 2,
  failureThreshold: 3,
};
const after = (answers: string): ProbeState['verdict'] =>
  [...answers].reduce((state, answer) => afterAnswer(state, answer === '+', settings), UNPROBED).verdict;

describe('the verdict of a probe', () => {
  for (const [answers, verdict] of [
    ['', 'unknown'],
    ['+', 'unknown'],
    ['++', 'success'],
    ['--', 'unknown'],
    ['---', 'failure'],
    ['++--', 'success'],
    ['++--+--', 'success'],
    ['++---', 'failure'],
    ['---+', 'failure'],
    ['---++', 'success'],
  ] as const) {
    it(`is ${verdict} after "${answers}" with thresholds 2 and 3`, () => {
      expect(after(answers)).to.equal(verdict);
    });
  }

  it('has the defaults of Kubernetes, and looks up a named port', () => {
    expect(
      probeSettings({ httpGet: { path: '/ready', port: 'http' } }, [{ name: 'http', containerPort: 9121 }], 1),
    ).to.deep.equal({
      path: '/ready',
      port: 9121,
      initialDelayMs: 0,
      periodMs: 10_000,
      timeoutMs: 1000,
      successThreshold: 1,
      failureThreshold: 3,
    });
  });

  it('divides delay and period by the speed, but not the time limit', () => {
    const spec = { httpGet: { port: 1 }, initialDelaySeconds: 10, periodSeconds: 5, timeoutSeconds: 2 };
    expect(probeSettings(spec, [], 10)).to.include({ initialDelayMs: 1000, periodMs: 500, timeoutMs: 2000 });
  });

  it('treats 200 to 399 as success and everything else, silence included, as failure', () => {
    expect([200, 399, 199, 400, 503, undefined].map(isProbeSuccess)).to.deep.equal([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('probes of a container', () => {
  const httpGet = (path: string) => ({ path, port: 9121 });

  /** Runs for `seconds`; `answers` says which paths answer 200 at a time. */
  async function told(
    seconds: number,
    isUp: (path: string, atMs: number) => boolean,
    isLight = false,
  ): Promise<string[]> {
    const clock = createManualClock();
    const log: string[] = [];
    const note = (what: string): number => log.push(`${clock.monotonicMs() / 1000} ${what}`);
    const options: ContainerProbesOptions = {
      container: {
        name: 'c',
        startupProbe: { httpGet: httpGet('/alive'), periodSeconds: 1, failureThreshold: 5 },
        readinessProbe: { httpGet: httpGet('/ready'), periodSeconds: 2, failureThreshold: 1 },
        livenessProbe: { httpGet: httpGet('/alive'), periodSeconds: 10, failureThreshold: 2 },
      },
      host: '127.9.0.1',
      speed: 1,
      isLight,
      clock,
      get: (_host, _port, path) => Promise.resolve(isUp(path, clock.monotonicMs()) ? 200 : 503),
      onStarted: () => note('started'),
      onReady: (isReady) => note(isReady ? 'ready' : 'not ready'),
      onUnhealthy: (probe) => note(`${probe} failed`),
    };
    const probes = startContainerProbes(options);
    await clock.run(seconds * 1000);
    probes.stop();
    await clock.run(60_000);
    return log;
  }

  it('ask for readiness only after the startup probe has passed', async () => {
    expect(await told(5, (_path, atMs) => atMs >= 3000)).to.deep.equal(['3 started', '3 ready']);
  });

  it('report when the startup probe has used up its failures', async () => {
    expect(await told(10, () => false)).to.deep.equal(['4 startup failed']);
  });

  it('report when readiness is lost and comes back', async () => {
    expect(await told(9, (path, atMs) => path === '/alive' || atMs < 3000 || atMs >= 7000)).to.deep.equal([
      '0 started',
      '0 ready',
      '4 not ready',
      '8 ready',
    ]);
  });

  it('report when liveness has failed as often as its threshold', async () => {
    expect(await told(25, (_path, atMs) => atMs < 5000)).to.deep.equal([
      '0 started',
      '0 ready',
      '6 not ready',
      '20 liveness failed',
    ]);
  });

  it('in a light run are only those of readiness, asked at once and often', async () => {
    expect(await told(5, (_path, atMs) => atMs >= 150, true)).to.deep.equal(['0 started', '0 not ready', '0.2 ready']);
  });

  it('in a light run end with the first success, so that thousands of Pods at rest cost nothing', async () => {
    const asked: number[] = [];
    await told(5, (_path, atMs) => asked.push(atMs) > 1, true);
    expect(asked).to.deep.equal([0, 200]);
  });
});

describe('the back-off of a container that ends', () => {
  it('is 0 at first, then 10 s, and doubles up to 5 min', () => {
    const backoff = createCrashBackoff();
    expect(Array.from({ length: 8 }, () => backoff.next(1000) / 1000)).to.deep.equal([
      0, 10, 20, 40, 80, 160, 300, 300,
    ]);
  });

  it('is forgotten after 10 min of running, not one second before', () => {
    const backoff = createCrashBackoff();
    backoff.next(0);
    backoff.next(0);
    expect(backoff.next(599_999)).to.equal(20_000);
    expect(backoff.next(600_000)).to.equal(0);
  });

  it('is divided by the speed', () => {
    const backoff = createCrashBackoff(10);
    expect([backoff.next(0), backoff.next(0)]).to.deep.equal([0, 1000]);
  });
});
