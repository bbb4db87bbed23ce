// Compares the contents of members as the planner asks, and reports the progress. Decides nothing: the report is an
// observation like any other, and is lost when the operator restarts.

import {
  type Comparison,
  type ComparisonReport,
  type ComparisonRequest,
  type CreateComparison,
  createComparison,
  isSameComparison,
  Judged,
} from '@marekvs/planner';
import { type Clock, errorText, namespaceOf, untilAborted } from '@marekvs/runtime';
import type { ContentClient } from '@marekvs/store-client';
import { createPlaces, type Place } from './comparison-places.ts';
import { isNews, reportOf, TELL_MS, waitingReport } from './comparison-report.ts';
import { type RunState, runComparison } from './comparison-run.ts';
import { type ContentLink, createContentLink } from './content-link.ts';
import { createWorkStretch } from './work-stretch.ts';

export interface Comparisons {
  /** Sets what is to be compared for a cluster. An equal request continues the work, unless that began before the
   *  `sinceMs` of the request: then it begins anew. A different request ends the one before; undefined ends and
   *  forgets. Idempotent and cheap. */
  want(clusterKey: string, request: ComparisonRequest | undefined): void;
  /** The progress of the wanted work; undefined when none is wanted. */
  report(clusterKey: string): ComparisonReport | undefined;
  /** Compares until aborted. Before it runs, requests only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface ComparisonsOptions {
  readonly contents: ContentClient;
  /** @default the planner's */
  readonly createComparison?: CreateComparison;
  readonly clock: Clock;
  readonly random: () => number;
  /** The report has changed in a way that may matter: reconcile the cluster again. */
  readonly onProgress: (clusterKey: string) => void;
}

/** A comparison without progress for this long gives its place to those that wait: records that can never be
 *  replicated, or an unreadable member, must not keep other clusters from being compared. Several such comparisons take
 *  turns. */
export const STUCK_MS = 30_000;
/** After this long a comparison gives its place to those that wait, whatever its progress, and goes on later with what
 *  it knows: contents that never stand still would make progress for ever. */
export const TURN_MS = 120_000;
/** After a failure of our own, everything begins anew after this time. */
const ANEW_MS = 30_000;

/** Clusters whose findings are kept: those whose records all have one version on every member have none. */
const MAX_JUDGED = 16;

interface Work {
  readonly comparison: Comparison;
  readonly links: readonly ContentLink[];
  readonly startedAtMs: number;
}

interface Entry {
  readonly clusterKey: string;
  readonly stop: AbortController;
  request: ComparisonRequest;
  /** Undefined before the work has begun and after it has ended. */
  work: Work | undefined;
  report: ComparisonReport;
  /** The work has progressed since `report` was made. */
  isOutdated: boolean;
  scannedAtMs: number;
  reported: ComparisonReport;
  reportedAtMs: number;
}

export function createComparisons(options: ComparisonsOptions): Comparisons {
  const { clock, createComparison: create = createComparison } = options;
  const wanted = new Map<string, Entry>();
  const judged = new Map<string, Judged>();
  /** The last work begun per cluster: the next one waits for its end, even if it is no longer wanted. */
  const underWay = new Map<string, Promise<void>>();
  const places = createPlaces();
  const stretch = createWorkStretch(clock);
  let isRunning = false;

  function begin(entry: Entry): void {
    const { clusterKey } = entry;
    const before = underWay.get(clusterKey) ?? Promise.resolve();
    const done: Promise<void> = before
      .then(() => compare(entry))
      .catch(() => {}) // Ended by us: everything else is in the report.
      .finally(() => {
        if (underWay.get(clusterKey) === done) underWay.delete(clusterKey);
      });
    underWay.set(clusterKey, done);
  }

  async function compare(entry: Entry): Promise<void> {
    const { signal } = entry.stop;
    const namespace = namespaceOf(entry.clusterKey);
    for (let isAgain = false; ; ) {
      const place = await places.take({ namespace, purpose: entry.request.purpose, isAgain }, signal);
      try {
        if ((await goOn(entry, place)) === 'complete') return;
        isAgain = true;
      } catch (error) {
        signal.throwIfAborted();
        place.giveBack();
        breakDown(entry, error);
        await clock.delay(ANEW_MS, signal);
      } finally {
        place.giveBack();
      }
    }
  }

  async function goOn(entry: Entry, place: Place): Promise<'complete' | 'paused'> {
    entry.work ??= createWork(entry);
    const { comparison, links } = entry.work;
    const fromMs = clock.monotonicMs();
    const state = (isQuiet: boolean): RunState => stateOf(entry, place, fromMs, isQuiet);
    const { isKeptFresh } = entry.request;
    const end = await runComparison({ clock, comparison, links, isKeptFresh, stretch, state }, entry.stop.signal);
    // The report stays as it was when the comparison became complete.
    if (end === 'complete') entry.work = undefined;
    else comparison.rest(clock.monotonicMs());
    return end;
  }

  function createWork({ clusterKey, request }: Entry): Work {
    const isPaced = request.purpose === 'routine';
    const startedAtMs = clock.monotonicMs();
    return {
      comparison: create(request, startedAtMs, judgedOf(clusterKey)),
      links: request.members.map((member) =>
        createContentLink({ client: options.contents, clock, random: options.random, member, isPaced }),
      ),
      startedAtMs,
    };
  }

  /** Of the clusters compared last. */
  function judgedOf(clusterKey: string): Judged {
    const known = judged.get(clusterKey) ?? new Judged();
    judged.delete(clusterKey);
    judged.set(clusterKey, known);
    for (const oldest of judged.keys()) if (judged.size > MAX_JUDGED) judged.delete(oldest);
    return known;
  }

  /** @param fromMs since when the work has its place */
  function stateOf(entry: Entry, place: Place, fromMs: number, isQuiet: boolean): RunState {
    entry.isOutdated = true;
    const nowMs = clock.monotonicMs();
    // For mere progress, figures are computed about once a second. The end and a lost member are seen at once.
    const isProgress = !isQuiet && entry.reported.state === 'running' && nowMs - entry.scannedAtMs < TELL_MS;
    if (isProgress && entry.reported.problem?.nodeId === problemOf(entry)?.nodeId)
      return { isComplete: false, isToPause: false };
    entry.scannedAtMs = nowMs;
    const report = current(entry);
    if (isNews(entry.reported, report, nowMs - entry.reportedAtMs)) tell(entry, nowMs);
    return {
      isComplete: report.state === 'complete',
      isToPause: isToPause(entry, place, nowMs - fromMs, nowMs - Math.max(fromMs, report.movedAtMs)),
    };
  }

  function isToPause(entry: Entry, place: Place, heldMs: number, stoodMs: number): boolean {
    if (stoodMs >= STUCK_MS || heldMs >= TURN_MS) return place.isNeededBy('anybody');
    if (heldMs >= STUCK_MS && place.isBeyondShare()) return true;
    // A comparison at rest takes many minutes, so that it alone gives way while it makes progress.
    return entry.request.purpose === 'routine' && place.isNeededBy('moreUrgent');
  }

  function current(entry: Entry): ComparisonReport {
    if (entry.isOutdated && entry.work !== undefined) {
      const { startedAtMs, comparison } = entry.work;
      entry.report = reportOf(entry.request, startedAtMs, comparison.figures(), problemOf(entry));
    }
    entry.isOutdated = false;
    return entry.report;
  }

  function tell(entry: Entry, nowMs: number): void {
    entry.reported = entry.report;
    entry.reportedAtMs = nowMs;
    options.onProgress(entry.clusterKey);
  }

  /** Our own failure, not a member's: everything known is discarded. */
  function breakDown(entry: Entry, error: unknown): void {
    const { members, sources } = entry.request;
    const nodeId = sources[0] ?? members[0]?.nodeId ?? 0;
    const nowMs = clock.monotonicMs();
    entry.work = undefined;
    entry.isOutdated = false;
    entry.report = waitingReport(entry.request, nowMs, { nodeId, error: errorText(error) });
    if (isNews(entry.reported, entry.report, nowMs - entry.reportedAtMs)) tell(entry, nowMs);
  }

  function createEntry(clusterKey: string, request: ComparisonRequest): Entry {
    const nowMs = clock.monotonicMs();
    const report = waitingReport(request, nowMs);
    const stop = new AbortController();
    const fresh = { work: undefined, isOutdated: false, scannedAtMs: nowMs, reported: report, reportedAtMs: nowMs };
    return { clusterKey, stop, request, report, ...fresh };
  }

  function forget(clusterKey: string): void {
    wanted.get(clusterKey)?.stop.abort();
    wanted.delete(clusterKey);
  }

  return {
    want(clusterKey, request) {
      const before = wanted.get(clusterKey);
      if (before !== undefined && request !== undefined && isStillGood(before, request)) {
        if (before.request !== request) before.report = { ...before.report, request };
        before.request = request;
        return;
      }
      forget(clusterKey);
      if (request === undefined) return;
      const entry = createEntry(clusterKey, request);
      wanted.set(clusterKey, entry);
      if (isRunning) begin(entry);
    },
    report(clusterKey) {
      const entry = wanted.get(clusterKey);
      return entry === undefined ? undefined : current(entry);
    },
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

/** The same work, not begun before the moment that the request is about. */
function isStillGood({ request: before, report, work }: Entry, request: ComparisonRequest): boolean {
  const startedAtMs = work?.startedAtMs ?? report.startedAtMs;
  return isSameComparison(before, request) && (startedAtMs === undefined || startedAtMs >= request.sinceMs);
}

/** The problem of the first member, in their order, that cannot be read. */
function problemOf({ work }: Entry): ComparisonReport['problem'] {
  const link = work?.links.find(({ problem }) => problem !== undefined);
  return link?.problem === undefined ? undefined : { nodeId: link.nodeId, error: link.problem };
}
