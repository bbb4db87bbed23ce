// Answers: is every record on all its homes, as far as it was compared, and is it time to compare? At rest and after every change; what a
// removal needs is removal/'s. The answer is about one topology: other members, lives or placement make it unknown.

import type { MarekvsClusterStatus } from '@marekvs/api';
import { hold } from '../hold.ts';
import type { ClusterObservation, Hold, NodeRecord } from '../observation.ts';
import { STUCK_MS, stuckHold } from '../removal/contents-check.ts';
import { reportOf } from '../removal/facts.ts';
import { presentTopology } from '../removal/topology.ts';
import { timeText } from '../time-text.ts';
import { comparedMembers } from './compared-members.ts';
import { count, missingText, progressText } from './report-text.ts';
import type { ComparisonPurpose, ComparisonReport, ComparisonRequest } from './request.ts';

export type Verification = NonNullable<MarekvsClusterStatus['verification']>;

export interface VerificationPlan {
  /** What is to be compared now. */
  readonly contents: ComparisonRequest | undefined;
  /** What is known of the members as they are; undefined while it is not. */
  readonly verification: Verification | undefined;
  /** Said of what is missing for long, or cannot be read. */
  readonly hold: Hold | undefined;
  /** When the next comparison at rest is due. */
  readonly lookAgainAfterMs: number | undefined;
}

const NOTHING: VerificationPlan = {
  contents: undefined,
  verification: undefined,
  hold: undefined,
  lookAgainAfterMs: undefined,
};

/** Of a formed cluster without an operation under way. */
export function planVerification(o: ClusterObservation): VerificationPlan {
  const topology = o.nodes.some(isOnItsWay) ? undefined : wholeTopology(o);
  const stored = o.cluster.verification;
  if (topology === undefined) return NOTHING;
  const isPresent = stored?.topology === topology;
  const known = isPresent ? stored : undefined;
  const due = dueNow(o, known);
  if (due === undefined) return { ...NOTHING, verification: known, lookAgainAfterMs: dueInMs(o) };
  const members = comparedMembers(o, o.nodes);
  if (members === undefined) return { ...NOTHING, verification: known };
  const request: ComparisonRequest = {
    purpose: due.purpose,
    id: due.id,
    members,
    sources: members.map(({ nodeId }) => nodeId),
    replicationFactor: o.nodes[0]?.replicationFactor ?? o.cluster.spec.replicationFactor,
    sinceMs: Number.NEGATIVE_INFINITY,
    isKeptFresh: false,
  };
  return judged(o, request, topology, known);
}

/** A comparison that was not asked for at this moment: every record is covered, as a removal has just proven, or there are none. */
export function coveredNow(o: ClusterObservation, message: string): Verification | undefined {
  const topology = wholeTopology(o);
  if (topology === undefined) return undefined;
  return { ...carried(o), state: 'Covered', topology, at: timeText(o.nowMs), message };
}

/** The topology of a cluster whose nodes all serve and show exactly each other. */
function wholeTopology({ nodes }: ClusterObservation): string | undefined {
  const [first] = nodes;
  if (first?.answer.kind !== 'serving') return undefined;
  const { view } = first.answer;
  const isWhole =
    view.length === nodes.length && view.every((line) => line.hasPrimaries && nodes.some(({ id }) => id === line.id));
  return isWhole ? presentTopology(nodes)?.hash : undefined;
}

/** Its member may serve already, or still: it is compared when it is there to stay. */
function isOnItsWay({ pod }: NodeRecord): boolean {
  return pod === undefined || pod.isTerminating || !pod.isReady;
}

function dueNow(
  o: ClusterObservation,
  known: Verification | undefined,
): { readonly purpose: ComparisonPurpose; readonly id: string } | undefined {
  const asked = o.cluster.verifyAsked;
  if (asked !== undefined && asked !== o.cluster.verification?.requested) return { purpose: 'asked', id: asked };
  if (known?.state !== 'Covered') return { purpose: 'change', id: 'change' };
  return dueInMs(o) === 0 ? { purpose: 'routine', id: String(Math.floor(o.verifiedAtMs)) } : undefined;
}

/** Milliseconds until the next comparison at rest; undefined for never. Half to all of the interval, by the cluster's UID, so that an
 *  operator that starts with many clusters does not compare them all at once. */
function dueInMs({ cluster, monotonicMs, verifiedAtMs }: ClusterObservation): number | undefined {
  const { intervalSeconds } = cluster.spec.verification;
  if (intervalSeconds === 0) return undefined;
  const share = 0.5 + fractionOf(cluster.uid) / 2;
  return Math.max(0, Math.ceil(verifiedAtMs + share * intervalSeconds * 1000 - monotonicMs));
}

/** 0 to below 1, the same for the same text. */
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
  const nameOf = (id: number) => o.nodes.find((node) => node.id === id)?.name ?? `member ${id}`;
  const isAsked = request.purpose === 'asked';
  const next = verdictOf(report, nameOf);
  // At rest only another answer is worth saying.
  const isSaid = isAsked || known === undefined || next.state === 'Covered' || next.state === 'Missing';
  const verification = isSaid ? said(o, { topology, ...next, ...detail(o, request, report) }) : known;
  const isAnswered = next.state === 'Covered' || next.state === 'Missing';
  return {
    contents: request,
    verification: isAsked && isAnswered ? { ...verification, requested: request.id } : verification,
    hold: holdOf(o, report, nameOf),
    lookAgainAfterMs: 1_000,
  };
}

type Verdict = Pick<Verification, 'state' | 'message'>;

function verdictOf(report: ComparisonReport | undefined, nameOf: (id: number) => string): Verdict {
  if (report === undefined || report.state === 'waiting')
    return { state: 'Waiting', message: 'the contents of the members wait to be compared' };
  const { problem } = report;
  if (problem !== undefined)
    return {
      state: 'Unreadable',
      message: `the contents of ${nameOf(problem.nodeId)} cannot be read: ${problem.error}`,
    };
  if (report.state === 'complete')
    return { state: 'Covered', message: `${count(report.partitionsTotal)} partitions compared, no record is missing` };
  // The number of a member's records is known once all its partitions were looked at.
  const isLooked = report.records.size === report.request.sources.length;
  const missing = isLooked ? missingText(report.missing, nameOf) : undefined;
  if (missing !== undefined) return { state: 'Missing', message: missing };
  return { state: 'Running', message: progressText(report, nameOf) };
}

/** The figures by member; only for whoever asked, and where something is missing: at rest nothing but the answer is written. */
function detail(
  o: ClusterObservation,
  request: ComparisonRequest,
  report: ComparisonReport | undefined,
): Pick<Verification, 'members'> {
  if (report === undefined || (request.purpose !== 'asked' && report.missing.length === 0)) return {};
  const perSource = report.partitionsTotal / request.sources.length;
  const nameOf = (id: number) => o.nodes.find((node) => node.id === id)?.name ?? String(id);
  const members = request.sources.map((id) => {
    const missing = report.missing.filter(({ sourceId }) => sourceId === id);
    const records = report.records.get(id);
    const open = missing.reduce((sum, { partitions }) => sum + partitions, 0);
    return {
      name: nameOf(id),
      partitionsDone: Math.max(0, perSource - open),
      ...(records === undefined ? {} : { records }),
      ...(missing.length === 0
        ? {}
        : {
            missing: missing.slice(0, MAX_HOMES).map(({ homeId, partitions, records: lacking }) => ({
              home: nameOf(homeId),
              partitions,
              records: lacking,
            })),
          }),
    };
  });
  return { members };
}

/** As many homes as the status lists of one member. */
const MAX_HOMES = 32;

function carried({ cluster }: ClusterObservation): Pick<Verification, 'requested'> {
  const requested = cluster.verification?.requested;
  return requested === undefined ? {} : { requested };
}

/** The same state of the same topology keeps its time, and unless its figures matter, its words. */
function said(o: ClusterObservation, next: Omit<Verification, 'at' | 'requested'>): Verification {
  const before = o.cluster.verification;
  const isSame = before?.state === next.state && before.topology === next.topology;
  return { ...carried(o), ...next, at: isSame ? before.at : timeText(o.nowMs) };
}

function holdOf(
  o: ClusterObservation,
  report: ComparisonReport | undefined,
  nameOf: (id: number) => string,
): Hold | undefined {
  if (report?.problem !== undefined) {
    const message = `the contents of ${nameOf(report.problem.nodeId)} cannot be read: ${report.problem.error}`;
    return hold('ContentsUnreadable', message, true);
  }
  if (report === undefined || report.missing.length === 0 || report.state === 'complete') return undefined;
  return o.monotonicMs - report.movedAtMs > STUCK_MS ? stuckHold(report, nameOf) : undefined;
}
