// What every step of a turn is decided on.

import type { Operation } from '@marekvs/api';
import { survivorsOf } from '../../members/replacement.ts';
import { sharedFactor } from '../../members/shared-factor.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import type { RemovalScope } from '../scope.ts';

export type Roll = NonNullable<Operation['roll']>;

export interface TurnScope {
  readonly o: ClusterObservation;
  readonly record: Operation;
  readonly roll: Roll;
  /** For the checks it shares with a removal. */
  readonly scope: RemovalScope;
  /** What the Pod is to be made from. */
  readonly revision: string;
}

export function scopeOfTurn(o: ClusterObservation, record: Operation, roll: Roll, desired: number): RemovalScope {
  return {
    o,
    record,
    desired,
    target: roll,
    node: o.nodes.find(({ uid }) => uid === roll.uid),
    others: survivorsOf(o, roll),
    replicationFactor: sharedFactor(o),
  };
}
