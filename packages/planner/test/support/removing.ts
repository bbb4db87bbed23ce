// A cluster of five of which four are wanted, at any point of the removal of demo-4. A test names the phase and changes
// one thing.

import type { MarekvsClusterSpec, Operation } from '@marekvs/api';
import type { ClusterObservation, NodeRecord } from '../../src/index.ts';
import { NOW_MS, node, observation, sealedNode, serving, volume } from './builders.ts';
import { behindDoor, closed, digestOf, drained, factsOfAll, type Shown } from './facts.ts';

export const ALL = [0, 1, 2, 3, 4];
export const LEFT = [0, 1, 2, 3];
export const OPERATION = '4-abc';
export const TARGET_UID = 'node-uid-4';

/** The stored record, a minute old, with a timeline that fits the phase. */
export function record(phase: Operation['phase'], change: Partial<Operation> = {}): Operation {
  const at = new Date(NOW_MS - 60_000).toISOString();
  return {
    id: OPERATION,
    type: 'Remove',
    basis: 'Proof',
    chosen: 'it has the highest id of 5',
    target: { name: 'demo-4', uid: TARGET_UID, nodeId: 4, podUID: 'pod-uid-4', pvcUID: 'volume-uid-4' },
    specGeneration: 1,
    phase,
    startedAt: at,
    timeline:
      phase === 'Claimed'
        ? [{ phase: 'Claimed', at }]
        : [
            { phase: 'Claimed', at },
            { phase, at },
          ],
    ...change,
  };
}

export interface Removing {
  readonly operation?: Operation | undefined;
  readonly nodes?: readonly NodeRecord[];
  readonly spec?: Partial<MarekvsClusterSpec>;
  /** By id, how the facts of members differ. */
  readonly differs?: Readonly<Record<number, Shown>>;
  readonly o?: Partial<Omit<ClusterObservation, 'cluster'>>;
}

/** All members are there and none leaves. */
export function whole(change: Removing = {}): ClusterObservation {
  return observe(ALL, drained(ALL, -1), change);
}

/** All members show demo-4 without primaries: told to leave, out of the Service, marked. */
export function isolated(change: Removing = {}): ClusterObservation {
  const view = drained(ALL, 4);
  const nodes = change.nodes ?? nodesOf(ALL, view).map((entry) => (entry.id === 4 ? { ...entry, ...LEAVING } : entry));
  return observe(ALL, view, { ...change, nodes });
}

/** demo-4 runs with its door closed, as all others show it. */
export function sealedTarget(change: Removing = {}): ClusterObservation {
  const view = closed(ALL, 4);
  const differs = { ...change.differs, 4: { ...behindDoor(4), ...change.differs?.[4] } };
  return observe(ALL, view, { ...change, nodes: change.nodes ?? sealedNodes(), differs });
}

/** All five, demo-4 with its door closed. */
export function sealedNodes(change: Partial<NodeRecord> = {}): readonly NodeRecord[] {
  const target = sealedNode(4, { removalMark: OPERATION, ...change });
  return nodesOf(ALL, closed(ALL, 4)).map((entry) => (entry.id === 4 ? target : entry));
}

/** demo-4 is gone, its volume is not. */
export function gone(change: Removing = {}): ClusterObservation {
  return observe(LEFT, drained(LEFT, -1), change, [
    ...LEFT.map((id) => volume(id)),
    volume(4, { detachedAtMs: NOW_MS }),
  ]);
}

export const LEAVING = { serving: false, intent: 'Leaving', removalMark: OPERATION } satisfies Partial<NodeRecord>;

function observe(
  ids: readonly number[],
  view: ReturnType<typeof drained>,
  { operation, nodes = nodesOf(ids, view), spec, differs = {}, o }: Removing,
  volumes = nodes.flatMap((entry) => entry.volume ?? []),
): ClusterObservation {
  return observation({
    nodes,
    volumes,
    cluster: { spec: { nodes: 4, ...spec }, operation, highestNodeId: 4 },
    facts: factsOfAll(ids, { view }, differs),
    ...o,
  });
}

export function nodesOf(ids: readonly number[], view: ReturnType<typeof drained>): readonly NodeRecord[] {
  return ids.map((id) => node(id, { answer: { ...serving(view), digest: digestOf(view) } as NodeRecord['answer'] }));
}
