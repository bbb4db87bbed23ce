// Other rules by which a cluster could be made smaller, in the same world as ours: re-stated from what their operators
// do, so that a world in which they lose nothing is known to be too kind.

import type { MemberWorld } from '../world/member-world.ts';

export interface OtherRule {
  readonly name: string;
  /** One sentence: what it waits for before it takes the next member. */
  readonly story: string;
  /** Brings the members down to `wanted`, highest id first. The operator under test no longer runs. */
  shrink(world: MemberWorld, wanted: number): Promise<RuleResult>;
}

export interface RuleResult {
  /** Virtual milliseconds from the first deletion to the last. */
  readonly tookMs: number;
  /** Of each time it called a removal safe or finished: acknowledged keys that lacked a copy on some home at that very
   *  moment. */
  readonly missingWhenCalledSafe: readonly number[];
}

/** Ids of the Pods that are there and not on their way out. */
export function runningIds(world: MemberWorld): readonly number[] {
  return world.kube.server
    .list('pods')
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => Number(metadata.name.split('-').at(-1)))
    .sort((a, b) => a - b);
}

export function isReady(world: MemberWorld, id: number): boolean {
  const { conditions = [] } = (world.pod(id)?.status ?? {}) as {
    conditions?: readonly { type: string; status: string }[];
  };
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
