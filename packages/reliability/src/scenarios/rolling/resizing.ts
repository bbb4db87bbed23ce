// Other resources reach running members in place, one by one; what is impossible in place is done with a restart.

import { ANNOTATIONS, type MarekvsNode } from '@marekvs/api';
import { type ApiObject, ApiRefusal } from '@marekvs/simulator';
import { delayWatches, STRIKES } from '../../fate/member-faults.ts';
import { type Goal, rested, type Scenario, unlessAtRest } from '../../life/scenario.ts';
import { askedResources, confirmedResources } from '../../world/cluster/pod-resources.ts';
import { NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { replaceOperator, replaceOperators } from '../steps/operator-ends.ts';
import { strike } from '../steps/strike.ts';
import { livesOf, podsOf } from '../steps/who-runs.ts';

const BEFORE = { cpu: '500m', memory: '1Gi' };
const MORE = { cpu: '750m', memory: '2Gi' };
const FULL = { kind: 'full', message: "Node didn't have enough resource: memory" } as const;
const SMALL = { kind: 'small', message: "Node didn't have enough capacity: memory" } as const;
const MORE_CPU = '1';
const WITHIN_MS = 600_000;

type Wish = typeof MORE;

export const RESIZING_STORIES: readonly Scenario[] = [
  {
    name: 'resources-in-place',
    story: 'Every member gets more memory and CPU where it runs, while clients write: no member is restarted.',
    async run(world, fate) {
      await rested(world, fate, 3);
      const lives = livesOf(world);
      fate.count('load');
      world.startWriters({ clients: 2, writesPerSecond: 20, keys: 100 });
      world.edit({ resources: MORE });
      return goal(world, 3, MORE, () => (livesOf(world) === lives ? undefined : `${lives} became ${livesOf(world)}`));
    },
  },
  {
    name: 'resources-refused',
    story:
      'The API server does not offer it, a rule refuses it, a host has no room or never will: members are restarted.',
    async run(world, fate) {
      await rested(world, fate, 3);
      const before = podsOf(world);
      refuse(world, fate.pick(['absent', 'rule', 'full', 'small'] as const));
      world.edit({ resources: MORE });
      return goal(world, 3, MORE, () =>
        podsOf(world).some((uid) => before.includes(uid)) ? 'not restarted' : undefined,
      );
    },
  },
  {
    name: 'resources-deferred',
    story:
      'A host defers a resize and has room for it a while later: before the operator gives up, right then, or after.',
    async run(world, fate) {
      await rested(world, fate, 3);
      refuse(world, 'full');
      world.edit({ resources: MORE });
      await world.advance(fate.between(20_000, 100_000));
      world.kube.kubelet.roomOverride = () => undefined;
      return goal(world, 3, MORE);
    },
  },
  {
    name: 'resources-taken-back',
    story: 'The resources are set back, changed to others, or changed together with the image, while members get them.',
    async run(world, fate) {
      await rested(world, fate, 4);
      if (fate.chance(0.4)) refuse(world, 'full');
      const first = fate.pick([MORE, { ...BEFORE, cpu: '1' }]);
      const last = fate.pick([BEFORE, { cpu: '250m', memory: '3Gi' }, first]);
      const image = last === first || fate.chance(0.3) ? 'marekvs:next' : undefined;
      world.edit({ resources: first });
      await world.advance(fate.between(0, 30_000));
      world.edit({ resources: last, ...(image === undefined ? {} : { image }) });
      await world.advance(fate.between(0, 60_000));
      world.kube.kubelet.roomOverride = () => undefined;
      return goal(world, 4, last);
    },
  },
  {
    name: 'resources-set-back',
    story:
      'More CPU is asked for and taken back before the host of the first member has confirmed it; a rule may refuse to take it back while the member runs, and the operator may end at that moment.',
    async run(world, fate) {
      await rested(world, fate, 3);
      refuse(world, 'full');
      world.edit({ resources: { ...BEFORE, cpu: MORE_CPU } });
      const isAsked = () => world.nodeIds().some((id) => askedResources(world.pod(id)).requests?.cpu === MORE_CPU);
      await world.until(isAsked, 60_000, 'a Pod asks for more');
      await world.advance(fate.between(0, 3_000));
      world.edit({ resources: BEFORE });
      if (fate.chance(0.5)) refuse(world, 'rule');
      if (fate.chance(0.5)) {
        await world.until(() => isStampedAgain(world), 60_000, 'the old amount is stamped again');
        await replaceOperator(world, fate, fate.between(500, 4_000));
      }
      await world.advance(fate.between(0, 30_000));
      world.kube.kubelet.roomOverride = () => undefined;
      return goal(world, 3, BEFORE);
    },
  },
  {
    name: 'resources-twice',
    story:
      'Two operators believe to be the only one while more CPU is asked for and taken back, and hear of nodes late.',
    async run(world, fate) {
      await rested(world, fate, 3);
      refuse(world, 'full');
      world.edit({ resources: { ...BEFORE, cpu: MORE_CPU } });
      await world.advance(fate.between(0, 3_000));
      fate.count('twoOperators');
      STRIKES.twoOperators(world, fate);
      delayWatches(world, fate, NODES, 1_000, 5_000);
      await world.advance(fate.between(0, 3_000));
      world.edit({ resources: BEFORE });
      await world.advance(fate.between(5_000, 30_000));
      world.kube.kubelet.roomOverride = () => undefined;
      return goal(world, 3, BEFORE);
    },
  },
  {
    name: 'resources-behind',
    story:
      'Two operators believe to be the only one and hear of nodes late: more CPU is in force on a member, is taken back there, and the one that is behind still sees the earlier permit.',
    async run(world, fate) {
      await rested(world, fate, 3);
      fate.count('twoOperators');
      const other = world.startOperator();
      fate.undoAfter(120_000, () => world.endOperator(other));
      delayWatches(world, fate, NODES, 1_000, 8_000);
      const last = () => world.pod(2);
      for (let n = 0; n < 3; n += 1) {
        world.edit({ resources: { ...BEFORE, cpu: MORE_CPU } });
        await world.until(() => isGiven(last(), MORE_CPU), 120_000, 'the last member has more');
        world.edit({ resources: BEFORE });
        await world.until(() => isGiven(last(), BEFORE.cpu), 120_000, 'the last member has what it had');
        // A host without room confirms nothing of the current request.
        refuse(world, 'full');
        await world.advance(fate.between(0, 10_000));
        world.kube.kubelet.roomOverride = () => undefined;
      }
      return goal(world, 3, BEFORE);
    },
  },
  {
    name: 'resources-lowered',
    story: 'Memory is taken from members that use it: they are restarted with less, and never killed for it.',
    async run(world, fate) {
      await rested(world, fate, 3, { resources: MORE });
      const before = podsOf(world);
      world.edit({ resources: BEFORE });
      return goal(world, 3, BEFORE, () => (podsOf(world).some((uid) => before.includes(uid)) ? 'in place' : undefined));
    },
  },
  {
    name: 'resources-disturbed',
    story:
      'While members get other resources a node or a Pod is deleted, a volume is lost, a member ends, or the operator.',
    async run(world, fate) {
      await rested(world, fate, 4);
      if (fate.chance(0.3)) refuse(world, 'full');
      world.edit({ resources: MORE });
      await world.advance(fate.between(0, 12_000));
      await strike(world, fate);
      world.kube.kubelet.roomOverride = () => undefined;
      return goal(world, 4, MORE);
    },
  },
  {
    name: 'resources-killed',
    story: 'The operator ends again and again while members get other resources, and another one takes over.',
    async run(world, fate) {
      await rested(world, fate, 3);
      const lives = livesOf(world);
      world.restartMs = fate.between(500, 4_000);
      world.edit({ resources: MORE });
      await replaceOperators(world, fate, 5, 100, 3_000);
      return goal(world, 3, MORE, () => (livesOf(world) === lives ? undefined : 'somebody was restarted'));
    },
  },
];

function refuse({ kube }: MemberWorld, how: 'absent' | 'rule' | 'full' | 'small'): void {
  switch (how) {
    case 'absent':
      kube.server.offersResize = false;
      break;
    case 'rule':
      kube.server.admitResize = ({ metadata }) => {
        throw new ApiRefusal(403, 'Forbidden', `pods "${metadata.name}" is forbidden: exceeded quota: compute`);
      };
      break;
    case 'full':
    case 'small':
      kube.kubelet.roomOverride = () => (how === 'full' ? FULL : SMALL);
  }
}

function goal(world: MemberWorld, nodes: number, resources: Wish, problem?: () => string | undefined): Goal {
  const unmet = (): string | undefined => {
    const unrest = unlessAtRest(world, nodes);
    if (unrest !== undefined) return unrest;
    const others = world.nodeIds().filter((id) => !has(world.pod(id), resources));
    return others.length === 0 ? undefined : `demo-${others.join()} has other resources`;
  };
  return { nodes, withinMs: WITHIN_MS, unmet, ...(problem === undefined ? {} : { problem }) };
}

/** As confirmed by its host, not as requested. */
function has(pod: ApiObject | undefined, { cpu, memory }: Wish): boolean {
  const { requests, limits } = confirmedResources(pod);
  return requests?.cpu === cpu && requests.memory === memory && limits?.memory === memory;
}

function isStampedAgain({ kube }: MemberWorld): boolean {
  return kube.server.list(NODES).some((node) => {
    const { metadata, spec } = node as ApiObject & MarekvsNode;
    return metadata.annotations?.[ANNOTATIONS.resize] !== undefined && spec.template.resources.cpu === BEFORE.cpu;
  });
}

/** As confirmed by its host, with no other request pending. */
function isGiven(pod: ApiObject | undefined, cpu: string): boolean {
  return confirmedResources(pod).requests?.cpu === cpu && askedResources(pod).requests?.cpu === cpu;
}
