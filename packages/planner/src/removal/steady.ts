// Answers: since when has nothing happened to one member that a proof could not bear? (marekvs.md 5.7 `steady`, with the
// changes of its section 11). Includes the repairs: none at all (Strict), or no more in any round than its bound (Bounded).

import { ownedCounts } from '@marekvs/api';
import type { Agreement } from './answers.ts';
import type { ProofRules } from './evidence.ts';
import { roundsOf } from './repairs.ts';
import type { MemberHistory, MemberSample } from './sample.ts';
import { shownWindow } from './shown-list.ts';
import { type Flaw, type Window, windowWithin } from './window.ts';

/** What every member has to show in every sample of a window. */
export interface SteadyState {
  readonly agreed: Agreement;
  readonly memberCount: number;
  /** Partitions each member homes when all members of the list count, a leaving one included. */
  readonly owned: ReadonlyMap<number, number>;
  readonly rules: ProofRules;
}

export function steadyStateOf(agreed: Agreement, rules: ProofRules): SteadyState {
  const ids = agreed.view.map((line) => line.id);
  return { agreed, memberCount: ids.length, owned: ownedCounts(ids, rules.replicationFactor), rules };
}

/** More repairs than the tier allows. */
export const REPAIRED: Flaw = 'it repaired copies';

/** Bounded, it repairs, and nothing says how much it repairs while all is well. */
export const NO_BOUND: Flaw = 'it has no healthy baseline';

/** The longest steady run of samples up to the newest. */
export function steadyWindow(history: MemberHistory, state: SteadyState): Window {
  const { agreed, rules } = state;
  const owned = state.owned.get(history.nodeId);
  const window = windowWithin(shownWindow(history), {
    alone: (sample) =>
      // The digest is over the whole answer: the same digest is the same list.
      sample.viewDigest === agreed.digest
        ? disturbance(sample, state.memberCount, owned, rules.tier)
        : 'another list of members',
    between: (before, after) => movement(before, after, rules.tier),
  });
  return rules.tier === 'Strict' ? window : withinBound(window, rules.bounds.get(history.nodeId));
}

function disturbance(
  sample: MemberSample,
  memberCount: number,
  owned: number | undefined,
  tier: ProofRules['tier'],
): Flaw | undefined {
  if (sample.members !== memberCount) return 'it counted other members';
  if (sample.ownedPartitions !== owned || owned === undefined) return 'it homed other partitions';
  if (sample.rejoinActive !== 0) return 'it rejoined';
  if (sample.writeStopped !== 0) return 'its disk was full';
  if (sample.meshPeers === undefined || sample.meshPeers < memberCount - 1) return 'its mesh was incomplete';
  if (sample.inflightBytes === undefined) return 'a figure was missing';
  if (tier === 'Strict' && sample.inflightBytes !== 0) return 'bytes were under way';
  // Written out: a loop over names costs ten times as much, and this runs for every sample in every pass.
  const isWhole =
    sample.repairs !== undefined &&
    sample.bootstraps !== undefined &&
    sample.bootstrapBytes !== undefined &&
    sample.gatePartitions !== undefined &&
    sample.droppedRecords !== undefined &&
    sample.connTimeouts !== undefined;
  return isWhole ? undefined : 'a figure was missing';
}

function movement(before: MemberSample, after: MemberSample, tier: ProofRules['tier']): Flaw | undefined {
  // The repair counter does not see what arrives by bootstrap, so that has to stand still as well (marekvs.md 11, change 5).
  if (before.bootstraps !== after.bootstraps || before.bootstrapBytes !== after.bootstrapBytes)
    return 'it copied partitions';
  // Unchanged, not zero: it can stand above zero for ever on a healthy member (marekvs.md 11, change 1).
  if (before.gatePartitions !== after.gatePartitions) return 'its gate moved';
  if (before.droppedRecords !== after.droppedRecords) return 'it dropped records';
  if (before.connTimeouts !== after.connTimeouts) return 'a connection timed out';
  if (tier === 'Strict' && before.repairs !== after.repairs) return REPAIRED;
  return undefined;
}

/** The part of a window after the last round in which more was repaired than the bound. A member without one joined after the claim, or
 *  the tier was chosen after it: none of its repairs is known to be healthy, and a round without any needs no bound. */
function withinBound(window: Window, bound: number | undefined): Window {
  const { history } = window;
  const most = bound ?? 0;
  const last = roundsOf(history.samples, window.from).findLast(({ repairs, rounds }) => !(repairs <= most * rounds));
  return last === undefined ? window : { history, from: last.to, flaw: bound === undefined ? NO_BOUND : REPAIRED };
}
