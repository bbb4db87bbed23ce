// What users do to a cluster, what fails beside, and time that goes by, as fast-check makes them up.

import fc from 'fast-check';
import type { EditedCluster } from './edited-cluster.ts';
import { GOOD, hashOf, type Letter } from './templates.ts';

export type Edit =
  | { readonly kind: 'template'; readonly letter: Letter }
  | { readonly kind: 'nodes'; readonly nodes: number }
  | { readonly kind: 'canaries'; readonly count: number }
  | { readonly kind: 'pause' | 'pauseRollout' | 'onDelete' | 'rollback'; readonly isOn: boolean }
  | { readonly kind: 'retry' | 'approve' | 'operator' }
  | {
      readonly kind: 'deleteNode' | 'deletePod' | 'losePod' | 'kill' | 'loseVolume' | 'deleteVolume';
      readonly at: number;
    }
  | { readonly kind: 'silence'; readonly at: number; readonly seconds: number }
  | { readonly kind: 'wait'; readonly seconds: number };

const at = fc.nat(5);
const wait = (max: number) => fc.nat(max).map((seconds): Edit => ({ kind: 'wait', seconds }));
const toggle = (kind: 'pause' | 'pauseRollout' | 'onDelete' | 'rollback') =>
  fc.boolean().map((isOn): Edit => ({ kind, isOn }));
const strike = (kind: Extract<Edit, { readonly at: number }>['kind']) =>
  fc
    .tuple(at, fc.nat(20))
    .map(([of, seconds]): Edit => (kind === 'silence' ? { kind, at: of, seconds } : { kind, at: of }));
const template = (...letters: readonly Letter[]) =>
  fc.constantFrom(...letters).map((letter): Edit => ({ kind: 'template', letter }));

const edit: fc.Arbitrary<Edit> = fc.oneof(
  { arbitrary: template('a', 'b', 'c'), weight: 6 },
  { arbitrary: template(...GOOD), weight: 3 },
  { arbitrary: template('x', 'y', 'z', 'w'), weight: 3 },
  { arbitrary: fc.integer({ min: 3, max: 6 }).map((nodes): Edit => ({ kind: 'nodes', nodes })), weight: 3 },
  { arbitrary: fc.nat(2).map((count): Edit => ({ kind: 'canaries', count })), weight: 1 },
  { arbitrary: toggle('pause'), weight: 1 },
  { arbitrary: toggle('pauseRollout'), weight: 1 },
  { arbitrary: toggle('onDelete'), weight: 1 },
  { arbitrary: toggle('rollback'), weight: 1 },
  { arbitrary: fc.constantFrom<Edit>({ kind: 'retry' }, { kind: 'approve' }, { kind: 'operator' }), weight: 3 },
  {
    arbitrary: fc.oneof(...(['deleteNode', 'deletePod', 'losePod', 'kill', 'silence'] as const).map(strike)),
    weight: 4,
  },
  { arbitrary: fc.oneof(strike('loseVolume'), strike('deleteVolume')), weight: 1 },
  { arbitrary: wait(3), weight: 3 },
  { arbitrary: wait(60), weight: 6 },
);

/** Somebody who tries one after the other: what is no longer in use is given up. */
const burst = fc
  .shuffledSubarray([...GOOD], { minLength: 6 })
  .map((letters) => letters.map((letter): Edit => ({ kind: 'template', letter })));

const chunk = fc.oneof({ arbitrary: edit.map((one) => [one]), weight: 24 }, { arbitrary: burst, weight: 1 });

export interface Sequence {
  readonly nodes: number;
  /** It begins with a cluster at rest, and not with one that is just applied. */
  readonly isFormed: boolean;
  readonly edits: readonly Edit[];
  readonly tape: readonly number[];
}

export const sequences: fc.Arbitrary<Sequence> = fc.record({
  nodes: fc.integer({ min: 3, max: 5 }),
  isFormed: fc.boolean().map((isFresh) => !isFresh),
  edits: fc.array(chunk, { minLength: 1, maxLength: 14 }).map((chunks) => chunks.flat()),
  tape: fc.array(fc.nat(999), { minLength: 17, maxLength: 17 }),
});

/** @returns seconds that go by before the next one */
export function make(world: EditedCluster, one: Edit): number {
  if (one.kind === 'wait') return one.seconds;
  world.say(JSON.stringify(one));
  if (isOfSpec(one)) world.specGeneration += 1;
  switch (one.kind) {
    case 'template':
      world.wish.letter = one.letter;
      break;
    case 'nodes':
      world.wish.nodes = one.nodes;
      break;
    case 'canaries':
      world.wish.canaryNodes = one.count;
      break;
    case 'pause':
      world.wish.isPaused = one.isOn;
      break;
    case 'onDelete':
      world.wish.isOnDelete = one.isOn;
      break;
    case 'rollback':
      world.wish.rollbackOnFailure = one.isOn;
      break;
    case 'pauseRollout':
      world.rollout = { ...world.rollout, isPaused: one.isOn };
      break;
    case 'retry':
      world.rollout = { ...world.rollout, retry: String(world.nowMs) };
      break;
    case 'approve':
      world.rollout = { ...world.rollout, approved: hashOf(world.wish.letter) };
      break;
    case 'operator':
      world.forget();
      break;
    default:
      strikeAt(world, one);
  }
  return 0;
}

function isOfSpec({ kind }: Edit): boolean {
  return ['template', 'nodes', 'canaries', 'pause', 'onDelete', 'rollback'].includes(kind);
}

function strikeAt(world: EditedCluster, one: Extract<Edit, { readonly at: number }>): void {
  const ids = [...world.nodes.keys()].sort((a, b) => a - b);
  const id = ids[one.at % Math.max(1, ids.length)] ?? -1;
  const state = world.pods.get(id);
  const volume = world.volumes.get(id);
  switch (one.kind) {
    case 'deleteNode':
      world.patchNode(id, { isDeleting: true, deletedAtMs: world.nodes.get(id)?.deletedAtMs ?? world.nowMs });
      break;
    case 'deletePod':
      if (state !== undefined) state.endsAtMs ??= world.nowMs + 1_000;
      break;
    case 'losePod':
      world.removePod(id);
      break;
    case 'kill':
      world.kill(id);
      break;
    case 'silence':
      if (state?.life === undefined) break;
      state.life.silentSinceMs = world.nowMs;
      state.life.silentUntilMs = world.nowMs + one.seconds * 1_000;
      break;
    case 'loseVolume':
      world.volumes.delete(id);
      break;
    case 'deleteVolume':
      // One that a Pod mounts goes with that.
      if (state === undefined) world.volumes.delete(id);
      else if (volume !== undefined) world.volumes.set(id, { ...volume, isTerminating: true });
      break;
  }
}
