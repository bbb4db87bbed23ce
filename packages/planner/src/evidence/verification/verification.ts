// Answers: is every record on all its homes, as far as it was compared, and is it time to compare? At rest and after
// every change; what a removal needs is in removal/. The answer is about one topology: other members, generations or
// placement make it unknown.

import { cutText, type MarekvsClusterStatus } from '@marekvs/api';
import type { ComparisonPurpose, ComparisonReport, ComparisonRequest } from '../../contents/request.ts';
import { hasLastingPod } from '../../members/member-state.ts';
import { presentNodes } from '../../members/replacement.ts';
import { sharedFactor } from '../../members/shared-factor.ts';
import { presentTopology } from '../../members/topology.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { countText, type Hold, hold, messageText, timeText } from '../../values/hold.ts';
import { comparedMembers, reportOf } from '../compared-members.ts';
import { STUCK_MS, stuckHold } from '../contents-check.ts';
import { divergingText, missingText, namesIn, progressText, unreadableText } from '../report-text.ts';
import { verifiedMembers } from './verified-members.ts';

export type Verification = NonNullable<MarekvsClusterStatus['verification']>;

export interface VerificationPlan {
  /** What is to be compared now. */
  readonly contents: ComparisonRequest | undefined;
  /** What is known of the present members; undefined while nothing is. */
  readonly verification: Verification | undefined;
  /** Set when something has been missing for long, or cannot be read. */
  readonly hold: Hold | undefined;
  /** When the next comparison at rest is due. */
  readonly requeueAfterMs: number | undefined;
}

const NOTHING: VerificationPlan = {
  contents: undefined,
  verification: undefined,
  hold: undefined,
  requeueAfterMs: undefined,
};

/** Retry interval while the generation of a member is not known: its metrics come without an event. */
const UNKNOWN_LIFE_MS = 10_000;

/** For a formed cluster without an operation under way. */
export function planVerification(o: ClusterObservation): VerificationPlan {
  const topology = wholeTopology(o);
  if (topology === undefined) return NOTHING;
  const known = currentVerification(o, topology);
  const due = dueNow(o, known);
  if (due === undefined) return { ...NOTHING, verification: known, requeueAfterMs: dueInMs(o) };
  const members = comparedMembers(o, presentNodes(o));
  if (members === undefined) return { ...NOTHING, verification: known, requeueAfterMs: UNKNOWN_LIFE_MS };
  const request: ComparisonRequest = {
    purpose: due.purpose,
    id: due.id,
    members,
    sources: members.map(({ nodeId }) => nodeId),
    replicationFactor: sharedFactor(o),
    sinceMs: Number.NEGATIVE_INFINITY,
    isKeptFresh: false,
  };
  return judged(o, request, topology, known);
}

/** The answer when no comparison was needed: every record is covered, as a removal has just proven, or there are none.
 *  Undefined while the cluster is not whole. */
export function coveredNow(o: ClusterObservation, message: string): Verification | undefined {
  const topology = wholeTopology(o);
  if (topology === undefined) return undefined;
  return { ...carried(o), state: 'Covered', topology, at: timeText(o.nowMs), message };
}

/** The last answer, if it is about the present members. */
export function currentVerification(o: ClusterObservation, topology = wholeTopology(o)): Verification | undefined {
  const stored = o.cluster.verification;
  return topology !== undefined && stored?.topology === topology ? stored : undefined;
}

/** True when it is about the present members: all of them, with their present generations and placement. */
export function isOfPresent(o: ClusterObservation, { topology }: Verification): boolean {
  return topology !== undefined && topology === wholeTopology(o);
}

/** The topology of a cluster whose nodes all serve and show exactly each other. Whether their hosts have reported the
 *  Pods ready plays no part: that comes a moment after the member's own report, and says nothing about what it
 *  holds. */
function wholeTopology(o: ClusterObservation): string | undefined {
  const nodes = presentNodes(o);
  const [first] = nodes;
  if (first?.answer.kind !== 'serving' || !nodes.every(hasLastingPod)) return undefined;
  const { view } = first.answer;
  const isWhole =
    view.length === nodes.length && view.every((line) => line.hasPrimaries && nodes.some(({ id }) => id === line.id));
  return isWhole ? presentTopology(nodes)?.hash : undefined;
}

function dueNow(
  o: ClusterObservation,
  known: Verification | undefined,
): { readonly purpose: ComparisonPurpose; readonly id: string } | undefined {
  const asked = o.cluster.verifyAsked === undefined ? undefined : cutText(o.cluster.verifyAsked, MAX_REQUEST);
  if (asked !== undefined && asked !== o.cluster.verification?.requested) return { purpose: 'asked', id: asked };
  if (known?.state !== 'Covered') return { purpose: 'change', id: 'change' };
  return dueInMs(o) === 0 ? { purpose: 'routine', id: String(Math.floor(o.verifiedAtMs)) } : undefined;
}

/** Milliseconds until the next comparison at rest; undefined for never. Half to all of the interval, by the cluster's
 *  UID, so that a starting operator does not compare many clusters at once. */
function dueInMs({ cluster, monotonicMs, verifiedAtMs }: ClusterObservation): number | undefined {
  const { intervalSeconds } = cluster.spec.verification;
  if (intervalSeconds === 0) return undefined;
  const share = 0.5 + fractionOf(cluster.uid) / 2;
  return Math.max(0, Math.ceil(verifiedAtMs + share * intervalSeconds * 1000 - monotonicMs));
}

/** A fraction from 0 to below 1, always the same for the same text. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}

function judged(
  o: ClusterObservation,
  request: ComparisonRequest,
  topology: string,
  known: Verification | undefined,
): VerificationPlan {
  const report = reportOf(o, request);
  const nameOf = namesIn(o.nodes);
  const isAsked = request.purpose === 'asked';
  const next = verdictOf(report, o.monotonicMs, nameOf);
  const isAnswered = isAnswer(next);
  const isShown = isAsked || isAnswered || isNews(next, known);
  const requested = isAsked && isAnswered ? { requested: request.id } : carried(o);
  return {
    contents: request,
    verification: isShown ? stamped(o, { ...requested, topology, ...next, ...detail(request, report, nameOf) }) : known,
    hold: holdOf(o, report, nameOf),
    requeueAfterMs: 1_000,
  };
}

type Verdict = Pick<Verification, 'state' | 'message'>;

function isAnswer({ state }: Verdict): boolean {
  return state === 'Covered' || state === 'Missing';
}

/** Progress alone is not worth a write, and the last answer stays valid until there is another one. */
function isNews(next: Verdict, known: Verification | undefined): boolean {
  if (known === undefined) return true;
  return !isAnswer(known) && (next.state === 'Unreadable') !== (known.state === 'Unreadable');
}

function verdictOf(report: ComparisonReport | undefined, nowMs: number, nameOf: (id: number) => string): Verdict {
  if (report === undefined || report.state === 'waiting')
    return { state: 'Waiting', message: 'the contents of the members wait to be compared' };
  const { problem } = report;
  if (problem !== undefined) return { state: 'Unreadable', message: messageText(unreadableText(problem, nameOf)) };
  if (report.state === 'complete') return { state: 'Covered', message: coveredText(report) };
  const missing = wasScannedLongAgo(report, nowMs) ? missingText(report.missing, nameOf) : undefined;
  if (missing !== undefined) return { state: 'Missing', message: missing };
  return { state: 'Running', message: progressText(report, nameOf) };
}

function coveredText({ partitionsTotal, diverging }: ComparisonReport): string {
  const text = `${countText(partitionsTotal)} partitions compared, no record is missing`;
  const registers = divergingText(diverging);
  return registers === undefined
    ? text
    : `${text}; ${registers} have different ranks on their homes, which the server keeps`;
}

/** What a push missed arrives by anti-entropy, after a fast load within 3-12 s
 *  (docs/design/server.md#what-pushing-misses): before that nothing is wrong. */
const MISSING_AFTER_MS = 15_000;

function wasScannedLongAgo({ scannedAtMs }: ComparisonReport, nowMs: number): boolean {
  return scannedAtMs !== undefined && nowMs - scannedAtMs >= MISSING_AFTER_MS;
}

/** The figures by member, only when a person asked or something is missing: at rest only the answer is written. */
function detail(
  request: ComparisonRequest,
  report: ComparisonReport | undefined,
  nameOf: (id: number) => string,
): Pick<Verification, 'members'> {
  // Before all partitions were scanned it is not known how much of each member is done.
  if (report?.scannedAtMs === undefined) return {};
  if (request.purpose !== 'asked' && report.missing.length === 0) return {};
  return { members: verifiedMembers(report, nameOf) };
}

/** Length limit of the status field, in characters. */
const MAX_REQUEST = 253;

function carried({ cluster }: ClusterObservation): Pick<Verification, 'requested'> {
  const requested = cluster.verification?.requested;
  return requested === undefined ? {} : { requested };
}

/** Keeps the time while state and topology are unchanged. */
function stamped(o: ClusterObservation, next: Omit<Verification, 'at'>): Verification {
  const before = o.cluster.verification;
  const isSame = before?.state === next.state && before.topology === next.topology;
  return { ...next, at: isSame ? before.at : timeText(o.nowMs) };
}

function holdOf(
  o: ClusterObservation,
  report: ComparisonReport | undefined,
  nameOf: (id: number) => string,
): Hold | undefined {
  if (report?.problem !== undefined)
    return hold('ContentsUnreadable', messageText(unreadableText(report.problem, nameOf)), true);
  if (report === undefined || report.missing.length === 0 || report.state === 'complete') return undefined;
  return o.monotonicMs - report.movedAtMs > STUCK_MS ? stuckHold(report, nameOf) : undefined;
}
