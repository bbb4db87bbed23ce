// Other rules for making a cluster smaller, modelled after other operators and run in the same world as ours. A world
// in which they lose nothing would be too kind.

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
  /** For each removal it called safe or finished: acknowledged keys that lacked a copy on some home at that moment. */
  readonly missingWhenCalledSafe: readonly number[];
}

/** Ids of the Pods that are not terminating. */
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
