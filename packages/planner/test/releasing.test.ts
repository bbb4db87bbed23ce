// What keeps members from being handed to a StatefulSet, one thing at a time.

import type { Operation } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { agreeOnMembership } from '../src/membership.ts';
import { releaseObstacle } from '../src/releasing/obstacle.ts';
import { HASH, NOW_MS, observation } from './support/builders.ts';

const at = new Date(NOW_MS).toISOString();
const begun: Pick<Operation, 'id' | 'phase' | 'startedAt' | 'specGeneration'> = {
  id: '1-a',
  phase: 'Claimed',
  startedAt: at,
  specGeneration: 1,
};
const member = { name: 'demo-1', uid: 'node-uid-1', nodeId: 1 };

describe('members that are to be handed to a StatefulSet', () => {
  const rows: readonly (readonly [string, Operation, string])[] = [
    [
      'a turn of a rolling update',
      { ...begun, type: 'Roll', roll: { ...member, podUID: 'pod-uid-1', previous: HASH } },
      'the turn of demo-1',
    ],
    ['a removal', { ...begun, type: 'Remove', target: member }, 'the removal of demo-1'],
  ];
  for (const [what, operation, said] of rows)
    it(`wait until ${what} is over, which needs nobody`, () => {
      const o = observation({ cluster: { operation } });
      const hold = releaseObstacle(o, { identity: 'marekvs' }, agreeOnMembership(o.nodes), 3);
      expect(hold).to.include({ reason: 'Releasing', needsPerson: false });
      expect(hold?.message).to.include(`${said} is finished first`);
    });
});
