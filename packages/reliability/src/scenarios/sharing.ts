// Removals under three operators that share the clusters: frozen for minutes, killed, cut from their watches, with leases that are deleted and a
// register that is damaged. At no time do two of them own a cluster, whatever it is in the middle of.

import type { ShareRules } from '@marekvs/runtime';
import type { Fate } from '../fate/fate.ts';
import type { MemberWorld } from '../world/member-world.ts';
import { type OperatorProcess, type OperatorProcessOptions, startOperator } from '../world/operator-process.ts';
import { NAME, NAMESPACE } from '../world/world-view.ts';
import { ids, rested, type Scenario } from './scenario.ts';

const REPLICAS = 3;
const LEASES = 'leases.coordination.k8s.io';
const LOOK_MS = 200;
/** Of the time of day, as on machines whose clocks are looked after. */
const SKEW_MS = 5_000;
/** As on one that was set by hand. Leases do not look at it, and a proof of the future counts as little as an old one. */
const APART_MS = 3_600_000;
const CLUSTER = `${NAMESPACE}/${NAME}`;

const ring = sharing('ring-of-three', { kind: 'ring' }, SKEW_MS, 'share the clusters as those that live agree');
const fixed = sharing(
  'three-by-number',
  { kind: 'static', count: REPLICAS },
  SKEW_MS,
  'share the clusters by their number',
);
const apart = sharing(
  'ring-an-hour-apart',
  { kind: 'ring' },
  APART_MS,
  'share the clusters as those that live agree, with clocks that are up to two hours apart',
);

export const SHARING_STORIES: readonly Scenario[] = [ring, fixed, apart];

function sharing(name: string, rules: ShareRules, skewMs: number, how: string): Scenario {
  return {
    name,
    story: `Three operators ${how}; they are frozen, killed and cut off, and leases are deleted, while a node leaves and another joins: no two own the cluster at once.`,
    async run(world, fate) {
      await rested(world, fate, 4);
      world.retireFirst();
      world.areClocksApart = skewMs === APART_MS;
      const living = shareFrom(world, fate, rules, skewMs);
      judgeOwners(world);
      for (let n = 0; n < REPLICAS; n += 1) world.startOperator(false);
      await world.until(() => living().some((one) => one.owns(CLUSTER)), 60_000, 'one of three owns the cluster');
      world.edit({ nodes: 3 });
      for (let n = 0; n < 6; n += 1) {
        await world.advance(fate.between(2_000, 25_000));
        fate.pick(TROUBLES)(world, fate, living());
      }
      await world.until(() => world.isHealthy(3), 900_000, '3 of 4 stay');
      world.edit({ nodes: 4 });
      return { nodes: 4 };
    },
  };
}

/** Operators that start from now on share; each has the lowest number that nobody has. */
function shareFrom(
  world: MemberWorld,
  fate: Fate,
  rules: ShareRules,
  apartMs: number,
): () => readonly OperatorProcess[] {
  const numbers = new Map<OperatorProcess, number>();
  const living = () => [...numbers.keys()].filter((one) => one.isAlive);
  world.makeOperator = (options: OperatorProcessOptions) => {
    const taken = new Set(living().map((one) => numbers.get(one)));
    const ordinal = ids(0, REPLICAS - 1).find((one) => !taken.has(one)) ?? 0;
    const skewMs = fate.between(-apartMs, apartMs);
    const process = startOperator({ ...options, skewMs, sharing: { rules, ordinal } });
    numbers.set(process, ordinal);
    return process;
  };
  return living;
}

function judgeOwners(world: MemberWorld): void {
  const look = (): void => {
    const owners = world.livingOperators().filter((one) => one.owns(CLUSTER));
    if (owners.length > 1)
      world.kube.violated(`${owners.map(({ name }) => name).join(' and ')} own the cluster at once`);
  };
  world.kube.server.onEvent(look);
  const again = (): void => {
    look();
    world.kube.clock.after(LOOK_MS, again);
  };
  again();
}

type Trouble = (world: MemberWorld, fate: Fate, living: readonly OperatorProcess[]) => void;

/** Mostly whoever owns the cluster. */
function victim(fate: Fate, living: readonly OperatorProcess[]): OperatorProcess | undefined {
  const owner = living.find((one) => one.owns(CLUSTER));
  return owner !== undefined && fate.random() < 0.7 ? owner : fate.pick(living);
}

const TROUBLES: readonly Trouble[] = [
  (_world, fate, living) => {
    fate.count('operatorFrozen');
    victim(fate, living)?.freeze(fate.between(5_000, 150_000));
  },
  (_world, fate, living) => {
    fate.count('operatorKilled');
    victim(fate, living)?.crash();
  },
  (_world, fate, living) => {
    fate.count('streamsCut');
    victim(fate, living)?.cutStreams();
  },
  (world, fate) => {
    const all = world.kube.server.list(LEASES);
    if (all.length === 0) return;
    fate.count('leaseLost');
    const { namespace = '', name } = fate.pick(all).metadata;
    world.kube.transcript.add('user', `deletes the lease ${name}`);
    world.kube.server.remove(LEASES, { namespace, name });
  },
  (world, fate) => {
    const leader = world.kube.server.list(LEASES).find(({ metadata }) => metadata.name === 'marekvs-operator');
    if (leader === undefined) return;
    fate.count('leaseLost');
    world.kube.transcript.add('user', 'damages the register');
    const annotations = { 'marekvs.io/shares': fate.pick(['', '{}', '{"generation":99}']) };
    world.kube.server.patch(LEASES, leader.metadata, { metadata: { annotations } });
  },
];
