// The end of every life: faults stop, the world reaches the goal within its limit, and then nobody writes any more.

import { isDeepStrictEqual } from 'node:util';
import { type ApiObject, MemoryDisk } from '@marekvs/simulator';
import type { Fate } from '../fate/fate.ts';
import { CLUSTERS, type MemberWorld } from '../world/member-world.ts';
import type { Goal } from './scenario.ts';

const DEFAULT_LIMIT_MS = 600_000;
const COPIES_LIMIT_MS = 90_000;
/** After a fault a member may leave a question unanswered for half a minute, and several may one after the other. */
const COMPARED_LIMIT_MS = 180_000;
/** Waited for after the goal is reached. An operator that dies over the last figures has them written 41 s after it. */
const CALMING_MS = 45_000;
const DEFAULT_REST_MS = 60_000;
const WATCH_MS = 5_000;
/** Prefix of the line that says what the goal lacks. */
export const STILL_MISSING = 'Still missing: ';

/** @throws Error naming what is not as it should be */
export async function close(world: MemberWorld, fate: Fate, goal: Goal): Promise<void> {
  fate.stop();
  world.stopWriters();
  world.kube.transcript.add('world', 'no more faults');
  await reach(world, goal);
  if (goal.nodes > 0) {
    await copiesComplete(world, goal);
    await world.until(() => isCompared(world), COMPARED_LIMIT_MS, 'contents compared');
  }
  await world.advance(CALMING_MS);
  fate.rest();
  await atRest(world, goal);
  if (!isReached(world, goal)) throw new Error(`has not stayed at ${goal.nodes} nodes${missing(goal)}`);
  const problem = goal.problem?.();
  if (problem !== undefined) throw new Error(problem);
}

/** Checks every few seconds that each acknowledged write is on some volume, until one is not. */
export function watchVolumes(world: MemberWorld): void {
  if (isKept(world)) world.kube.clock.after(WATCH_MS, () => watchVolumes(world));
}

/** Checks it now; a violation ends the life. */
export function isKept(world: MemberWorld): boolean {
  const { ledger, lostByHand } = world.kube;
  const keys = ledger.onlyOn(new MemoryDisk()).filter((key) => !lostByHand.has(key));
  if (keys.length > 0) world.kube.violated(`${keys.length} acknowledged writes are on no volume: ${keys.slice(0, 3)}`);
  return keys.length === 0;
}

async function reach(world: MemberWorld, goal: Goal): Promise<void> {
  const { nodes, withinMs = DEFAULT_LIMIT_MS } = goal;
  try {
    await world.until(() => isReached(world, goal), withinMs, `rest at ${nodes}`);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('wait for')) throw error;
    const [first, ...rest] = error.message.split('\n');
    throw new Error([`${first}${missing(goal)}`, ...rest].join('\n'));
  }
}

/** What the goal lacks, as a line of its own. */
function missing({ unmet }: Goal): string {
  const what = unmet?.();
  return what === undefined ? '' : `\n${STILL_MISSING}${what}`;
}

function isReached(world: MemberWorld, { nodes, ids, unmet }: Goal): boolean {
  if (unmet !== undefined) return unmet() === undefined;
  if (nodes === 0)
    return world.cluster() === undefined && world.nodes().length === 0 && world.kube.server.list('pods').length === 0;
  if (!world.isHealthy(nodes) || world.condition('RollingOut') === 'True') return false;
  if (ids !== undefined && ids.join() !== world.nodeIds().join()) return false;
  // Checked on the objects: right after a deletion by hand the status is out of date.
  const isTerminating = (object: ApiObject | undefined): boolean => object?.metadata.deletionTimestamp !== undefined;
  const terminating = new Set(
    world.kube.server
      .list('pods')
      .filter(isTerminating)
      .map(({ metadata }) => metadata.name),
  );
  return world
    .nodes()
    .every(
      (node) =>
        !isTerminating(node) &&
        !terminating.has(node.metadata.name) &&
        !isTerminating(world.claim(node.spec.nodeId)) &&
        node.spec.intent === 'Active',
    );
}

async function copiesComplete(world: MemberWorld, { isRiskReported = () => false }: Goal): Promise<void> {
  const isComplete = (): boolean => {
    const { incomplete, lost } = world.checkLedger();
    return incomplete.length === 0 || (isRiskReported() && incomplete.every((key) => lost.includes(key)));
  };
  await world.until(isComplete, COPIES_LIMIT_MS, 'every write on all its homes');
  const { lost } = world.checkLedger();
  if (lost.length > 0 && !isRiskReported())
    throw new Error(`${lost.length} acknowledged writes are lost: ${lost.slice(0, 3)}`);
}

/** The last change of the members has been compared, even if contents could not be read. A cluster that never formed
 *  has nothing to compare. */
function isCompared(world: MemberWorld): boolean {
  const replicated = world.condition('FullyReplicated');
  return world.cluster()?.status?.formed === undefined || !['absent', 'NotCompared'].includes(replicated);
}

/** Nobody writes, except the rate in the cluster's status, which falls to 0 some time after clients have stopped. */
async function atRest(world: MemberWorld, { restMs = DEFAULT_REST_MS }: Goal): Promise<void> {
  const before = world.writes.length;
  let rates = 0;
  const forget = world.kube.server.onEvent(({ resource, object, previous }) => {
    if (resource === CLUSTERS && isDeepStrictEqual(withoutRate(object), withoutRate(previous))) rates += 1;
  });
  await world.advance(restMs);
  forget();
  const written = world.writes.slice(before).map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
  if (written.length > rates) throw new Error(`${written.length} writes at rest: ${written.slice(0, 3).join(', ')}`);
}

function withoutRate(object: ApiObject | undefined) {
  const { spec, status, metadata } = object ?? {};
  const { resourceVersion: _version, ...rest } = metadata ?? {};
  return { spec, status: { ...status, opsPerSecond: 0 }, metadata: rest };
}
