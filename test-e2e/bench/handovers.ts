// A fleet that three replicas share changes hands again and again while every cluster is edited: by a planned end, by a
// kill, and by a replica that is frozen until others have its clusters. By the audit log, only owners may have written,
// in the order of owners.

import { setTimeout as delay } from 'node:timers/promises';
import type { MarekvsCluster } from '@marekvs/api';
import { round } from '../support/figures.ts';
import { watchHandovers } from '../support/handovers.ts';
import { ownPath } from '../support/kube.ts';
import type { World } from '../support/world.ts';
import { type Figure, figure } from './figure.ts';
import { allHealthy, createFleet, createNamespaces, fleetOf } from './fleet.ts';
import { startRing } from './replicas.ts';

const REPLICAS = 3;
const CREATION_LIMIT_MS = 600_000;
/** In a round of so many, one replica is killed and one frozen; the others end in order. */
const ROUND = 6;
const EDITS_AT_ONCE = 8;

/** @param wanted it ends with the first change after so many hand-overs of clusters */
export async function measureHandovers(
  world: World,
  clusters: number,
  wanted: number,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const { testbed, kube, watching } = world;
  const fleet = fleetOf(clusters);
  const ring = await startRing(testbed, REPLICAS);
  await createNamespaces(kube);
  await createFleet(kube, clusters, { limitMs: CREATION_LIMIT_MS });
  say(`${clusters} clusters are Healthy`);

  const watch = await watchHandovers(watching, fleet);
  const audit = await testbed.auditReader();
  const stop = new AbortController();
  const editing = editAll(world, fleet, stop.signal);
  const startMs = performance.now();
  let changes = 0;
  while (watch.handovers() < wanted) {
    const ordinal = changes % REPLICAS;
    const how = changes % ROUND;
    if (how === ROUND - 2) await ring.handOver(ordinal, (one) => one.kill());
    else if (how === ROUND - 1) await ring.freeze(ordinal);
    else await ring.handOver(ordinal, (one) => one.stop());
    changes += 1;
    say(`  ${changes} changes, ${watch.handovers()} hand-overs of clusters`);
  }
  stop.abort();
  const edits = await editing;
  await kube.until<MarekvsCluster>('all Healthy', ownPath('marekvsclusters'), allHealthy(clusters), CREATION_LIMIT_MS);
  const { handovers, seen, writes, refused, violations } = watch.judge((await audit.read()).requests);
  watch.stop();
  for (const violation of violations) say(`  OUT OF TURN ${violation}`);
  return [
    figure('hand-overs of clusters, wanted and not reached', Math.max(0, wanted - handovers), '', 0),
    figure(
      `  of ${handovers}, in ${round((performance.now() - startMs) / 1000)} s: clusters written out of turn`,
      violations.length,
      '',
      0,
    ),
    figure(`  of ${edits} edits and ${writes} writes: changes of the writer`, seen, '', Number.POSITIVE_INFINITY),
    figure('  writes that bounced', refused, '', Number.POSITIVE_INFINITY),
  ];
}

/** Makes edits that restart nobody and are each answered by a write. @returns how many there were */
async function editAll({ kube }: World, fleet: ReturnType<typeof fleetOf>, signal: AbortSignal): Promise<number> {
  let edits = 0;
  const editor = async (first: number): Promise<void> => {
    for (let index = first; !signal.aborted; index += EDITS_AT_ONCE) {
      const { namespace, name } = fleet[index % fleet.length] ?? { namespace: '', name: '' };
      const whenDeleted = Math.floor(index / fleet.length) % 2 === 0 ? 'Delete' : 'Retain';
      await kube.patchCluster(namespace, name, { spec: { volumeRetention: { whenDeleted } } });
      edits += 1;
      await delay(EDITS_AT_ONCE * 40);
    }
  };
  await Promise.all(Array.from({ length: EDITS_AT_ONCE }, (_, first) => editor(first)));
  return edits;
}
