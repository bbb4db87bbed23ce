// Answers: is every member whole right now? Checks of its last figures, which name the member that does not pass.

import { ownedCounts } from '@marekvs/api';
import type { MemberFacts, MemberFigures } from '../observation/member-facts.ts';
import { type Hold, hold } from '../values/hold.ts';
import type { Witness } from './answers.ts';
import { type Check, type CheckName, failed, passed } from './checks.ts';

/** placement, meshComplete, writesAllowed, noRejoin, in this order. Each member places copies by the
 *  replicationFactor it runs with.
 *  @param isRestart a member is only restarted on its volume. No other has to take a copy, so writesAllowed is left
 *  out: it would keep a full disk from the restart that mends it */
export function presentChecks(witnesses: readonly Witness[], isRestart = false): readonly Check[] {
  const count = witnesses.length;
  const ownedWith = ownedAmong(witnesses.map(({ node }) => node.id));
  const checks = [
    every('placement', witnesses, `as computed for ${count} members`, ({ members, ownedPartitions }, node) => {
      const { name, replicationFactor } = node;
      if (members !== count) return hold('ViewsDisagree', `${name} counts ${members} members instead of ${count}`);
      const expected = ownedWith(replicationFactor).get(node.id);
      if (ownedPartitions === expected) return undefined;
      const right = `${expected} follow from ${count} members and replicationFactor ${replicationFactor}`;
      return hold('ViewsDisagree', `${name} homes ${ownedPartitions} partitions, ${right}`);
    }),
    every('meshComplete', witnesses, `${count - 1} connections each`, (_, { name }, facts) => {
      const peers = facts.meshPeers ?? 0;
      if (peers >= count - 1) return undefined;
      return hold('MeshIncomplete', `${name} has ${peers} of ${count - 1} mesh connections`);
    }),
    every('writesAllowed', witnesses, 'on every member', ({ writeStopped }, { name }) =>
      writeStopped === 0 ? undefined : hold('DiskFull', `${name} stopped writes because its disk is full`, true),
    ),
    every('noRejoin', witnesses, 'on any member', ({ rejoinActive }, { name }) =>
      rejoinActive === 0 ? undefined : hold('MemberNotActive', `${name} still rejoins after a long absence`),
    ),
  ];
  return isRestart ? checks.filter(({ name }) => name !== 'writesAllowed') : checks;
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
