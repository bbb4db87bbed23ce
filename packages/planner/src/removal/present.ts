// Answers: is every member whole right now? Checks over its last figures, each with the member's name when it does not pass.

import { ownedCounts } from '@marekvs/api';
import { hold } from '../hold.ts';
import type { Hold } from '../observation.ts';
import type { Witness } from './answers.ts';
import { type Check, type CheckName, failed, passed } from './checks.ts';
import type { MemberSample } from './sample.ts';

/** placement, meshComplete, writesAllowed, noRejoin, in this order. */
export function presentChecks(witnesses: readonly Witness[], replicationFactor: number): readonly Check[] {
  const count = witnesses.length;
  const owned = ownedCounts(
    witnesses.map(({ node }) => node.id),
    replicationFactor,
  );
  return [
    every('placement', witnesses, `as computed for ${count} members`, ({ members, ownedPartitions }, { name, id }) => {
      if (members !== count) return hold('ViewsDisagree', `${name} counts ${members} members instead of ${count}`);
      const expected = owned.get(id);
      if (ownedPartitions === expected) return undefined;
      const right = `${expected} follow from ${count} members and replicationFactor ${replicationFactor}`;
      return hold('ViewsDisagree', `${name} homes ${ownedPartitions} partitions, ${right}`);
    }),
    every('meshComplete', witnesses, `${count - 1} connections each`, ({ meshPeers = 0 }, { name }) =>
      meshPeers >= count - 1
        ? undefined
        : hold('MeshIncomplete', `${name} has ${meshPeers} of ${count - 1} mesh connections`),
    ),
    every('writesAllowed', witnesses, 'on every member', ({ writeStopped }, { name }) =>
      writeStopped === 0 ? undefined : hold('DiskFull', `${name} stopped writes because its disk is full`, true),
    ),
    every('noRejoin', witnesses, 'on any member', ({ rejoinActive }, { name }) =>
      rejoinActive === 0 ? undefined : hold('MemberNotActive', `${name} still rejoins after a long absence`),
    ),
  ];
}

function every(
  name: CheckName,
  witnesses: readonly Witness[],
  value: string,
  holdOf: (last: MemberSample, node: Witness['node']) => Hold | undefined,
): Check {
  for (const { node, last } of witnesses) {
    const problem =
      last === undefined ? hold('MemberSilent', `${node.name} has given no recent answer`) : holdOf(last, node);
    if (problem !== undefined) return failed(name, problem.message, problem);
  }
  return passed(name, value);
}
