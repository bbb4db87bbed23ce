// What a size that follows load or hosts is about to do, or cannot do, by what the operator has decided and stored. No
// load is measured here: `kubectl mkv autoscale` does that.

import { findCondition, isReason, type MarekvsClusterStatus, REASONS, type Reason, withDefaults } from '@marekvs/api';
import { loadBand, type SizingRules, sizingRules, timeMs } from '@marekvs/planner';
import type { ExplainFacts, Finding } from '../facts/finding.ts';
import { finding, memberIn, only } from './build.ts';

type Decision = NonNullable<MarekvsClusterStatus['autoscale']>;

export function sizingFindings(facts: ExplainFacts): readonly Finding[] {
  const { spec, status } = facts.parts.cluster;
  const rules = sizingRules(withDefaults(spec));
  const decision = status?.autoscale;
  if (spec.hosts?.onePerHost !== undefined)
    return decision === undefined || spec.paused === true ? [] : (moving(facts, decision) ?? []);
  if (rules === undefined) return [];
  const conflict = conflictFindings(facts);
  if (decision === undefined || spec.paused === true) return conflict;
  return [...conflict, ...(unmet(facts, decision) ?? moving(facts, decision) ?? waiting(facts, rules, decision))];
}

/** Follows from the figures, and lasts until they change. */
function unmet(facts: ExplainFacts, decision: Decision): readonly Finding[] | undefined {
  const reason = reasonOf(decision);
  return reason !== undefined && REASONS[reason].sizing === 'unmet' ? [decided(facts, decision, reason)] : undefined;
}

/** The decided size has not been reached yet. */
function moving(facts: ExplainFacts, decision: Decision): readonly Finding[] | undefined {
  const { status } = facts.parts.cluster;
  const reason = reasonOf(decision);
  const present = facts.parts.nodes.length;
  const isThere = present === decision.size && status?.readyNodes === decision.size;
  if (reason === undefined || reason === 'AutoscaleBegun' || isThere) return undefined;
  const { sizing } = REASONS[reason];
  return sizing === 'either' || sizing === (present > decision.size ? 'shrinks' : 'grows')
    ? [decided(facts, decision, reason)]
    : undefined;
}

/** The decided size has been reached, and another one may come. */
function waiting(facts: ExplainFacts, rules: SizingRules, decision: Decision): readonly Finding[] {
  const sinceMs = timeMs(decision.since);
  const low = lowText(facts, rules, decision);
  if (low !== undefined)
    return only(facts, 'LoadBelowTarget', {
      sinceMs,
      message: low,
      source: 'status.opsPerSecond',
      unblock: `It goes on by itself: one node goes when the load has been low for ${rules.windowMs / 1000} s without a break.`,
    });
  const isFresh = sinceMs !== undefined && facts.nowMs - sinceMs < Math.max(rules.cooldownMs, rules.windowMs);
  if (decision.reason !== 'AutoscaleBegun' || !isFresh) return [];
  return [decided(facts, decision, 'AutoscaleBegun')];
}

/** Says that one node less would carry the present load; undefined when it would not, or the load is not known. */
function lowText({ parts }: ExplainFacts, { floor, targetOps }: SizingRules, { size }: Decision): string | undefined {
  const { opsPerSecond } = parts.cluster.status ?? {};
  if (targetOps === undefined || opsPerSecond === undefined || size <= floor) return undefined;
  const { shrinksBelow } = loadBand(targetOps, size);
  if (opsPerSecond >= shrinksBelow) return undefined;
  const disks = parts.cluster.spec.autoscale?.targetDiskPercent === undefined ? '' : ', if the disks allow it';
  return `${rate(opsPerSecond)} ops/s, and below ${rate(shrinksBelow)} one node less than ${size} carries them: ${size - 1} nodes next${disks}`;
}

function decided(facts: ExplainFacts, decision: Decision, reason: Reason): Finding {
  const message = decision.message ?? `${decision.size} nodes`;
  return finding(facts, reason, {
    member: memberIn(message, facts),
    sinceMs: decidedAt(facts, reason) ?? timeMs(decision.since),
    message,
    source: 'status.autoscale',
  });
}

/** When this reason was reported, which may be later than the size was decided. */
function decidedAt({ events, parts }: ExplainFacts, reason: Reason): number | undefined {
  const { name } = parts.cluster.metadata;
  const event = events.findLast((one) => one.action === 'Autoscale' && one.name === name);
  return event?.reason === reason ? event.atMs : undefined;
}

/** Another controller or person asks for sizes, and is refused. */
function conflictFindings(facts: ExplainFacts): readonly Finding[] {
  const conditions = facts.parts.cluster.status?.conditions ?? [];
  const condition = conditions.find(({ reason }) => reason === 'AutoscaleConflict');
  if (condition !== undefined && condition.status === 'True' && findCondition(conditions, 'Stalled') !== condition)
    return [conflict(facts, condition.message, timeMs(condition.lastTransitionTime), `condition ${condition.type}`)];
  const refusal = facts.events.findLast(
    ({ kind, name, reason }) =>
      kind === 'MarekvsCluster' && name === facts.parts.cluster.metadata.name && reason === 'AutoscaleConflict',
  );
  return refusal === undefined ? [] : [conflict(facts, refusal.note, refusal.atMs, 'an event about the cluster')];
}

function conflict(facts: ExplainFacts, message: string, sinceMs: number | undefined, source: string): Finding {
  return finding(facts, 'AutoscaleConflict', { sinceMs, message, source });
}

function reasonOf({ reason }: Decision): Reason | undefined {
  return reason !== undefined && isReason(reason) ? reason : undefined;
}

function rate(opsPerSecond: number): string {
  return opsPerSecond.toLocaleString('en-US', { maximumFractionDigits: 0 });
}
