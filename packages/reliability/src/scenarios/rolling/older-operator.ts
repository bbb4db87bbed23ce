// An operator from before rolling updates takes over in the middle of a turn, and later the present one again.

import { rested, type Scenario } from '../../life/scenario.ts';
import { OLDER } from '../../mutants/edits/older.ts';
import { addressOf, hookOnce } from '../../mutants/loading/realm-loader.ts';
import type { startOperator } from '../../world/operator/operator-process.ts';
import { goal, NEXT } from './images.ts';

/** The time until a blocked operation counts as stalled and is reported. */
const REPORTED_WITHIN_MS = 60_000;

export const olderTakesOver: Scenario = {
  name: 'rollout-older-operator',
  story:
    'An operator of before rolling updates takes over in the middle of a turn, reports that it does not know the turn and leaves it alone; later the current one continues.',
  async run(world, fate) {
    const present = world.makeOperator;
    const older = await olderOperator();
    await rested(world, fate, 3);
    world.edit({ image: NEXT });
    await world.until(() => world.cluster()?.status?.operation?.roll !== undefined, 60_000, 'a turn begins');
    await world.advance(fate.between(0, 25_000));
    const turn = world.cluster()?.status?.operation;
    world.endOperator(world.operator);
    world.makeOperator = older;
    const other = world.startOperator();
    await world.advance(fate.between(REPORTED_WITHIN_MS, 2 * REPORTED_WITHIN_MS));
    const { status } = world.cluster() ?? {};
    if (turn?.roll !== undefined) {
      if (status?.operation?.id !== turn.id || status.operation.roll === undefined)
        world.kube.violated(`the record of the turn has become ${JSON.stringify(status?.operation)}`);
      if (world.condition('Ready') !== 'OperationInProgress')
        world.kube.violated(`Ready says ${world.condition('Ready')} while a turn stands still`);
    }
    world.endOperator(other);
    world.makeOperator = present;
    world.startOperator();
    return goal(world, 3, NEXT);
  },
};

/** Starts a process of the older operator in the present world. */
async function olderOperator(): Promise<typeof startOperator> {
  hookOnce();
  const address = addressOf('reliability/src/world/operator/operator-process.ts', OLDER);
  const realm: { readonly startOperator: typeof startOperator } = await import(address);
  return realm.startOperator;
}
