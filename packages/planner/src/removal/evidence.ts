// Answers: is it proven that every copy of the target is elsewhere (pre), or that the survivors have every copy (post)?
// Pure folds over the members' samples (marekvs.md 5.7 and 11). Who acts on it is the operation's business.

import { hold } from '../hold.ts';
import type { Hold, NodeRecord } from '../observation.ts';
import { type Agreement, agreementOf, membersAnswer, type Witness, witnessesOf } from './answers.ts';
import type { AuditReport } from './audit.ts';
import { auditCheck } from './audit-check.ts';
import { type Check, type CheckName, failed } from './checks.ts';
import { flatRoundsOf, mayUseIdle, quietCheck } from './flat-rounds.ts';
import { isolationOf } from './isolation.ts';
import { presentChecks } from './present.ts';
import type { MemberHistory } from './sample.ts';
import { shownWindow } from './shown-list.ts';
import { generationsOf, topologyHash } from './topology.ts';
import { commonStart } from './window.ts';

export type ProofTier = 'Strict' | 'Bounded';

export interface ProofRules {
  readonly tier: ProofTier;
  /** Canaries are part of the proof. */
  readonly audited: boolean;
  readonly replicationFactor: number;
  /** Bounded: most repairs per round, by node id. */
  readonly bounds: ReadonlyMap<number, number>;
  /** No pre-removal proof was possible: twice the rounds. */
  readonly isDead: boolean;
}

export interface Evidence {
  readonly checks: readonly Check[];
  readonly isProven: boolean;
  /** Of the first check that did not pass. */
  readonly missing: Hold | undefined;
  readonly flatRounds: number;
  /** Empty while the members do not agree. */
  readonly topologyHash: string;
  readonly generations: Readonly<Record<string, string>>;
}

export interface PreProofInput {
  readonly nodes: readonly NodeRecord[];
  readonly target: NodeRecord;
  readonly rules: ProofRules;
  readonly histories: readonly MemberHistory[];
  readonly monotonicMs: number;
  readonly audit: AuditReport | undefined;
  /** Since when the target has been told to leave and out of the Service, monotonic; undefined while it is not. */
  readonly asideSinceMs: number | undefined;
  /** Idle rounds the cluster had before the isolation began. */
  readonly idleRoundsBefore: number;
}

export interface PostProofInput {
  readonly survivors: readonly NodeRecord[];
  readonly target: { readonly id: number; readonly name: string };
  readonly rules: ProofRules;
  readonly histories: readonly MemberHistory[];
  readonly monotonicMs: number;
  readonly audit: AuditReport | undefined;
}

/** Every home but the target has what it has: nothing reaches it any more, test keys written through it are on the other homes,
 *  and all members have been quiet for the needed rounds since, or were idle before and have begun two rounds since. */
export function preRemovalEvidence(input: PreProofInput): Evidence {
  const { target, rules, monotonicMs, idleRoundsBefore } = input;
  const witnesses = witnessesOf(input.nodes, input.histories, monotonicMs);
  const { check, agreed } = agreementOf(witnesses);
  const isolation = isolationOf(witnesses, { ...input, targetId: target.id });
  const flat = flatRoundsOf(witnesses, agreed, rules, isolation.sinceMs);
  const idle = mayUseIdle(rules, idleRoundsBefore) ? idleRoundsBefore : 0;
  const checks = [
    membersAnswer(witnesses, target.id),
    check,
    ...isolation.checks,
    ...presentChecks(witnesses, rules.replicationFactor),
    ...audited(input, 'readBefore', witnesses),
    quietCheck(flat, rules, target.name, idle),
  ];
  return evidenceOf(checks, flat.complete + idle, agreed);
}

/** The survivors have every copy: they agree on exactly themselves, test keys written through the target are on every home, and
 *  all have been quiet for the needed rounds since the later of the two. Three rounds at least since the agreement are within. */
export function postRemovalEvidence(input: PostProofInput): Evidence {
  const { target, rules, monotonicMs } = input;
  const witnesses = witnessesOf(input.survivors, input.histories, monotonicMs);
  const { check, agreed } = agreementOf(witnesses);
  const audit = audited(input, 'readAfter', witnesses);
  const isAudited = audit.every((entry) => entry.passed);
  const auditedMs = rules.audited ? input.audit?.doneAtMs : Number.NEGATIVE_INFINITY;
  const agreedMs = agreed === undefined ? undefined : agreedSince(witnesses);
  const sinceMs =
    isAudited && auditedMs !== undefined && agreedMs !== undefined ? Math.max(agreedMs, auditedMs) : undefined;
  const flat = flatRoundsOf(witnesses, agreed, rules, sinceMs);
  const checks = [
    membersAnswer(witnesses),
    allServe(check, agreed),
    ...presentChecks(witnesses, rules.replicationFactor),
    ...audit,
    quietCheck(flat, rules, target.name, 0),
  ];
  return evidenceOf(checks, flat.complete, agreed);
}

/** Names of the checks of a proof, in their order: a record that lacks one is no proof. */
export function checkNames(stage: 'Pre' | 'Post', rules: ProofRules): readonly CheckName[] {
  return [
    'membersAnswer',
    'viewsAgree',
    ...(stage === 'Pre' ? (['noPrimaries', 'noClients', 'inputFlat'] as const) : []),
    'placement',
    'meshComplete',
    'writesAllowed',
    'noRejoin',
    ...(rules.audited ? (['canaries'] as const) : []),
    'quietRounds',
  ];
}

function audited(
  { audit, rules, target }: PreProofInput | PostProofInput,
  kind: 'readBefore' | 'readAfter',
  witnesses: readonly Witness[],
): readonly Check[] {
  const { replicationFactor } = rules;
  return rules.audited ? [auditCheck(audit, { kind, replicationFactor, target }, witnesses)] : [];
}

/** Among the survivors nobody may be joining or leaving: a list of homes that is about to change proves nothing. */
function allServe(views: Check, agreed: Agreement | undefined): Check {
  const idle = agreed?.view.find((line) => !line.hasPrimaries);
  if (!views.passed || idle === undefined) return views;
  const message = `every member shows ${idle.id} without primaries`;
  return failed('viewsAgree', message, hold('MemberNotActive', message));
}

/** When the last member began to show what all show now. */
function agreedSince(witnesses: readonly Witness[]): number | undefined {
  return commonStart(witnesses.flatMap(({ history }) => (history === undefined ? [] : [shownWindow(history)])));
}

function evidenceOf(checks: readonly Check[], flatRounds: number, agreed: Agreement | undefined): Evidence {
  return {
    checks,
    isProven: checks.every((check) => check.passed),
    missing: checks.find((check) => !check.passed)?.hold,
    flatRounds,
    topologyHash: agreed === undefined ? '' : topologyHash(agreed.view, agreed.digest),
    generations: agreed === undefined ? {} : generationsOf(agreed.view),
  };
}
