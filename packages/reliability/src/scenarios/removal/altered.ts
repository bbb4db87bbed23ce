// Somebody alters the stored proof of a removal while the operator that made it is frozen: right after the node was
// deleted, before its Pod is. An operator that takes over uses no proof but its own (proof-in-hand.ts). Whatever the
// alteration, the Pod stays until the operator has proven it anew.

import type { RemovalProof } from '@marekvs/api';
import type { Fate } from '../../fate/fate.ts';
import { type Goal, ids, rested, type Scenario } from '../../life/scenario.ts';
import { CLUSTERS, NAME, NAMESPACE, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';

type Alter = (proof: RemovalProof, nowMs: number) => RemovalProof;

const ALTERATIONS: Readonly<Record<string, Alter>> = {
  operation: (proof) => ({ ...proof, operationId: '3-another' }),
  stage: (proof) => ({ ...proof, stage: 'Post' }),
  target: (proof) => ({ ...proof, targetUid: proof.podUID ?? '' }),
  pod: (proof) => ({ ...proof, podUID: proof.targetUid }),
  volume: (proof) => ({ ...proof, pvcUID: proof.targetUid }),
  old: (proof, nowMs) => ({ ...proof, ...allAt(nowMs - 120_000) }),
  future: (proof, nowMs) => ({ ...proof, ...allAt(nowMs + 120_000) }),
  timeless: (proof) => ({ ...proof, at: 'lately' }),
  topology: (proof) => ({ ...proof, topologyHash: '0123456789abcdef' }),
  generations: (proof) => ({ ...proof, generations: { ...proof.generations, 1: '7' } }),
  failed: (proof) => ({ ...proof, inputs: proof.inputs?.map((input) => ({ ...input, passed: false })) }),
  lacking: (proof) => ({ ...proof, inputs: proof.inputs?.map((input) => ({ ...input, name: 'inputFlat' })) }),
  surplus: (proof) => ({ ...proof, inputs: [...(proof.inputs ?? []), ...(proof.inputs ?? []).slice(0, 1)] }),
  nothing: (proof) => ({ ...proof, partitions: 0 }),
  uncovered: ({ coveredAt: _, ...proof }) => proof,
  later: (proof, nowMs) => ({ ...proof, coveredAt: new Date(nowMs + 60_000).toISOString() }),
  stale: (proof, nowMs) => ({ ...proof, coveredAt: new Date(nowMs - 120_000).toISOString() }),
};

function allAt(ms: number): Pick<RemovalProof, 'at' | 'coveredAt'> {
  const at = new Date(ms).toISOString();
  return { at, coveredAt: at };
}

const STORY =
  'The operator is frozen with the node deleted, and somebody alters the stored proof: the Pod stays until there is a true one.';

export const altered: Scenario = {
  name: 'altered',
  story: STORY,
  run: (world, fate) => withAltered(world, fate, fate.pick(Object.keys(ALTERATIONS))),
};

export const ONE_ALTERED: readonly Scenario[] = Object.keys(ALTERATIONS).map((name) => ({
  name: `${altered.name}/${name}`,
  story: STORY,
  run: (world, fate) => withAltered(world, fate, name),
}));

async function withAltered(world: MemberWorld, fate: Fate, name: string): Promise<Goal> {
  await rested(world, fate, 4);
  world.edit({ nodes: 3 });
  await frozenAtDelete(world);
  const node = world.node(3);
  const operation = world.cluster()?.status?.operation;
  const proof = operation?.proof?.pre;
  const alter = ALTERATIONS[name];
  if (node === undefined || proof === undefined || alter === undefined) throw new Error(`nothing to alter: ${name}`);
  const wrong = alter(proof, world.kube.nowMs());
  const { server } = world.kube;
  world.kube.transcript.add('user', `alters the stored proof: ${name}`);
  const ref = { namespace: NAMESPACE, name: NAME };
  server.patch(CLUSTERS, ref, { status: { operation: { proof: { pre: wrong } } } }, 'status');
  server.patch(NODES, node.metadata, { status: { removalProof: wrong } }, 'status');
  const text = JSON.stringify(wrong);
  server.onEvent(({ resource, object }) => {
    if (resource !== 'pods' || object.metadata.name !== 'demo-3' || object.metadata.deletionTimestamp === undefined)
      return;
    if (JSON.stringify(world.node(3)?.status?.removalProof) === text)
      world.kube.violated(`demo-3 goes on a proof that somebody has altered: ${name}`);
  });
  await world.advance(FROZEN_MS + 15_000);
  for (const id of ids(0, 2)) world.setKnobs(id, { contents: 'ok' });
  return { nodes: 3, ids: ids(0, 2) };
}

/** Longer than a comparison stays valid. */
const FROZEN_MS = 20_000;

/** Freezes the operator at the moment the node is deleted, so that its next step waits. It also cannot prove anything
 *  for a while after that. */
async function frozenAtDelete(world: MemberWorld): Promise<void> {
  let isFrozen = false;
  world.kube.server.onEvent(() => {
    if (isFrozen || world.node(3)?.metadata.deletionTimestamp === undefined) return;
    isFrozen = true;
    world.operator.freeze(FROZEN_MS);
    for (const id of ids(0, 2)) world.setKnobs(id, { contents: 'close' });
  });
  await world.until(() => isFrozen, 180_000, 'the DELETE');
}
