// Where the seconds of a rolling update go: the phases of every turn by the status, and how many members are down at
// once by their Pods.

import type { LastOperation, MarekvsCluster } from '@marekvs/api';
import { round } from '../support/figures.ts';
import { corePath, ownPath } from '../support/paths.ts';
import { isPodReady, type PodSeen, type Seen } from '../support/seen.ts';
import type { World } from '../support/world.ts';

export interface Turns {
  /** The most members without a ready Pod at one time. */
  mostDown(): number;
  /** One line with the seconds of a turn in each phase, averaged over the turns that have ended. */
  describe(): string;
  stop(): void;
}

/** @param nodes members of the cluster */
export async function followTurns({ watching }: World, namespace: string, nodes: number): Promise<Turns> {
  const phases = new Map<string, NonNullable<LastOperation['phases']>>();
  let mostDown = 0;
  const clusters = await watching.follow<MarekvsCluster & Seen>(ownPath(namespace, 'marekvsclusters'), (all) => {
    for (const { status } of all) {
      const last = status?.lastOperation;
      if (last?.roll !== undefined) phases.set(last.id, last.phases ?? []);
    }
  });
  const pods = await watching.follow<PodSeen>(corePath(namespace, 'pods'), (all) => {
    mostDown = Math.max(mostDown, nodes - all.filter(isPodReady).length);
  });
  return {
    mostDown: () => mostDown,
    describe() {
      const sums = new Map<string, number>();
      for (const { phase, seconds } of [...phases.values()].flat()) sums.set(phase, (sums.get(phase) ?? 0) + seconds);
      const each = [...sums].map(([phase, seconds]) => `${phase} ${round(seconds / phases.size)}`);
      return `      seconds of a turn, on average over ${phases.size}: ${each.join(', ')}`;
    },
    stop() {
      clusters.stop();
      pods.stop();
    },
  };
}
