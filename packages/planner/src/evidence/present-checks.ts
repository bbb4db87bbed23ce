// Answers: is every member whole right now? Checks of its last figures, which name the member that does not pass.

import { ownedCounts } from '@marekvs/api';
import type { MemberFacts, MemberFigures } from '../observation/member-facts.ts';
import { type Hold, hold } from '../values/hold.ts';
import type { Witness } from './answers.ts';
import { type Check, type CheckName, failed, passed } from './checks.ts';

/** One figure that every member gives, and what is wrong with it. An unknown one never passes. */
interface FigureCheck {
  readonly figureOf: (witness: Pick<Witness, 'facts' | 'last'>) => number | undefined;
  /** @param others how many other members there are */
  readonly holdOf: (figure: number | undefined, name: string, others: number) => Hold | undefined;
}

export type FigureName = 'meshComplete' | 'writesAllowed' | 'noRejoin';

export const FIGURE_CHECKS: Readonly<Record<FigureName, FigureCheck>> = {
  meshComplete: {
    figureOf: ({ facts }) => facts?.meshPeers,
    holdOf: (figure, name, others) => {
      const peers = figure ?? 0;
      if (peers >= others) return undefined;
      return hold('MeshIncomplete', `${name} has ${peers} of ${others} mesh connections`);
    },
  },
  writesAllowed: {
    figureOf: ({ last }) => last?.writeStopped,
    holdOf: (stopped, name) =>
      stopped === 0 ? undefined : hold('DiskFull', `${name} has stopped writes because its disk is full`, true),
  },
  noRejoin: {
    figureOf: ({ last }) => last?.rejoinActive,
    holdOf: (active, name) =>
      active === 0 ? undefined : hold('MemberNotActive', `${name} is still taking up its old volume`),
  },
};

/** placement, meshComplete, writesAllowed, noRejoin, in this order. Each member places copies by the
 *  replicationFactor it runs with. */
export function presentChecks(witnesses: readonly Witness[]): readonly Check[] {
  const count = witnesses.length;
  const ownedWith = ownedAmong(witnesses.map(({ node }) => node.id));
  const figure = (name: FigureName, value: string) => {
    const { figureOf, holdOf } = FIGURE_CHECKS[name];
    return every(name, witnesses, value, (last, node, facts) =>
      holdOf(figureOf({ last, facts }), node.name, count - 1),
    );
  };
  return [
    every('placement', witnesses, `as computed for ${count} members`, ({ members, ownedPartitions }, node) => {
      const { name, replicationFactor } = node;
      if (members !== count) return hold('ViewsDisagree', `${name} counts ${members} members instead of ${count}`);
      const expected = ownedWith(replicationFactor).get(node.id);
      if (ownedPartitions === expected) return undefined;
      const right = `${expected} follow from ${count} members and replicationFactor ${replicationFactor}`;
      return hold('ViewsDisagree', `${name} homes ${ownedPartitions} partitions, ${right}`);
    }),
    figure('meshComplete', `${count - 1} connections each`),
    figure('writesAllowed', 'on every member'),
    figure('noRejoin', 'on any member'),
  ];
}

/** How many partitions each member homes, by factor. Computed once for each: members run with one, as a rule. */
function ownedAmong(ids: readonly number[]): (replicationFactor: number) => ReadonlyMap<number, number> {
  const byFactor = new Map<number, ReadonlyMap<number, number>>();
  return (replicationFactor) => {
    const counts = byFactor.get(replicationFactor) ?? ownedCounts(ids, replicationFactor);
    byFactor.set(replicationFactor, counts);
    return counts;
  };
}

function every(
  name: CheckName,
  witnesses: readonly Witness[],
  value: string,
  holdOf: (last: MemberFigures, node: Witness['node'], facts: MemberFacts) => Hold | undefined,
): Check {
  for (const { node, last, facts } of witnesses) {
    const problem =
      last === undefined || facts === undefined
        ? hold('MemberSilent', `${node.name} has given no recent answer`)
        : holdOf(last, node, facts);
    if (problem !== undefined) return failed(name, problem.message, problem);
  }
  return passed(name, value);
}
