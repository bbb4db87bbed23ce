// A removal of demo-4 from five members that has just been proven: before it (all show demo-4 without primaries, and
// since its isolation it has had no clients and its records were found on its other homes), and after it (the survivors
// agree, and have covered each other since).

import {
  type Evidence,
  type PostProofInput,
  type PreProofInput,
  postRemovalEvidence,
  preRemovalEvidence,
} from '../../src/index.ts';
import { MONOTONIC_MS } from './builders.ts';
import { drained, factsOfAll, nodesShowing, type Shown } from './facts.ts';
import { reportOn, requestOf } from './reports.ts';

export const ALL = [0, 1, 2, 3, 4];
export const SURVIVORS = [0, 1, 2, 3];

type ByMember = Readonly<Record<number, Shown>>;

export interface Scene {
  /** The facts of all members. */
  readonly shown?: Shown;
  readonly differs?: ByMember;
}

export function preInput({ shown, differs }: Scene = {}, change: Partial<PreProofInput> = {}): PreProofInput {
  const view = drained(ALL, 4);
  const nodes = change.nodes ?? nodesShowing(ALL, view);
  const target = nodes.find((node) => node.id === 4);
  if (target === undefined) throw new Error('no target');
  return {
    nodes,
    target,
    facts: factsOfAll(ALL, { view, ...shown }, differs),
    monotonicMs: MONOTONIC_MS,
    comparison: reportOn(requestOf(nodes, 4)),
    maxAgeMs: 15_000,
    isolatedSinceMs: MONOTONIC_MS - 60_000,
    ...change,
  };
}

export function postInput({ shown, differs }: Scene = {}, change: Partial<PostProofInput> = {}): PostProofInput {
  const view = drained(SURVIVORS, -1);
  const survivors = change.survivors ?? nodesShowing(SURVIVORS, view);
  return {
    survivors,
    facts: factsOfAll(SURVIVORS, { view, ...shown }, differs),
    monotonicMs: MONOTONIC_MS,
    comparison: reportOn(requestOf(survivors, 4, { purpose: 'settling', sources: SURVIVORS, isKeptFresh: false })),
    maxAgeMs: 30_000,
    ...change,
  };
}

export const pre = (scene?: Scene, change?: Partial<PreProofInput>): Evidence =>
  preRemovalEvidence(preInput(scene, change));
export const post = (scene?: Scene, change?: Partial<PostProofInput>): Evidence =>
  postRemovalEvidence(postInput(scene, change));
