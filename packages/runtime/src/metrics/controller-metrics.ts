// The metrics of one controller and its queue, under our names and under those of controller-runtime, so that its
// dashboards work. Every child is bound once: a pass costs a handful of increments and no label lookup.
import type { Registry } from 'prom-client';
import type { Controller, ControllerHooks, PassResult } from '../controller/controller.ts';
import { createMeters } from './meters.ts';

export interface ControllerMetrics {
  /** The hooks for `createController`, bound to its name. */
  hooks(controller: string, concurrency: number): ControllerHooks;
  /** Adds a controller whose queue depth, oldest wait and running passes are read at every scrape. */
  observe(controller: Controller): void;
}

const PASS_RESULTS: readonly PassResult[] = [
  'success',
  'requeue_after',
  'conflict',
  'error',
  'timeout',
  'aborted',
  'skipped',
];
/** controller-runtime counts a conflict or a lost grant as a requeue. A skipped pass is not counted: it never ran. */
const CR_RESULT: Partial<Record<PassResult, string>> = {
  success: 'success',
  requeue_after: 'requeue_after',
  conflict: 'requeue',
  aborted: 'requeue',
  error: 'error',
  timeout: 'error',
};
const PASS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const WAIT_SECONDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60];

export function createControllerMetrics(registry: Registry, prefix: string): ControllerMetrics {
  const { counter, gauge, histogram } = createMeters(registry);
  const observed: Controller[] = [];
  const waitMax = new Map<string, number>();
  /** A gauge with one value per controller. */
  const perController = (
    name: string,
    help: string,
    labels: readonly string[],
    value: (one: Controller) => number | undefined,
  ) =>
    gauge(name, help, labels, (it) => {
      for (const one of observed) {
        const current = value(one);
        if (current !== undefined) it.set(Object.fromEntries(labels.map((label) => [label, one.name])), current);
      }
    });

  const passes = counter(`${prefix}reconcile_total`, 'Passes, by how they ended', ['controller', 'result']);
  const passSeconds = histogram(`${prefix}reconcile_duration_seconds`, 'Length of a pass', PASS_SECONDS, [
    'controller',
  ]);
  const waitSeconds = histogram(
    `${prefix}queue_wait_seconds`,
    'Time that a ready key waited for its pass',
    WAIT_SECONDS,
    ['controller'],
  );
  gauge(`${prefix}queue_wait_max_seconds`, 'Longest such wait since the last scrape', ['controller'], (it) => {
    for (const [controller, max] of waitMax) it.set({ controller }, max);
    for (const controller of waitMax.keys()) waitMax.set(controller, 0);
  });
  gauge(`${prefix}queue_depth`, 'Keys ready to run', ['controller', 'priority'], (it) => {
    for (const one of observed) {
      const { high, low } = one.inspect().queue;
      it.set({ controller: one.name, priority: 'high' }, high);
      it.set({ controller: one.name, priority: 'low' }, low);
    }
  });
  perController(
    `${prefix}queue_oldest_seconds`,
    'How long the key that has been waiting longest has waited so far',
    ['controller'],
    (one) => one.inspect().queue.oldestWaitMs / 1000,
  );
  perController(
    `${prefix}reconcile_oldest_running_seconds`,
    'Age of the longest pass under way',
    ['controller'],
    (one) => longestMs(one) / 1000,
  );
  perController(
    `${prefix}reconcile_oldest_success_timestamp_seconds`,
    'When the key whose last successful pass is longest ago had that pass',
    ['controller'],
    (one) => {
      const atMs = one.inspect().oldestSuccessAtMs;
      return atMs === undefined ? undefined : atMs / 1000;
    },
  );

  const cr = {
    passes: counter('controller_runtime_reconcile_total', 'Reconciliations per controller', ['controller', 'result']),
    errors: counter('controller_runtime_reconcile_errors_total', 'Reconciliation errors', ['controller']),
    terminal: counter('controller_runtime_terminal_reconcile_errors_total', 'Always 0: every error is retried', [
      'controller',
    ]),
    panics: counter('controller_runtime_reconcile_panics_total', 'Always 0: an exception is an error here', [
      'controller',
    ]),
    timeouts: counter('controller_runtime_reconcile_timeouts_total', 'Reconciliations over their time limit', [
      'controller',
    ]),
    seconds: histogram('controller_runtime_reconcile_time_seconds', 'Length of a reconciliation', PASS_SECONDS, [
      'controller',
    ]),
    workers: gauge('controller_runtime_max_concurrent_reconciles', 'Reconciliations that may run at once', [
      'controller',
    ]),
    adds: counter('workqueue_adds_total', 'Adds handled by the queue', ['name', 'controller']),
    retries: counter('workqueue_retries_total', 'Retries handled by the queue', ['name', 'controller']),
    wait: histogram('workqueue_queue_duration_seconds', 'Wait in the queue', WAIT_SECONDS, ['name', 'controller']),
    work: histogram('workqueue_work_duration_seconds', 'Length of the work', PASS_SECONDS, ['name', 'controller']),
  };
  const queueLabels = ['name', 'controller'];
  perController('controller_runtime_active_workers', 'Reconciliations under way', ['controller'], runningCount);
  perController('workqueue_depth', 'Keys ready to run', queueLabels, (one) => {
    const { high, low } = one.inspect().queue;
    return high + low;
  });
  perController('workqueue_unfinished_work_seconds', 'Sum of the ages of work under way', queueLabels, (one) => {
    return one.inspect().running.reduce((sum, { forMs }) => sum + forMs, 0) / 1000;
  });
  perController(
    'workqueue_longest_running_processor_seconds',
    'Age of the longest work under way',
    queueLabels,
    (one) => longestMs(one) / 1000,
  );

  return {
    hooks(controller, concurrency) {
      const queue = { name: controller, controller };
      const ours = new Map(PASS_RESULTS.map((result) => [result, passes.labels({ controller, result })]));
      const theirs = new Map(
        PASS_RESULTS.flatMap((result) => {
          const name = CR_RESULT[result];
          return name === undefined ? [] : [[result, cr.passes.labels({ controller, result: name })] as const];
        }),
      );
      const errors = cr.errors.labels({ controller });
      const timeouts = cr.timeouts.labels({ controller });
      const lengths = [passSeconds.labels({ controller }), cr.seconds.labels({ controller }), cr.work.labels(queue)];
      const waits = [waitSeconds.labels({ controller }), cr.wait.labels(queue)];
      const adds = cr.adds.labels(queue);
      const retries = cr.retries.labels(queue);
      for (const never of [cr.panics, cr.terminal]) never.labels({ controller }).inc(0);
      cr.workers.labels({ controller }).set(concurrency);
      waitMax.set(controller, 0);
      return {
        queue: {
          added: () => adds.inc(),
          retried: () => retries.inc(),
          started(waitMs) {
            for (const wait of waits) wait.observe(waitMs / 1000);
            if (waitMs / 1000 > (waitMax.get(controller) ?? 0)) waitMax.set(controller, waitMs / 1000);
          },
        },
        finished(result, durationMs) {
          ours.get(result)?.inc();
          theirs.get(result)?.inc();
          if (result === 'skipped') return;
          if (CR_RESULT[result] === 'error') errors.inc();
          if (result === 'timeout') timeouts.inc();
          for (const length of lengths) length.observe(durationMs / 1000);
        },
      };
    },
    observe(controller) {
      observed.push(controller);
    },
  };
}

function runningCount(one: Controller): number {
  return one.inspect().queue.running;
}

function longestMs(one: Controller): number {
  return one.inspect().running.reduce((max, { forMs }) => Math.max(max, forMs), 0);
}
