// The changes of a cluster that clients should not notice, and what each client counted during each.

import { setTimeout as delay } from 'node:timers/promises';
import type { ClientCounts, ClientProgram, ClientTask } from '../support/client-programs.ts';
import type { ClusterHandle } from '../support/cluster-handle.ts';
import { round } from '../support/figures.ts';
import { isRolledOut } from '../support/seen.ts';
import type { World } from '../support/world.ts';

export interface PartOfClient {
  readonly task: ClientTask;
  readonly counts: ClientCounts;
}

export interface Change {
  readonly name: string;
  readonly seconds: number;
  readonly parts: readonly PartOfClient[];
}

const LIMIT_MS = 360_000;
/** After a change, in which clients may still meet what it left behind. */
const AFTER_MS = 5_000;

/** Grows the cluster from three to five, removes one, grows it again, rolls all, and deletes a Pod. It has three nodes
 *  again at the end. */
export async function changesUnder(
  cluster: ClusterHandle,
  world: World,
  programs: readonly ClientProgram[],
  say: (text: string) => void,
): Promise<readonly Change[]> {
  const changed: Change[] = [];
  const during = async (name: string, change: () => Promise<unknown>): Promise<void> => {
    await partsOf(programs);
    const startedMs = performance.now();
    await change();
    const seconds = round((performance.now() - startedMs) / 1_000);
    await delay(AFTER_MS);
    const parts = await partsOf(programs);
    changed.push({ name, seconds, parts });
    say(`  ${name}: ${seconds} s`);
    for (const part of parts) say(`    ${describe(part)}`);
  };
  const sized = async (nodes: number): Promise<void> => {
    await cluster.scale(nodes);
    await cluster.healthy(nodes, LIMIT_MS);
  };
  await during('growth 3 to 5', () => sized(5));
  await during('removal 5 to 4', () => sized(4));
  await sized(5);
  await during('roll of 5', async () => {
    await cluster.edit({ extraEnv: { ROLLED: String(performance.now()) } });
    await cluster.says('every member has the new template', isRolledOut, LIMIT_MS);
    await cluster.healthy(5, LIMIT_MS);
  });
  await during('a Pod deleted', async () => {
    const before = cluster.lives();
    await world.kube.core.deleteNamespacedPod({ namespace: cluster.namespace, name: `${cluster.name}-1` });
    await cluster.pod(1, 'another process runs', ({ metadata }) => !before.some((life) => life.includes(metadata.uid)));
    await cluster.healthy(5, LIMIT_MS);
  });
  await sized(3);
  return changed;
}

async function partsOf(programs: readonly ClientProgram[]): Promise<readonly PartOfClient[]> {
  return Promise.all(programs.map(async (program) => ({ task: program.task, counts: await program.part() })));
}

function describe({ task, counts }: PartOfClient): string {
  const { operations, errors, kinds, longestStallMs, reads, old, empty } = counts;
  const worst = Object.entries(kinds).sort(([, a], [, b]) => b - a)[0];
  const why = worst === undefined ? '' : ` (${worst[1]} x ${worst[0]})`;
  const seen = `${operations} operations, ${errors} errors${why}, longest stall ${longestStallMs} ms`;
  return `${task.library} ${task.mode}: ${seen}; of ${reads} reads ${old} old, ${empty} empty`;
}
