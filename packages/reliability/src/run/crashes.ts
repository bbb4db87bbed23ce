// Crash at every write: for each write of a story, its operator's process crashes before it, crashes after it, loses
// its answer, or the write is applied late. The end must be that of the undisturbed story.

import { disturbWrite } from '../fate/write-faults.ts';
import { type Life, live } from '../life/life.ts';
import type { Scenario } from '../life/scenario.ts';
import { theScenario } from '../scenarios/catalogue.ts';
import type { MemberWorld } from '../world/member-world.ts';

export const CRASHES = 'crash-at-every-write';
export const CRASHES_STORY =
  'Thirty-one stories, run once for each of their writes and each way in which it can go wrong: number n is one of these lives.';

const STORIES: readonly Scenario[] = [
  'form',
  'grow',
  'shrink',
  'shrink-reclaiming',
  'shrink-under-load',
  'cancel',
  'rollback',
  'paused',
  'cluster-deleted-midway',
  'by-hand',
  'by-hand-two',
  'pod-deleted',
  'volume-deleted',
  'forced',
  'dead-member',
  // Added at the end, so that the other numbers keep their meaning.
  'adopt',
  'rollout',
  'rollout-bad',
  'resources-in-place',
  'host-gone',
  'volumes-grow',
  'volumes-grow-offline',
  'release',
  'slept-and-woken',
  'off-and-back',
  'password-of-other',
  'password-set',
  'password-taken-out',
  'password-rotated-with-both',
  'password-rotated-plain',
  'pinned-client',
].map(theScenario);
/** The crashed process takes knowledge with it, so members reach the same end by turns. */
const BY_ANOTHER_WAY: ReadonlySet<string> = new Set(['password-rotated-plain']);
const WAYS = ['crashBefore', 'crashAfter', 'lose', 'late'] as const;
/** The number of writes per story for which numbers are reserved. */
const MAX_WRITES = 120;
const NUMBERS_PER_STORY = MAX_WRITES * WAYS.length;
/** One seed for all stories, so that a number means the same life for ever. */
const SEED = 17;

export const CRASH_NUMBERS = STORIES.length * NUMBERS_PER_STORY;

interface Undisturbed {
  readonly end: string;
  readonly writes: number;
}

const undisturbed = new Map<string, Promise<Undisturbed>>();

export interface Crash {
  readonly story: Scenario;
  /** Counted from 1. */
  readonly nth: number;
  readonly way: (typeof WAYS)[number];
}

/** The crash of number `n`, counted from 1. @throws RangeError for a number without a crash */
export function crashOf(n: number): Crash {
  const index = n - 1;
  const story = STORIES[Math.floor(index / NUMBERS_PER_STORY)];
  const way = WAYS[index % WAYS.length];
  if (story === undefined || way === undefined) throw new RangeError(`${CRASHES}: 1 to ${CRASH_NUMBERS}, not ${n}`);
  return { story, nth: 1 + Math.floor((index % NUMBERS_PER_STORY) / WAYS.length), way };
}

export function crashTitle(n: number): string {
  const { story, nth, way } = crashOf(n);
  return `${way} at write ${nth} of ${story.name}`;
}

/** Undefined when the story has no such write. */
export async function liveWithCrash(n: number): Promise<Life | undefined> {
  const { story, nth, way } = crashOf(n);
  const known = undisturbed.get(story.name) ?? liveUndisturbed(story);
  undisturbed.set(story.name, known);
  const { end, writes } = await known;
  if (writes > MAX_WRITES) throw new Error(`${story.name} has ${writes} writes: there are numbers for ${MAX_WRITES}`);
  if (nth > writes) return undefined;
  let before: readonly number[] = [];
  const life = await live(story, SEED, (world, fate) => {
    before = world.nodeIds();
    disturbWrite(world, fate, nth, way);
  });
  const isPastEqual = way !== 'late' && !BY_ANOTHER_WAY.has(story.name);
  const violation = life.report.violation ?? differenceOf(life.world, isPastEqual, end, endOf(life.world, before));
  return { ...life, report: { ...life.report, violation, scenario: CRASHES, seed: n } };
}

async function liveUndisturbed(story: Scenario): Promise<Undisturbed> {
  let before: readonly number[] = [];
  const { report, world } = await live(story, SEED, (begun) => {
    before = begun.nodeIds();
  });
  if (report.violation !== undefined) throw new Error(`${story.name} undisturbed: ${report.violation}`);
  return { end: endOf(world, before), writes: report.writes };
}

/** The end state with new nodes named by their order: a crash may cost an id, since none is used twice. */
function endOf(world: MemberWorld, before: readonly number[]): string {
  const fresh = world.nodeIds().filter((id) => !before.includes(id));
  const named = (id: string): string | undefined =>
    fresh.includes(Number(id)) ? `new${fresh.indexOf(Number(id)) + 1}` : undefined;
  return world
    .endState()
    .replace(/demo-(\d+)/g, (text, id: string) => (named(id) === undefined ? text : `demo-${named(id)}`))
    .replace(/"id": (\d+)/g, (text, id: string) => (named(id) === undefined ? text : `"id": "${named(id)}"`));
}

function differenceOf(world: MemberWorld, isPastEqual: boolean, wanted: string, is: string): string | undefined {
  const [a, b] = isPastEqual ? [wanted, is] : [withoutPast(wanted), withoutPast(is)];
  if (a === b) return undefined;
  return `ends otherwise than undisturbed:\n${difference(a, b)}\n${world.kube.transcript.tail()}`;
}

/** A node whose creation was given up but still happens is surplus: it is removed by proof, and its volume stays. */
function withoutPast(end: string): string {
  const { lastOutcome, lastTarget, detached, claims, ...present } = JSON.parse(end);
  return JSON.stringify(present, undefined, 1);
}

function difference(wanted: string, is: string): string {
  const [a, b] = [wanted.split('\n'), is.split('\n')];
  const missing = a.filter((line) => !b.includes(line)).map((line) => `- ${line}`);
  return [...missing, ...b.filter((line) => !a.includes(line)).map((line) => `+ ${line}`)].join('\n');
}
