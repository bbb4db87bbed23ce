// Removals under three operators that share the clusters: frozen for minutes, killed, cut from their watches, with
// deleted leases and a damaged register. Never do two of them own a cluster, whatever is under way.

import { LABELS, OPERATOR_LEASE } from '@marekvs/api';
import type { ShareRules } from '@marekvs/runtime';
import type { Fate } from '../../fate/fate.ts';
import { ids, rested, type Scenario } from '../../life/scenario.ts';
import { NAME, NAMESPACE, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import {
  type OperatorProcess,
  type OperatorProcessOptions,
  startOperator,
} from '../../world/operator/operator-process.ts';

const REPLICAS = 3;
const LEASES = 'leases.coordination.k8s.io';
const CHECK_MS = 200;
/** Clock skew of machines whose clocks are synchronised. */
const SKEW_MS = 5_000;
/** Clock skew of one that was set by hand. Leases do not use this clock, and a proof from the future counts as little
 *  as an old one. */
const APART_MS = 3_600_000;
const CLUSTER = `${NAMESPACE}/${NAME}`;

const ring = sharing('ring-of-three', { kind: 'ring' }, SKEW_MS, 'share the clusters as those that are alive agree');
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
  'share the clusters as those that are alive agree, with clocks that are up to two hours apart',
);

/** The format of a version that counts slots in another way. */
const LATER = '2/512';

const changing: Scenario = {
  name: 'ring-of-two-formats',
  story:
    'A rollout changes the format in which three operators share, one operator after the other, and those with the old format die meanwhile: the new ones take no part before the last old one has ended, and the cluster is managed until then.',
  async run(world, fate) {
    await rested(world, fate, 4);
    world.retireFirst();
    let format: string | undefined;
    const living = shareFrom(world, fate, { kind: 'ring' }, SKEW_MS, () => format);
    judgeOwners(world);
    world.restartMs = 3_600_000;
    for (let n = 0; n < REPLICAS; n += 1) world.startOperator(false);
    const owner = (): OperatorProcess | undefined => living().find((one) => one.owns(CLUSTER));
    await world.until(() => owner() !== undefined, 60_000, 'one of three owns the cluster');
    const first = living();
    format = LATER;
    world.edit({ nodes: 3 });
    for (let n = 1; n < REPLICAS; n += 1) {
      fate.count('operatorKilled');
      owner()?.crash();
      world.startOperator(false);
      await world.until(() => owner() !== undefined, 60_000, 'one of the old way owns the cluster');
      if (living().some((one) => one.owns(CLUSTER) && !first.includes(one)))
        world.kube.violated('one of the new way owns the cluster while one of the old way lives');
      await world.advance(fate.between(2_000, 25_000));
    }
    fate.count('operatorKilled');
    living()
      .find((one) => first.includes(one))
      ?.crash();
    world.startOperator(false);
    await world.until(() => owner() !== undefined, 60_000, 'one of the new way owns the cluster');
    await world.until(() => world.isHealthy(3), 900_000, '3 of 4 stay');
    return { nodes: 3 };
  },
};

/** Among three operators in a ring, each has one of these slots. */
const OTHER_SLOTS = [40, 130, 220];

const mislabelled: Scenario = {
  name: 'ring-slot-edited',
  story:
    'Three operators share, and a person changes the slot label of a node, a Pod and a volume, one at a time; their operators end, a node leaves and another joins: what was hidden from its owner is found again.',
  async run(world, fate) {
    await rested(world, fate, 4);
    world.retireFirst();
    const living = shareFrom(world, fate, { kind: 'ring' }, SKEW_MS);
    judgeOwners(world);
    for (let n = 0; n < REPLICAS; n += 1) world.startOperator(false);
    await world.until(() => living().some((one) => one.owns(CLUSTER)), 60_000, 'one of three owns the cluster');
    const things: readonly (readonly [string, string])[] = [
      [NODES, 'demo-1'],
      ['pods', 'demo-2'],
      ['persistentvolumeclaims', 'data-demo-0'],
    ];
    for (const [resource, name] of things) {
      world.label(resource, name, { [LABELS.slot]: String(fate.pick(OTHER_SLOTS)) });
      await world.advance(fate.between(2_000, 25_000));
    }
    world.edit({ nodes: 3 });
    await world.until(() => world.isHealthy(3), 900_000, '3 of 4 stay');
    return { nodes: 3 };
  },
};

export const SHARING_STORIES: readonly Scenario[] = [ring, fixed, apart, changing, mislabelled];

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

/** Operators that start from now on share; each gets the lowest free number. */
function shareFrom(
  world: MemberWorld,
  fate: Fate,
  rules: ShareRules,
  apartMs: number,
  formatOf: () => string | undefined = () => undefined,
): () => readonly OperatorProcess[] {
  const numbers = new Map<OperatorProcess, number>();
  const living = () => [...numbers.keys()].filter((one) => one.isAlive);
  world.makeOperator = (options: OperatorProcessOptions) => {
    const taken = new Set(living().map((one) => numbers.get(one)));
    const ordinal = ids(0, REPLICAS - 1).find((one) => !taken.has(one)) ?? 0;
    const skewMs = fate.between(-apartMs, apartMs);
    const format = formatOf();
    const sharing = { rules, ordinal, ...(format === undefined ? {} : { format }) };
    const process = startOperator({ ...options, skewMs, sharing });
    numbers.set(process, ordinal);
    return process;
  };
  return living;
}

function judgeOwners(world: MemberWorld): void {
  const check = (): void => {
    const owners = world.livingOperators().filter((one) => one.owns(CLUSTER));
    if (owners.length > 1)
      world.kube.violated(`${owners.map(({ name }) => name).join(' and ')} own the cluster at once`);
  };
  world.kube.server.onEvent(check);
  const again = (): void => {
    check();
    world.kube.clock.after(CHECK_MS, again);
  };
  again();
}

type Trouble = (world: MemberWorld, fate: Fate, living: readonly OperatorProcess[]) => void;

/** Mostly the operator that owns the cluster. */
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
    const leader = world.kube.server.list(LEASES).find(({ metadata }) => metadata.name === OPERATOR_LEASE);
    if (leader === undefined) return;
    fate.count('leaseLost');
    world.kube.transcript.add('user', 'damages the register');
    const annotations = { 'marekvs.io/shares': fate.pick(['', '{}', '{"generation":99}']) };
    world.kube.server.patch(LEASES, leader.metadata, { metadata: { annotations } });
  },
];
