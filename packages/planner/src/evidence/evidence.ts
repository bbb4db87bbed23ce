// Answers: is it proven that every record of the target is elsewhere (before its removal), or that the survivors have
// every record (after it)? The contents are the proof; the checks around it say that nothing can have changed it since.

import type { ComparisonReport } from '../contents/request.ts';
import { generationsOf, topologyHash } from '../members/topology.ts';
import type { MemberFacts } from '../observation/member-facts.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import { type Hold, hold } from '../values/hold.ts';
import {
  type Agreement,
  agreementOf,
  drainedIds,
  membersAnswer,
  shownSinceMs,
  type Witness,
  witnessesOf,
} from './answers.ts';
import { type Check, failed, isAskedFor } from './checks.ts';
import { type ContentsNeeded, type Covered, contentsCheck } from './contents-check.ts';
import { type IsolationInput, isolationOf } from './isolation.ts';
import { presentChecks } from './present-checks.ts';
import { namesIn } from './report-text.ts';
import { sealingOf } from './sealing.ts';

export interface Evidence {
  readonly checks: readonly Check[];
  readonly isProven: boolean;
  /** The hold of the first check that did not pass. */
  readonly missing: Hold | undefined;
  /** Monotonic: since when everything around the contents has held; what was read before does not count. Undefined
   *  while something does not hold. */
  readonly sinceMs: number | undefined;
  /** Monotonic: what is read from then on counts as soon as everything around the contents holds: all show the same
   *  list and, before a removal, the target is isolated. Undefined while that is not so. */
  readonly countsFromMs: number | undefined;
  /** What was compared; undefined unless the contents are covered. */
  readonly covered: Covered | undefined;
  /** Empty while the members do not agree. */
  readonly topologyHash: string;
  readonly generations: Readonly<Record<string, string>>;
}

interface ProofInput {
  readonly facts: readonly MemberFacts[];
  readonly monotonicMs: number;
  /** The comparison that belongs to this proof; undefined before it was asked for. */
  readonly comparison: ComparisonReport | undefined;
  /** Milliseconds since its last sweep, at most: records that arrived later may not be covered. */
  readonly maxAgeMs: number;
}

export interface PreProofInput extends ProofInput {
  readonly nodes: readonly NodeRecord[];
  readonly target: NodeRecord;
  readonly registers?: ContentsNeeded['registers'];
  readonly isolatedSinceMs: IsolationInput['isolatedSinceMs'];
  readonly graceMs: IsolationInput['graceMs'];
  /** What is done to the target: its door is closed or it is stopped for a while, it goes, or it is restarted. */
  readonly purpose: 'Sealing' | 'Proving' | 'Restarting';
}

export interface PostProofInput extends ProofInput {
  /** A member has gone, or is back on its volume. */
  readonly purpose: 'Settling' | 'CatchingUp';
  readonly survivors: readonly NodeRecord[];
  /** UIDs of nodes that are judged by their metrics alone, if they accept none of our passwords. @default none */
  readonly excusedUids?: ReadonlySet<string> | undefined;
}

/** No client is sent to the target any more, none can reach it once its door is closed, and since then every record it
 *  holds, of whatever partition, was seen on every other home. */
export function preRemovalEvidence(input: PreProofInput): Evidence {
  const witnesses = witnessesOf(input.nodes, input.facts, input.monotonicMs);
  const { check, agreed } = agreementOf(witnesses);
  const isolation = input.purpose === 'Proving' ? sealingOf(witnesses, input) : isolationOf(witnesses, input);
  const around = [membersAnswer(witnesses, input.target.id), check, ...isolation.checks, ...presentChecks(witnesses)];
  return evidenceOf(input, witnesses, around, agreed, isolation.sinceMs);
}

/** The survivors agree on exactly themselves, and since then every record of each of them was seen on every other
 *  home. */
export function postRemovalEvidence(input: PostProofInput): Evidence {
  const witnesses = witnessesOf(input.survivors, input.facts, input.monotonicMs, input.excusedUids);
  const { check, agreed } = agreementOf(witnesses);
  const around = [membersAnswer(witnesses), allServe(check, agreed, witnesses), ...presentChecks(witnesses)];
  return evidenceOf(input, witnesses, around, agreed, agreed === undefined ? undefined : shownSinceMs(witnesses));
}

/** No survivor may be joining or leaving: a list of homes that is about to change proves nothing. One that was drained
 *  from outside stays the home that it is. */
function allServe(views: Check, agreed: Agreement | undefined, witnesses: readonly Witness[]): Check {
  const drained = drainedIds(witnesses);
  const idle = agreed?.view.find((line) => !line.hasPrimaries && !drained.has(line.id));
  if (!views.passed || idle === undefined) return views;
  const message = `every member shows ${idle.id} without primaries`;
  return failed('viewsAgree', message, hold('MemberNotActive', message));
}

function evidenceOf(
  input: (PreProofInput | PostProofInput) & Pick<ContentsNeeded, 'registers'>,
  witnesses: readonly Witness[],
  made: readonly Check[],
  agreed: Agreement | undefined,
  sinceMs: number | undefined,
): Evidence {
  const around = made.filter(({ name }) => isAskedFor(name, input.purpose));
  const isReady = around.every((check) => check.passed);
  const { comparison, monotonicMs, maxAgeMs, registers } = input;
  const nameOf = namesIn(witnesses.map(({ node }) => node));
  const needed = { monotonicMs, maxAgeMs, nameOf, registers, sinceMs: isReady ? sinceMs : undefined };
  const contents = contentsCheck(comparison, needed);
  const checks = [...around, contents.check];
  return {
    checks,
    isProven: checks.every((check) => check.passed),
    missing: checks.find((check) => !check.passed)?.hold,
    sinceMs: isReady ? sinceMs : undefined,
    countsFromMs: sinceMs,
    covered: contents.covered,
    topologyHash: agreed === undefined ? '' : topologyHash(agreed.view, agreed.digest),
    generations: agreed === undefined ? {} : generationsOf(agreed.view),
  };
}
