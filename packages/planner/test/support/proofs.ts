// A removal of demo-4 from five members that has just been proven: before it (demo-4 runs with its door closed, all
// others show that process without primaries, and since then its records were found on its other homes), and after it
// (the survivors agree, and have covered each other since).

import {
  type Evidence,
  type PostProofInput,
  type PreProofInput,
  postRemovalEvidence,
  preRemovalEvidence,
} from '../../src/index.ts';
import { MONOTONIC_MS, sealedNode } from './builders.ts';
import { behindDoor, closed, drained, factsOfAll, nodesShowing, type Shown } from './facts.ts';
import { reportOn, requestOf } from './reports.ts';

export const ALL = [0, 1, 2, 3, 4];
export const SURVIVORS = [0, 1, 2, 3];

type ByMember = Readonly<Record<number, Shown>>;

export interface Scene {
  /** The facts of all members. */
  readonly shown?: Shown;
  readonly differs?: ByMember;
}

/** The five nodes, demo-4 with its door closed. */
export const sealedFive = nodesShowing(ALL, closed(ALL, 4)).map((node) => (node.id === 4 ? sealedNode(4) : node));

export function preInput({ shown, differs }: Scene = {}, change: Partial<PreProofInput> = {}): PreProofInput {
  const view = closed(ALL, 4);
  const nodes = change.nodes ?? sealedFive;
  const target = nodes.find((node) => node.id === 4);
  if (target === undefined) throw new Error('no target');
  return {
    nodes,
    target,
    facts: factsOfAll(ALL, { view, ...shown }, { ...differs, 4: { ...behindDoor(4), ...differs?.[4] } }),
    monotonicMs: MONOTONIC_MS,
    comparison: reportOn(requestOf(nodes, 4)),
    maxAgeMs: 15_000,
    isolatedSinceMs: MONOTONIC_MS - 90_000,
    graceMs: 5_000,
    purpose: 'Proving',
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
    purpose: 'Settling',
    ...change,
  };
}

export const pre = (scene?: Scene, change?: Partial<PreProofInput>): Evidence =>
  preRemovalEvidence(preInput(scene, change));
export const post = (scene?: Scene, change?: Partial<PostProofInput>): Evidence =>
  postRemovalEvidence(postInput(scene, change));
