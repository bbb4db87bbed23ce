// The single acts of plans with their frequency, and the pairs of acts that affect each other. Weights follow the
// subject of a life: mostly sizes and deletions, now and then single edits of other fields.

import fc, { type Arbitrary } from 'fast-check';
import { WATCHED } from '../fate/member-faults.ts';
import type { Act, Retention, WriteEnd } from './plan.ts';
import { BAD_IMAGES, GOOD_IMAGES } from './wish.ts';

export type Choices = readonly (readonly [weight: number, act: Arbitrary<Act>])[];
export type Couple = readonly [first: Arbitrary<Act>, second: Arbitrary<Act>];

export const size = fc.integer({ min: 2, max: 6 });
export const mostlyRetain = fc.constantFrom<Retention[]>('Retain', 'Retain', 'Delete');
const node = fc.nat({ max: 5 });

const resize: Arbitrary<Act> = fc.record({ kind: fc.constant('size'), nodes: size });
const pause: Arbitrary<Act> = fc.record({ kind: fc.constant('pause') });
const resume: Arbitrary<Act> = fc.record({ kind: fc.constant('resume') });
const hibernate: Arbitrary<Act> = fc.record({ kind: fc.constant('hibernate') });
const wake: Arbitrary<Act> = fc.record({ kind: fc.constant('wake') });
const deleteCluster: Arbitrary<Act> = fc.record({ kind: fc.constant('deleteCluster') });
const createCluster: Arbitrary<Act> = fc.record({
  kind: fc.constant('createCluster'),
  nodes: size,
  whenDeleted: mostlyRetain,
});
const deleteNode: Arbitrary<Act> = fc.record({ kind: fc.constant('deleteNode'), node });
const deletePod: Arbitrary<Act> = fc.record({ kind: fc.constant('deletePod'), node });
const deleteClaim: Arbitrary<Act> = fc.record({ kind: fc.constant('deleteClaim'), node });
const takeFinalizer: Arbitrary<Act> = fc.record({ kind: fc.constant('takeFinalizer'), node });
const force: Arbitrary<Act> = fc.record({ kind: fc.constant('force'), node, isRightUid: fc.boolean() });
const retention: Arbitrary<Act> = fc.record({
  kind: fc.constant('retention'),
  whenScaled: fc.constantFrom<Retention[]>('Retain', 'Delete'),
});
const clients: Arbitrary<Act> = fc.record({
  kind: fc.constant('clients'),
  writesPerSecond: fc.integer({ min: 4, max: 40 }),
  forMs: seconds(5, 120),
});

const USERS: Choices = [
  [5, resize],
  [1, fc.record({ kind: fc.constant('image'), image: fc.constantFrom('marekvs:test', 'marekvs:next') })],
  [1, fc.record({ kind: fc.constant('labels'), team: fc.constantFrom('red', 'blue') })],
  [1, pause],
  [2, resume],
  [1, hibernate],
  [1, wake],
  [1, fc.record({ kind: fc.constant('deadline'), seconds: fc.constantFrom(90, 300, 3_600) })],
  [1, retention],
  [1, fc.record({ kind: fc.constant('protection'), isOn: fc.boolean() })],
  [1, deleteCluster],
  [1, createCluster],
  [3, deleteNode],
  [2, deletePod],
  [1, takeFinalizer],
  [1, fc.record({ kind: fc.constant('deleteService') })],
  [1, fc.record({ kind: fc.constant('removeFirst'), node })],
  [1, force],
];

const kill: Arbitrary<Act> = fc.record({ kind: fc.constant('kill'), node });
const operatorKilled: Arbitrary<Act> = fc.record({ kind: fc.constant('operatorKilled') });

const FAULTS: Choices = [
  [2, kill],
  [2, fc.record({ kind: fc.constant('freeze'), node, forMs: seconds(1, 20) })],
  [
    2,
    fc.record({
      kind: fc.constant('metrics'),
      node,
      how: fc.constantFrom('hang', 'error', 'garbage'),
      forMs: seconds(1, 60),
    }),
  ],
  [2, fc.record({ kind: fc.constant('cut'), node, from: node, forMs: seconds(1, 30) })],
  [2, operatorKilled],
  [1, fc.record({ kind: fc.constant('secondOperator'), forMs: seconds(1, 30) })],
  [
    2,
    fc.record({
      kind: fc.constant('lag'),
      resource: fc.constantFrom(...WATCHED, 'all'),
      ms: fc.integer({ min: 500, max: 5_000 }),
      forMs: seconds(10, 120),
    }),
  ],
  [
    4,
    fc.record({
      kind: fc.constant('write'),
      nth: fc.integer({ min: 1, max: 12 }),
      end: fc.constantFrom<WriteEnd[]>('crashBefore', 'crashAfter', 'lose', 'late', 'conflict', 'unavailable'),
    }),
  ],
];

const image: Arbitrary<Act> = fc.record({
  kind: fc.constant('image'),
  image: fc.constantFrom(...GOOD_IMAGES, ...BAD_IMAGES),
});
const rollout: Arbitrary<Act> = fc.record({
  kind: fc.constant('rollout'),
  order: fc.constantFrom('pause', 'resume', 'retry', 'approve'),
});

const ROLLS: Choices = [
  [12, image],
  [2, fc.record({ kind: fc.constant('memory'), memory: fc.constantFrom('1Gi', '2Gi') })],
  [
    3,
    fc.record({
      kind: fc.constant('update'),
      type: fc.constantFrom('RollingUpdate', 'OnDelete'),
      canaryNodes: fc.nat({ max: 2 }),
      rollbackOnFailure: fc.boolean(),
    }),
  ],
  [4, rollout],
];

export const COUPLES: readonly Couple[] = [
  [deleteCluster, createCluster],
  [pause, resume],
  [resize, resize],
  [resize, deleteNode],
  [resize, deleteCluster],
  [resize, pause],
  [hibernate, wake],
  [resize, hibernate],
  [hibernate, deleteNode],
  [hibernate, kill],
  [resize, kill],
  [retention, resize],
  [force, resize],
  [deleteNode, deletePod],
  [deleteNode, takeFinalizer],
  [deleteNode, deleteNode],
];

/** Lives in which clients may write at any time. */
export const LOADED: Choices = [...USERS, ...FAULTS, [3, clients]];

/** Somebody tries one template after the other. */
export const ROLLED: Choices = [...USERS, ...FAULTS, ...ROLLS];
export const ROLLED_COUPLES: readonly Couple[] = [
  [image, image],
  [image, resize],
  [image, deletePod],
  [image, deleteNode],
  [image, kill],
  [image, rollout],
  [image, operatorKilled],
];

/** No client writes in a life in which a claim is deleted: a member acknowledges before it copies
 *  (docs/design/server.md#push-replication), so the newest write may be only on the volume that a person deletes. */
export const VOLUMES_DELETED: Choices = [...USERS, ...FAULTS, [6, deleteClaim]];

/** In tenths of a second, so that plans are short to read. Never shrinks: an earlier time makes another life, not a
 *  smaller one. */
export function seconds(min: number, max: number): Arbitrary<number> {
  return fc.noShrink(fc.integer({ min: min * 10, max: max * 10 }).map((tenths) => tenths * 100));
}
