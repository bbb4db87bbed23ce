import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createController } from '../src/controller/controller.ts';
import { createEventLoopMonitor } from '../src/metrics/event-loop-lag.ts';
import { createMetrics, type Metrics } from '../src/metrics/metrics.ts';
import { createManualClock } from './support/manual-clock.ts';

/** `name{labels}` → value, of everything the registry shows. */
async function scrape(metrics: Metrics): Promise<Map<string, number>> {
  const lines = (await metrics.registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const OURS = [
  'reconcile_total',
  'reconcile_duration_seconds',
  'queue_depth',
  'queue_wait_seconds',
  'queue_wait_max_seconds',
  'queue_oldest_seconds',
  'write_conflicts_total',
  'api_requests_total',
  'watch_restarts_total',
  'relist_total',
  'informer_lag_seconds',
  'ownership_slots',
  'ownership_lease_left_seconds',
  'build_info',
].map((name) => `marekvs_operator_${name}`);

const THEIRS = [
  'controller_runtime_reconcile_total',
  'controller_runtime_reconcile_errors_total',
  'controller_runtime_terminal_reconcile_errors_total',
  'controller_runtime_reconcile_panics_total',
  'controller_runtime_reconcile_time_seconds',
  'controller_runtime_reconcile_timeouts_total',
  'controller_runtime_max_concurrent_reconciles',
  'controller_runtime_active_workers',
  'workqueue_depth',
  'workqueue_adds_total',
  'workqueue_queue_duration_seconds',
  'workqueue_work_duration_seconds',
  'workqueue_unfinished_work_seconds',
  'workqueue_longest_running_processor_seconds',
  'workqueue_retries_total',
  'rest_client_requests_total',
  'leader_election_master_status',
];

describe('the metrics of the runtime', () => {
  it('have every name of the operator and of controller-runtime', async () => {
    const names = createMetrics({ version: '1' })
      .registry.getMetricsAsArray()
      .map((metric) => metric.name);
    expect(names).to.include.members([...OURS, ...THEIRS]);
  });

  it('use the given prefix', async () => {
    const values = await scrape(createMetrics({ version: '1.2.3', prefix: 'other_', commit: 'abc' }));
    expect(
      values.get(`other_build_info{version="1.2.3",commit="abc",node_version="${process.versions.node}"}`),
    ).to.equal(1);
    expect([...values.keys()].filter((name) => name.startsWith('marekvs_'))).to.deep.equal([]);
  });

  it('count the passes of a controller under both names', async () => {
    const metrics = createMetrics({ version: '1' });
    const clock = createManualClock();
    const controller = createController({
      grant: () => ({ left: () => Number.POSITIVE_INFINITY, signal: new AbortController().signal }),
      name: 'cluster',
      clock,
      concurrency: 2,
      hooks: metrics.controllers.hooks('cluster', 2),
      reconcile: (key) =>
        key === 'ns/bad'
          ? Promise.reject(new Error('no'))
          : clock.delay(70).then(() => ({ kind: 'requeue', afterMs: 60_000 })),
    });
    metrics.controllers.observe(controller);
    for (const key of ['ns/bad', 'ns/a', 'ns/b']) controller.enqueue(key);
    const stop = new AbortController();
    const ended = controller.run(stop.signal);
    await clock.run(10);
    const during = await scrape(metrics);
    expect(during.get('controller_runtime_active_workers{controller="cluster"}')).to.equal(2);
    expect(during.get('workqueue_longest_running_processor_seconds{name="cluster",controller="cluster"}')).to.equal(
      0.01,
    );
    await clock.run(100);
    stop.abort();
    await clock.run(100);
    await ended;
    const values = await scrape(metrics);
    expect(values.get('marekvs_operator_reconcile_total{controller="cluster",result="requeue_after"}')).to.equal(2);
    expect(values.get('controller_runtime_reconcile_total{controller="cluster",result="requeue_after"}')).to.equal(2);
    expect(values.get('controller_runtime_reconcile_errors_total{controller="cluster"}')).to.equal(1);
    expect(values.get('controller_runtime_max_concurrent_reconciles{controller="cluster"}')).to.equal(2);
    expect(values.get('controller_runtime_reconcile_time_seconds_bucket{le="0.1",controller="cluster"}')).to.equal(3);
    expect(values.get('workqueue_retries_total{name="cluster",controller="cluster"}')).to.equal(1);
    expect(values.get('marekvs_operator_queue_depth{controller="cluster",priority="high"}')).to.equal(0);
  });

  it('count requests, watch restarts, leadership and cache lag, without labels for single objects', async () => {
    const metrics = createMetrics({ version: '1' });
    metrics.onRequest({ verb: 'update', resource: 'pods', code: '409' });
    metrics.onRequest({ verb: 'list', resource: 'pods', code: 'error' });
    metrics.reflector.watchRestarted('pods', 'expired');
    metrics.leaderElection.leading(true);
    metrics.observeLease(() => 9500);
    metrics.ownership.refused(true);
    metrics.observeCache('pods', () => 61_000);
    const values = await scrape(metrics);
    expect(values.get('marekvs_operator_api_requests_total{verb="update",resource="pods",code="409"}')).to.equal(1);
    expect(values.get('rest_client_requests_total{code="409",method="PUT"}')).to.equal(1);
    expect(values.get('rest_client_requests_total{code="<error>",method="GET"}')).to.equal(1);
    expect(values.get('marekvs_operator_watch_restarts_total{kind="pods",reason="expired"}')).to.equal(1);
    expect(values.get('leader_election_master_status{name="leader-election"}')).to.equal(1);
    expect(values.get('marekvs_operator_ownership_lease_left_seconds')).to.equal(9.5);
    expect(values.get('marekvs_operator_ownership_refused')).to.equal(1);
    expect(values.get('marekvs_operator_informer_lag_seconds{kind="pods"}')).to.equal(61);
    const labels = metrics.registry
      .getMetricsAsArray()
      .flatMap((metric) => (metric as { labelNames?: string[] }).labelNames ?? []);
    expect(labels).to.not.include.members(['key']);
    expect(labels.filter((label) => ['key', 'cluster', 'node', 'namespace', 'uid'].includes(label))).to.deep.equal([]);
  });

  it('show a blocked event loop (F22)', async () => {
    const metrics = createMetrics({ version: '1' });
    const clock = createManualClock();
    const stop = new AbortController();
    const ended = createEventLoopMonitor(metrics.registry, { clock }).run(stop.signal);
    await clock.run(1000);
    expect((await scrape(metrics)).get('marekvs_operator_event_loop_lag_max_seconds')).to.equal(0);
    clock.freeze(20_000);
    await clock.run(0);
    expect((await scrape(metrics)).get('marekvs_operator_event_loop_lag_max_seconds')).to.be.within(19, 20);
    expect((await scrape(metrics)).get('marekvs_operator_event_loop_lag_max_seconds')).to.equal(0);
    stop.abort();
    await ended;
    expect(clock.pendingTimers).to.equal(0);
  });
});
