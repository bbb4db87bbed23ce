// Generates plans. They are small on purpose: three to six nodes and a handful of steps find what twelve nodes would,
// and a life takes well under a second. Known limits of what users may ask for are preconditions here, each with its
// reason.

import fc, { type Arbitrary } from 'fast-check';
import {
  type Choices,
  COUPLES,
  type Couple,
  LOADED,
  mostlyRetain,
  ROLLED,
  ROLLED_COUPLES,
  seconds,
  size,
  VOLUMES_DELETED,
} from './acts.ts';
import type { ActKind, Beginning, Plan, Step } from './plan.ts';
import { GOOD_IMAGES, UNJOINING_IMAGES } from './wish.ts';

/** Groups of one or two steps, or of templates one after the other. */
const MAX_GROUPS = 6;

/** Shrinks to fewer steps, then to simpler ones. The beginning of the cluster and the times of steps never change. */
export function plans(): Arbitrary<Plan> {
  // Every seed is a first run, and fast-check biases first runs towards small values.
  const rolled = planOf(ROLLED, [...ROLLED_COUPLES.map(coupled), oneAfterTheOther]);
  return fc.noBias(fc.oneof(planOf(LOADED), rolled, planOf(VOLUMES_DELETED)).filter(isAllowed));
}

/** replicationFactor is 2 or 3 and stays: with 1 a node is lost only by force, and a change needs a restart of every
 *  member, which this version leaves to people. whenDeleted is set only at creation: a later change counts once the
 *  operator has noted it on the volumes, which cannot be seen from outside. */
const beginning: Arbitrary<Beginning> = fc.record({
  nodes: size,
  replicationFactor: fc.constantFrom(2, 2, 2, 3),
  whenDeleted: mostlyRetain,
  begins: fc.constantFrom('rested', 'rested', 'rested', 'at once'),
  restartMs: fc.constantFrom(500, 3_000, 8_000),
});

/** A removal takes about a minute; later steps meet a cluster that has changed. */
const atMs = fc.oneof(seconds(0, 60), seconds(0, 180));

/** Somebody who tries many templates: those that are no longer in use are given up. */
const oneAfterTheOther = fc
  .record({ atMs, images: fc.shuffledSubarray([...GOOD_IMAGES], { minLength: 6 }) })
  .map(({ atMs, images }) =>
    images.map((image, index): Step => ({ atMs: atMs + index * 1_000, act: { kind: 'image', image } })),
  );

function planOf(choices: Choices, couples = COUPLES.map(coupled)): Arbitrary<Plan> {
  const act = fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
  const single = fc.record({ atMs, act }).map((step): readonly Step[] => [step]);
  const group = fc.oneof({ weight: 3, arbitrary: single }, { weight: 2, arbitrary: fc.oneof(...couples) });
  // Starting from length 0 lets fast-check leave out each group; only the life without any step is excluded.
  const groups = fc.array(group, { maxLength: MAX_GROUPS, size: 'max' }).filter(({ length }) => length > 0);
  return fc.record({
    seed: fc.noShrink(fc.integer({ min: 1, max: 1_000_000 })),
    first: fc.noShrink(beginning),
    steps: groups.map((list) => list.flat()),
  });
}

/** The second act some time after the first, or only one of them: that is how a couple shrinks. */
function coupled([first, second]: Couple): Arbitrary<readonly Step[]> {
  const parts = fc.record({ atMs, gapMs: seconds(0, 30), first, second, which: fc.subarray([0, 1], { minLength: 1 }) });
  return parts.map((couple) =>
    which(couple.which, [
      { atMs: couple.atMs, act: couple.first },
      { atMs: couple.atMs + couple.gapMs, act: couple.second },
    ]),
  );
}

function which(kept: readonly number[], steps: readonly Step[]): readonly Step[] {
  return steps.filter((_, index) => kept.includes(index));
}

/** Deleting every volume of a key gives the key up: at most all but one of `replicationFactor` homes lose theirs. */
function isAllowed({ first, steps }: Plan): boolean {
  return count(steps, 'deleteClaim') < first.replicationFactor && !isStranded(first, steps);
}

/** Members start with an image with which they are never one of the others, and no turn can find that out. A person
 *  deleted a Pod or a node: nobody can know whether it is so for good, and a person is told
 *  (docs/decisions/rolling-updates.md#a-correction-reaches-every-member). Or a cluster forms with it: here, and only
 *  here, members of another mesh version do not understand each other either. */
function isStranded({ begins }: Beginning, steps: readonly Step[]): boolean {
  const isSo = steps.some(({ act }) => act.kind === 'image' && UNJOINING_IMAGES.includes(act.image));
  const isByHand = steps.some(
    ({ act }) => act.kind === 'deleteNode' || (act.kind === 'update' && act.type === 'OnDelete'),
  );
  return isSo && (isByHand || begins === 'at once' || count(steps, 'createCluster') > 0);
}

function count(steps: readonly Step[], kind: ActKind): number {
  return steps.filter(({ act }) => act.kind === kind).length;
}
