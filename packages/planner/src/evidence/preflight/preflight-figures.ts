// The checks of a preflight that use the members' figures: is the mesh complete, are writes accepted, do the disks have
// room? disk-forecast.ts forecasts the disks.

import type { MemberFigures } from '../../observation/member-facts.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import { type Hold, hold } from '../../values/hold.ts';
import { capacityHold, forecastDisks, highWaterPercent } from '../../volumes/disk-forecast.ts';
import type { Witness } from '../answers.ts';
import { EVERY, type NamedCheck, type PreflightScope } from './preflight-checks.ts';

/** Checks of the members' figures. */
export const FIGURE_CHECKS: readonly NamedCheck[] = [
  { name: 'meshComplete', bases: EVERY, holdOf: meshComplete },
  { name: 'writesNotStopped', bases: EVERY, holdOf: writesNotStopped },
  { name: 'notRejoining', bases: EVERY, holdOf: notRejoining },
  // A dead member's share was taken over when the others forgot it, and one that never joined has none.
  { name: 'diskFits', bases: ['Proof'], holdOf: diskFits },
];

function meshComplete({ asked, witnesses }: PreflightScope): Hold | undefined {
  const wanted = asked.length - 1;
  for (const { node, facts, last } of witnesses()) {
    const peers = last?.isFresh === true ? facts?.meshPeers : undefined;
    if (peers === undefined) return hold('NotObserved', `the figures of ${node.name} are not known yet`);
    if (peers < wanted)
      return hold('MeshIncomplete', `${node.name} has ${peers} mesh connections for ${wanted} other members`);
  }
  return undefined;
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
  name: 'writeStopped' | 'rejoinActive',
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

function freshFigure(last: MemberFigures | undefined, name: 'writeStopped' | 'rejoinActive') {
  return last?.isFresh === true ? last[name] : undefined;
}
