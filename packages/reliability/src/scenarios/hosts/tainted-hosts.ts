// An autoscaler taints a host instead of cordoning it: are its members moved or replaced, and only for a taint that
// means a drain?

import { ids, idsWithout, rested, type Scenario } from '../../life/scenario.ts';
import { replaceOperator } from '../steps/operator-ends.ts';
import { isMarked, MEMBERS, REPLACED_MS } from './replaced-on-drain.ts';

const KARPENTER = 'karpenter.sh/disrupted';

const tainted: Scenario = {
  name: 'drained-by-taint',
  story:
    'An autoscaler taints a host and does not cordon it: its member is moved, or replaced where its volume cannot move; and not for a taint that only expresses a preference.',
  async run(world, fate) {
    const operator = world.makeOperator;
    world.makeOperator = (options) => operator({ ...options, drainTaints: [KARPENTER] });
    await rested(world, fate, MEMBERS, { hosts: { replaceOnDrain: true } });
    await replaceOperator(world, fate);
    const isBound = fate.chance(0.5);
    if (isBound) world.bindVolumes();
    else world.freeVolumes();
    const id = fate.whole(0, MEMBERS - 1);
    const host = world.hostOf(id);
    const uid = world.pod(id)?.metadata.uid;
    world.taintForDrain(host, KARPENTER, 'PreferNoSchedule');
    await world.advance(fate.between(10_000, 60_000));
    if (world.pod(id)?.metadata.uid !== uid || isMarked(world, id))
      world.kube.violated(`demo-${id} leaves ${host}, which is only one to be avoided`);
    world.taintForDrain(host, KARPENTER, 'NoSchedule');
    const hasLeft = (): boolean => world.hostOf(id) !== host && world.member(id)?.phase === 'Active';
    if (isBound) await world.until(() => world.node(id) === undefined, REPLACED_MS, 'it is replaced');
    else await world.until(hasLeft, REPLACED_MS, 'it is on another host');
    return { nodes: MEMBERS, ids: isBound ? idsWithout(MEMBERS, id) : ids(0, MEMBERS - 1), withinMs: REPLACED_MS };
  },
};

const taintTakenBack: Scenario = {
  name: 'drained-by-taint-undone',
  story:
    'An autoscaler taints a host of a bound member, finds no other host, and takes the taint off: as many members as before serve, and none is marked.',
  async run(world, fate) {
    const operator = world.makeOperator;
    world.makeOperator = (options) => operator({ ...options, drainTaints: [KARPENTER] });
    await rested(world, fate, MEMBERS, { hosts: { replaceOnDrain: true } });
    await replaceOperator(world, fate);
    world.bindVolumes();
    const id = fate.whole(0, MEMBERS - 1);
    const host = world.hostOf(id);
    world.taintForDrain(host, KARPENTER, 'NoSchedule');
    await world.until(() => isMarked(world, id), REPLACED_MS, 'it is marked');
    await world.advance(fate.between(0, 20_000));
    world.taintForDrain(host, KARPENTER, 'NoSchedule', false);
    const isLeft = (): string | undefined => (isMarked(world, id) ? `demo-${id} is still marked` : undefined);
    return { nodes: MEMBERS, withinMs: REPLACED_MS, problem: isLeft };
  },
};

export const TAINTED_HOST_STORIES: readonly Scenario[] = [tainted, taintTakenBack];
