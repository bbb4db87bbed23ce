// A removal of demo-4 from five members that is just proven: before it (three quiet rounds since the isolation 19 s ago, not one
// sample more than needed), and after it (three quiet rounds since the survivors agreed and their test keys were read).

import {
  type Evidence,
  type PostProofInput,
  type PreProofInput,
  type ProofRules,
  postRemovalEvidence,
  preRemovalEvidence,
} from '../../src/index.ts';
import { line, MONOTONIC_MS, views } from './builders.ts';
import { audit, type Difference, drained, histories, nodesShowing, type Run } from './histories.ts';

export const ALL = [0, 1, 2, 3, 4];
export const SURVIVORS = [0, 1, 2, 3];
/** The youngest sample that makes three rounds complete: a round begins every 6 s and with the newest sample. */
export const JUST_MS = 19_000;

type ByMember = Readonly<Record<number, Difference>>;

export const STRICT: ProofRules = {
  tier: 'Strict',
  audited: true,
  replicationFactor: 2,
  bounds: new Map(),
  isDead: false,
};

/** Bounds of ten records a round for every member. */
export const BOUNDED: ProofRules = { ...STRICT, tier: 'Bounded', bounds: new Map(ALL.map((id) => [id, 10])) };

export interface Scene {
  readonly differs?: ByMember;
  /** When every member began to show what it shows now. */
  readonly sinceMs?: number;
  readonly run?: Run;
}

export function preInput(scene: Scene = {}, change: Partial<PreProofInput> = {}): PreProofInput {
  const { sinceMs = JUST_MS } = scene;
  const view = drained(ALL, 4);
  const nodes = change.nodes ?? nodesShowing(ALL, view);
  const target = nodes.find((node) => node.id === 4);
  if (target === undefined) throw new Error('no target');
  const before: Difference = (agoMs) => (agoMs > sinceMs ? { view: views(5) } : {});
  return {
    nodes,
    target,
    rules: STRICT,
    histories: histories(ALL, { view, ...scene.run }, both(ALL, before, scene.differs)),
    monotonicMs: MONOTONIC_MS,
    audit: audit('readBefore', nodes),
    asideSinceMs: 0,
    idleRoundsBefore: 0,
    ...change,
  };
}

export function postInput(scene: Scene = {}, change: Partial<PostProofInput> = {}): PostProofInput {
  const { sinceMs = JUST_MS } = scene;
  const view = SURVIVORS.map((id) => line(id));
  const survivors = change.survivors ?? nodesShowing(SURVIVORS, view);
  const before: Difference = (agoMs) => (agoMs > sinceMs ? { view: drained(ALL, 4), members: 5 } : {});
  return {
    survivors,
    target: { id: 4, name: 'demo-4' },
    rules: STRICT,
    histories: histories(SURVIVORS, { view, ...scene.run }, both(SURVIVORS, before, scene.differs)),
    monotonicMs: MONOTONIC_MS,
    audit: audit('readAfter', survivors, { doneAtMs: MONOTONIC_MS - JUST_MS }),
    ...change,
  };
}

export const pre = (scene?: Scene, change?: Partial<PreProofInput>): Evidence =>
  preRemovalEvidence(preInput(scene, change));
export const post = (scene?: Scene, change?: Partial<PostProofInput>): Evidence =>
  postRemovalEvidence(postInput(scene, change));

function both(ids: readonly number[], before: Difference, differs: ByMember = {}): ByMember {
  return Object.fromEntries(
    ids.map((id): [number, Difference] => [id, (agoMs) => ({ ...before(agoMs), ...differs[id]?.(agoMs) })]),
  );
}
