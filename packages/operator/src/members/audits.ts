// Does what the planner asks for with test keys ("canaries", marekvs.md 5.8), again and again until it is done, and tells how far
// it is. Nothing here decides: the report is an observation like any other, and is lost when the operator restarts.

import { nodeName } from '@marekvs/api';
import { type AuditReport, type AuditRequest, isSameRequest } from '@marekvs/planner';
import { type Clock, createBackoff } from '@marekvs/runtime';
import type { StoreClient } from '@marekvs/store-client';
import { untilAborted } from '../until-aborted.ts';
import { createAuditWork } from './audit-work.ts';

export interface Audits {
  /** Sets what is to be done for a cluster. An equal request goes on, another one ends it; undefined ends and forgets.
   *  Idempotent and cheap. */
  want(clusterKey: string, request: AuditRequest | undefined): void;
  /** How far the wanted work is; undefined when none is wanted. */
  report(clusterKey: string): AuditReport | undefined;
  /** Runs until aborted. Until then, what is wanted only waits. */
  run(signal: AbortSignal): Promise<void>;
}

export interface AuditsOptions {
  readonly store: StoreClient;
  readonly clock: Clock;
  /** As the sampler's. */
  readonly passwordOf: (nodeKey: string, isStale: boolean, signal: AbortSignal) => Promise<string | undefined>;
  /** The report's state or its count of missing keys has changed: look at the cluster again. */
  readonly onProgress: (clusterKey: string) => void;
  /** We speak RESP to the member in that Pod until the returned function is called (`Sampler.disturb`). */
  readonly onOwnExchange: (podUid: string) => () => void;
}

/** For one attempt at everything that is open. */
export const ATTEMPT_LIMIT_MS = 10_000;
/** What is missing is asked for again after so long; after a failure the waits double up to the second figure. */
export const AGAIN_MS = 1_000;
const MAX_AGAIN_MS = 5_000;
/** Clusters worked on at once. */
const MAX_CLUSTERS = 8;
const SHOWN_MISSING = 10;

interface Entry {
  readonly clusterKey: string;
  readonly stop: AbortController;
  report: AuditReport;
}

export function createAudits(options: AuditsOptions): Audits {
  const { clock, store, onOwnExchange } = options;
  const waitAfter = createBackoff({ baseMs: AGAIN_MS, maxMs: MAX_AGAIN_MS, jitter: 0 });
  const wanted = new Map<string, Entry>();
  /** By cluster, the last work that was begun: the next one waits for its end, also when nobody wants it any more. */
  const underWay = new Map<string, Promise<void>>();
  const places = createPlaces(MAX_CLUSTERS);
  let isRunning = false;

  function begin(entry: Entry): void {
    const { clusterKey } = entry;
    const before = underWay.get(clusterKey) ?? Promise.resolve();
    const work: Promise<void> = before
      .then(() => workOn(entry))
      .catch(() => {}) // Ended by us: everything else is in the report.
      .finally(() => {
        if (underWay.get(clusterKey) === work) underWay.delete(clusterKey);
      });
    underWay.set(clusterKey, work);
  }

  async function workOn(entry: Entry): Promise<void> {
    const { clusterKey, stop, report } = entry;
    const work = createAuditWork(report.request, {
      store,
      onOwnExchange,
      passwordOf: (id, isStale, signal) => options.passwordOf(nodeName(clusterKey, id), isStale, signal),
    });
    for (let failures = 0; ; ) {
      await places.take();
      let error: string | undefined;
      try {
        stop.signal.throwIfAborted();
        error = await withLimit(stop.signal, (signal) => work.attempt(signal));
      } finally {
        places.giveBack();
      }
      stop.signal.throwIfAborted();
      const open = work.open();
      tell(entry, open, error);
      if (open.length === 0) return;
      failures = error === undefined ? 0 : failures + 1;
      await clock.delay(waitAfter(Math.max(1, failures)), stop.signal);
    }
  }

  function tell(entry: Entry, open: AuditReport['missing'], error: string | undefined): void {
    const before = entry.report;
    const isComplete = open.length === 0;
    entry.report = {
      request: before.request,
      state: isComplete ? 'complete' : 'incomplete',
      doneAtMs: isComplete ? clock.monotonicMs() : undefined,
      missing: open.slice(0, SHOWN_MISSING),
      missingCount: open.length,
      error: isComplete ? undefined : error,
    };
    if (before.state !== entry.report.state || before.missingCount !== entry.report.missingCount)
      options.onProgress(entry.clusterKey);
  }

  async function withLimit<T>(outer: AbortSignal, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const timer = clock.after(ATTEMPT_LIMIT_MS, () =>
      limit.abort(new Error(`not done within ${ATTEMPT_LIMIT_MS / 1000} s`)),
    );
    try {
      return await attempt(AbortSignal.any([outer, limit.signal]));
    } finally {
      timer.cancel();
    }
  }

  function forget(clusterKey: string): void {
    wanted.get(clusterKey)?.stop.abort();
    wanted.delete(clusterKey);
  }

  return {
    want(clusterKey, request) {
      const before = wanted.get(clusterKey)?.report.request;
      if (before !== undefined && request !== undefined && isSameRequest(before, request)) return;
      forget(clusterKey);
      if (request === undefined) return;
      const report: AuditReport = {
        request,
        state: 'running',
        doneAtMs: undefined,
        missing: [],
        missingCount: 0,
        error: undefined,
      };
      const entry = { clusterKey, stop: new AbortController(), report };
      wanted.set(clusterKey, entry);
      if (isRunning) begin(entry);
    },
    report: (clusterKey) => wanted.get(clusterKey)?.report,
    async run(signal) {
      isRunning = true;
      for (const entry of wanted.values()) begin(entry);
      await untilAborted(signal);
      isRunning = false;
      for (const clusterKey of [...wanted.keys()]) forget(clusterKey);
      await Promise.allSettled(underWay.values());
    },
  };
}

/** So many may be inside at once; the others wait in the order they came. */
function createPlaces(count: number) {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async take(): Promise<void> {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    giveBack(): void {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}
