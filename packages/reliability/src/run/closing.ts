// The end of every life: faults stop, the world comes to what was asked for within its bound, and then nobody writes any more.

import { type ApiObject, MemoryDisk } from '@marekvs/simulator';
import type { Fate } from '../fate/fate.ts';
import type { Goal } from '../scenarios/scenario.ts';
import { CLUSTERS, type MemberWorld } from '../world/member-world.ts';

const DEFAULT_LIMIT_MS = 600_000;
const COPIES_LIMIT_MS = 90_000;
/** After the last change of meaning. */
const CALMING_MS = 30_000;
const REST_MS = 60_000;
const WATCH_MS = 5_000;

/** @throws Error what is not as it has to be */
export async function close(world: MemberWorld, fate: Fate, goal: Goal): Promise<void> {
  fate.stop();
  world.stopWriters();
  world.kube.transcript.add('world', 'no more faults');
  await world.until(() => isReached(world, goal), goal.withinMs ?? DEFAULT_LIMIT_MS, `rest at ${goal.nodes}`);
  if (goal.nodes > 0) await copiesComplete(world);
  await world.advance(CALMING_MS);
  fate.rest();
  await atRest(world);
  if (!isReached(world, goal)) throw new Error(`has not stayed at ${goal.nodes} nodes`);
  const problem = goal.problem?.();
  if (problem !== undefined) throw new Error(problem);
}

/** Every few seconds of a life: each acknowledged write is on some volume. */
export function watchVolumes(world: MemberWorld): void {
  const nothing = new MemoryDisk();
  const look = (): void => {
    const keys = world.kube.ledger.onlyOn(nothing);
    if (keys.length > 0)
      world.kube.violated(`${keys.length} acknowledged writes are on no volume: ${keys.slice(0, 3)}`);
    else world.kube.clock.after(WATCH_MS, look);
  };
  look();
}

function isReached(world: MemberWorld, { nodes, ids }: Goal): boolean {
  if (nodes === 0)
    return world.cluster() === undefined && world.nodes().length === 0 && world.kube.server.list('pods').length === 0;
  if (!world.isHealthy(nodes)) return false;
  if (ids !== undefined && ids.join() !== world.nodeIds().join()) return false;
  // Right after a deletion by hand the status is still that of before.
  return world
    .nodes()
    .every(({ metadata, spec }) => metadata.deletionTimestamp === undefined && spec.intent === 'Active');
}

async function copiesComplete(world: MemberWorld): Promise<void> {
  await world.until(() => world.checkLedger().incomplete.length === 0, COPIES_LIMIT_MS, 'every write on all its homes');
  const { lost } = world.checkLedger();
  if (lost.length > 0) throw new Error(`${lost.length} acknowledged writes are lost: ${lost.slice(0, 3)}`);
}

/** Nobody writes, but for the rate in the cluster's status, which follows clients and comes to 0 a while after them. */
async function atRest(world: MemberWorld): Promise<void> {
  const before = world.writes.length;
  let rates = 0;
  const forget = world.kube.server.onEvent(({ resource, object, previous }) => {
    if (resource === CLUSTERS && withoutRate(object) === withoutRate(previous)) rates += 1;
  });
  await world.advance(REST_MS);
  forget();
  const written = world.writes.slice(before).map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
  if (written.length > rates) throw new Error(`${written.length} writes at rest: ${written.slice(0, 3).join(', ')}`);
}

function withoutRate(object: ApiObject | undefined): string {
  const { spec, status, metadata } = object ?? {};
  const { resourceVersion: _version, ...rest } = metadata ?? {};
  return JSON.stringify([spec, { ...status, opsPerSecond: 0 }, rest]);
}
