// Answers: has the target let go of its clients? It serves no partition first, nobody is connected, nothing comes in.

import type { NodeRecord } from '../observation.ts';
import type { Check } from './checks.ts';
import type { MemberHistory } from './sample.ts';

export interface IsolationInput {
  readonly nodes: readonly NodeRecord[];
  readonly target: NodeRecord;
  readonly histories: readonly MemberHistory[];
  readonly monotonicMs: number;
}

/** noPrimaries, noClients, inputFlat, in this order. */
export function isolationChecks(_input: IsolationInput): readonly Check[] {
  return [];
}
