// The life of one change of one field: a cluster with the spec before it, the change, a new node if only new nodes take
// up the change, and the way back. Three oracles: the result is as if created with the spec or the status says why not;
// every step matches a cluster created from nothing; the good spec recovers from everything.

import { isDeepStrictEqual } from 'node:util';
import { type MarekvsClusterSpec, withDefaults } from '@marekvs/api';
import type { Fate } from '../fate/fate.ts';
import { type Goal, rested } from '../life/scenario.ts';
import type { MemberWorld } from '../world/member-world.ts';
import { admit, asSpec } from './admission.ts';
import { BASE_SPEC, type Change } from './changes.ts';
import { fromNothing } from './from-nothing.ts';
import { ACTS_LATER } from './knowledge.ts';
import { equalityProblem, newNodeProblem } from './oracles.ts';
import { type Rest, untilRest } from './rest.ts';
import { filledIn } from './schema.ts';
import { type Difference, differencesOf, differenceText } from './snapshot.ts';
import { surround } from './surroundings.ts';

/** @throws Error naming what is not as it should be */
export async function runChange(change: Change, world: MemberWorld, fate: Fate): Promise<Goal> {
  surround(world);
  const before = mustAdmit(change.from);
  const made = await fromNothing(before);
  if (made.isReady) await rested(world, fate, made.size, before);
  else await unwell(world, fate, before);
  const first = await untilRest(world);
  const after = admit(change.to, before);
  if (after.kind === 'refused') {
    await storedBefore(change, world, first);
    return await takenBack(world, before, made, first);
  }
  const wanted = await fromNothing(after.spec);
  mustBeVisible(change, before, after.spec, made, wanted);
  world.replace(after.spec);
  const changed = await untilRest(world);
  mustHold(equalityProblem(changed, await withoutEffect(changed, wanted, before, after.spec)));
  const grown =
    changed.isReady && changed.outdated.length > 0 && changed.stopped === undefined
      ? await grow(world, after.spec, changed, wanted)
      : changed;
  mustBeReported(change, changed, grown, wanted);
  // Not every change can be reverted: the API server refuses to shrink a volume.
  if (admit(change.from, after.spec).kind === 'refused') return { nodes: grown.size };
  return await takenBack(world, before, made, first);
}

/** The schema refuses the spec today, but an object from before its rules may have it: then the status reports it and
 *  nothing is done. */
async function storedBefore({ path, to }: Change, world: MemberWorld, first: Rest): Promise<void> {
  world.replace(asSpec(filledIn(to)));
  const { snapshot, reason } = await untilRest(world);
  mustHold(reason === 'InvalidSpec' ? undefined : `a stored spec that breaks a rule is ${reason}`);
  const message = world.cluster()?.status?.message ?? '';
  mustHold(message.includes(`spec.${path.split(/[[{.]/)[0]}`) ? undefined : `the field is not named: ${message}`);
  const done = differencesOf(snapshot, first.snapshot).filter(({ object }) => object !== 'status');
  mustHold(
    done.length === 0 ? undefined : `a spec that is not valid was acted on:\n${done.map(differenceText).join('\n')}`,
  );
}

/** Where the changed cluster reports a field without effect, and a cluster created with the spec does not, everything
 *  else must be as if that field had not been changed. */
async function withoutEffect(
  changed: Rest,
  made: Rest,
  before: MarekvsClusterSpec,
  after: MarekvsClusterSpec,
): Promise<Rest> {
  const fields = changed.unsupported.filter((path) => !made.unsupported.includes(path));
  if (fields.length === 0) return made;
  const spec = fields.reduce<object>((one, path) => withFieldOf(one, before, path.split('.').slice(1)), after);
  return await fromNothing(asSpec(spec));
}

function withFieldOf(spec: object, other: object, [step = '', ...rest]: readonly string[]): object {
  const [own, theirs]: unknown[] = [Reflect.get(spec, step), Reflect.get(other, step)];
  const isInner =
    rest.length > 0 && typeof own === 'object' && typeof theirs === 'object' && own !== null && theirs !== null;
  return { ...spec, [step]: isInner ? withFieldOf(own, theirs, rest) : theirs };
}

/** Returns to the earlier spec, or, if no cluster can run with that one, to the good one. */
async function takenBack(world: MemberWorld, before: MarekvsClusterSpec, made: Rest, first: Rest): Promise<Goal> {
  const good = made.isReady ? before : mustAdmit(BASE_SPEC, before);
  world.replace(good);
  const back = await untilRest(world);
  mustHold(back.isReady ? undefined : `taken back, it is not ready: ${back.reason}`);
  if (!made.isReady) {
    mustHold(equalityProblem(back, await fromNothing(good)));
    return { nodes: back.size };
  }
  const left = differencesOf(back.snapshot, first.snapshot);
  mustHold(left.length === 0 ? undefined : `taken back, it is not as before:\n${left.map(differenceText).join('\n')}`);
  return { nodes: first.size };
}

/** A running member keeps its template: the change shows only in the next new one. */
async function grow(world: MemberWorld, spec: MarekvsClusterSpec, changed: Rest, wanted: Rest): Promise<Rest> {
  const ids = world.nodeIds();
  world.replace({ ...spec, nodes: changed.size + 1 });
  const grown = await untilRest(world);
  const added = world.nodeIds().find((id) => !ids.includes(id));
  if (added === undefined) throw new Error(`asked to grow, it did not: ${grown.reason}`);
  if (!wanted.isReady) {
    mustHold(
      grown.reason === wanted.reason
        ? undefined
        : `made with this spec it says ${wanted.reason}, a new node ${grown.reason}`,
    );
    mustHold(world.condition('Available') === 'True' ? undefined : 'the members that ran before do not serve any more');
    return grown;
  }
  mustHold(grown.isReady ? undefined : `made with this spec it is ready, grown into it it is not: ${grown.reason}`);
  mustHold(newNodeProblem(grown, added, wanted));
  return grown;
}

/** A field that changes nothing anywhere would be ignored silently. */
function mustBeVisible(
  { path }: Change,
  before: MarekvsClusterSpec,
  after: MarekvsClusterSpec,
  a: Rest,
  b: Rest,
): void {
  if (ACTS_LATER[path] !== undefined || isDeepStrictEqual(withDefaults(before), withDefaults(after))) return;
  if (isReportedUnsupported(path, a) && isReportedUnsupported(path, b)) return;
  // A template on a node is only the way to its Pod, and proves nothing.
  const isMore = ({ object, path: at }: Difference) =>
    !object.startsWith('MarekvsNode') || !at.startsWith('spec.template.');
  const seen = differencesOf(a.snapshot, b.snapshot).filter((one) => !(a.isReady && b.isReady) || isMore(one));
  if (seen.length === 0) throw new Error(`${path} is accepted and changes nothing`);
}

function mustBeReported({ says }: Change, ...seen: readonly Rest[]): void {
  if (says === undefined || seen.some(({ reasons }) => reasons.includes(says))) return;
  throw new Error(`${says} is not said: ${seen.map(({ reasons }) => reasons.join()).join(' | ')}`);
}

/** Whether the field, or one that contains it, is reported as having no effect. */
function isReportedUnsupported(path: string, { unsupported }: Rest): boolean {
  return unsupported.some((one) => `spec.${path}` === one || `spec.${path}`.startsWith(`${one}.`));
}

async function unwell(world: MemberWorld, fate: Fate, spec: MarekvsClusterSpec): Promise<void> {
  fate.begin();
  world.apply(spec);
  await untilRest(world);
}

function mustAdmit(spec: Change['from'], before?: MarekvsClusterSpec): MarekvsClusterSpec {
  const verdict = admit(spec, before);
  if (verdict.kind === 'refused') throw new RangeError(`no spec to begin with: ${verdict.problems.join('; ')}`);
  return verdict.spec;
}

function mustHold(problem: string | undefined): void {
  if (problem !== undefined) throw new Error(problem);
}
