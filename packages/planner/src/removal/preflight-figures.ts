// The checks of a preflight that look at the members' figures: has everything stood still, is the mesh complete, do the disks
// hold it? How rounds are counted is rounds.ts's, how disks are forecast capacity.ts's.

import { hold } from '../hold.ts';
import type { Hold, NodeRecord } from '../observation.ts';
import type { Witness } from './answers.ts';
import { healthyBaseline } from './baseline.ts';
import { capacityHold, forecastDisks, highWaterPercent } from './capacity.ts';
import { EVERY, type NamedCheck, namesOf, PROVEN, type PreflightScope, UNFORCED } from './preflight-checks.ts';
import { requiredRounds, settledRounds } from './rounds.ts';
import type { MemberHistory, MemberSample } from './sample.ts';
import { roundsBegun, windowOf } from './window.ts';

/** What their figures say. */
export const FIGURE_CHECKS: readonly NamedCheck[] = [
  { name: 'settled', bases: UNFORCED, holdOf: settled },
  { name: 'meshComplete', bases: EVERY, holdOf: meshComplete },
  { name: 'writesNotStopped', bases: EVERY, holdOf: writesNotStopped },
  { name: 'notRejoining', bases: EVERY, holdOf: notRejoining },
  { name: 'quiet', bases: PROVEN, holdOf: quiet },
  { name: 'baseline', bases: PROVEN, holdOf: baseline },
  // A dead member's share was taken over when the others forgot it, and one that never joined has none.
  { name: 'diskFits', bases: ['Proof'], holdOf: diskFits },
];

/** Rounds of every member since the last change of membership before a removal may begin (marekvs.md 5.7 GATE). */
const SETTLED_ROUNDS = 5;

/** An operator that has just started knows no history, but who stored what: nodes called ready for so long, members that run for so
 *  long, and no removal that ended within that time, are as good as five rounds (5-7 s each) that were watched. */
const SETTLED_MS = 60_000;

function settled(scope: PreflightScope): Hold | undefined {
  const { o, asked } = scope;
  const ids = asked.map((node) => node.id);
  const rounds = settledRounds(ids, o.samples, o.monotonicMs);
  if ((rounds !== undefined && rounds >= SETTLED_ROUNDS) || hasStoodStill(scope)) return undefined;
  const message =
    rounds === undefined
      ? 'it is not known for how long the membership has stood still'
      : `the membership has to stand still for ${SETTLED_ROUNDS} rounds of every member first`;
  return hold('RecentlyChanged', message);
}

function hasStoodStill({ o, asked, witnesses }: PreflightScope): boolean {
  const { lastOperation } = o.cluster;
  const isLongAgo = (ms: number | undefined) => ms !== undefined && o.nowMs - ms >= SETTLED_MS;
  if (lastOperation !== undefined && !isLongAgo(Date.parse(lastOperation.finishedAt))) return false;
  if (!asked.every((node) => isLongAgo(node.readySinceMs))) return false;
  return witnesses().every(({ last }) => (last?.upSeconds ?? 0) * 1000 >= SETTLED_MS);
}

function meshComplete({ asked, witnesses }: PreflightScope): Hold | undefined {
  const wanted = asked.length - 1;
  return figure(witnesses(), 'meshPeers', (peers, { name }) =>
    peers >= wanted
      ? undefined
      : hold('MeshIncomplete', `${name} has ${peers} mesh connections for ${wanted} other members`),
  );
}

function writesNotStopped({ witnesses }: PreflightScope): Hold | undefined {
  return figure(witnesses(), 'writeStopped', (stopped, { name }) =>
    stopped === 0 ? undefined : hold('DiskFull', `${name} has stopped writes because its disk is full`, true),
  );
}

function notRejoining({ witnesses }: PreflightScope): Hold | undefined {
  return figure(witnesses(), 'rejoinActive', (active, { name }) =>
    active === 0 ? undefined : hold('MemberNotActive', `${name} is still taking up its old volume`),
  );
}

/** Not worth beginning while copies are repaired all the time. Too short a history is no reason to wait: the proof itself does. */
function quiet({ o, asked, candidate, witnesses }: PreflightScope): Hold | undefined {
  const { proof, audit } = o.cluster.spec.removal;
  if (proof !== 'Strict') return undefined;
  const needed = requiredRounds({
    tier: proof,
    audited: audit,
    replicationFactor: asked[0]?.replicationFactor ?? o.cluster.spec.replicationFactor,
    bounds: new Map(),
    isDead: candidate.basis === 'Dead',
  });
  if (!witnesses().some(({ history }) => history !== undefined && hasRepairedWithin(history, needed))) return undefined;
  const message = `members repaired copies in their last ${needed} rounds, and Strict needs rounds without: stop the writes for a minute, or set spec.removal.proof to Bounded`;
  return hold('MemberNotQuiet', message);
}

/** True when its repair counter is known to have moved while its last so many rounds went by. */
function hasRepairedWithin(history: MemberHistory, rounds: number): boolean {
  const since = (history.samples.at(-1)?.rounds ?? 0) - rounds - 1;
  const window = windowOf(history, {
    alone: (sample) => {
      if (sample.repairs === undefined) return 'a figure was missing';
      return (sample.rounds ?? 0) < since ? 'longer ago than asked' : undefined;
    },
    between: ({ repairs }, after) => (repairs === undefined || repairs === after.repairs ? undefined : REPAIRED),
  });
  return window.flaw === REPAIRED && roundsBegun([window], Number.NEGATIVE_INFINITY) < rounds + 1;
}

const REPAIRED = 'it repaired copies';

function baseline({ o, asked }: PreflightScope): Hold | undefined {
  if (o.cluster.spec.removal.proof !== 'Bounded') return undefined;
  const ids = asked.map((node) => node.id);
  const found = healthyBaseline(ids, o.samples, o.monotonicMs);
  if (found.kind === 'clean') return undefined;
  const names = namesOf(asked.filter((node) => found.about.includes(node.id)));
  const message = `Bounded needs ${found.needed} undisturbed rounds to tell healthy noise from missing copies${names === '' ? '' : `: ${names} has fewer`}`;
  return hold('NoCleanBaseline', message);
}

function diskFits({ o, candidate, witnesses }: PreflightScope): Hold | undefined {
  const all = witnesses();
  const target = all.find(({ node }) => node.uid === candidate.node.uid);
  const highWater = highWaterPercent(o.cluster.spec.extraEnv);
  const capacity = forecastDisks({
    target: target ?? { node: candidate.node, last: undefined },
    survivors: all.filter((witness) => witness !== target),
    replicationFactor: candidate.node.replicationFactor,
    highWaterPercent: highWater,
  });
  return capacityHold(capacity, candidate.node, highWater);
}

/** The first member whose last figure is missing, or does not pass. */
function figure(
  witnesses: readonly Witness[],
  name: 'meshPeers' | 'writeStopped' | 'rejoinActive',
  judge: (value: number, node: NodeRecord) => Hold | undefined,
): Hold | undefined {
  for (const { node, last } of witnesses) {
    const value = freshFigure(last, name);
    const verdict =
      value === undefined ? hold('NotObserved', `the figures of ${node.name} are not known yet`) : judge(value, node);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

function freshFigure(last: MemberSample | undefined, name: 'meshPeers' | 'writeStopped' | 'rejoinActive') {
  return last?.isFresh === true ? last[name] : undefined;
}
