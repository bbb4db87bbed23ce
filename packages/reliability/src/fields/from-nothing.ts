// The state of a cluster created with a spec, which a cluster changed to that spec must reach too. Cached, since many
// changes end at the same spec. A spec that makes no cluster is corrected at once; then the cluster must be that of the
// good spec.

import type { MarekvsClusterSpec } from '@marekvs/api';
import { MemberWorld } from '../world/member-world.ts';
import { admit } from './admission.ts';
import { BASE_SPEC } from './changes.ts';
import { type Rest, untilRest } from './rest.ts';
import { differencesOf, differenceText } from './snapshot.ts';
import { surround } from './surroundings.ts';

/** One seed for all: only the spec makes the difference. */
const SEED = 23;
const MAX_KNOWN = 200;

const known = new Map<string, Promise<Rest>>();

/** @throws Error when a corrected mistake does not lead to the cluster of the good spec */
export function fromNothing(spec: MarekvsClusterSpec): Promise<Rest> {
  const key = JSON.stringify(spec);
  const found = known.get(key) ?? make(spec);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, found);
  return found;
}

async function make(spec: MarekvsClusterSpec): Promise<Rest> {
  const world = new MemberWorld({ seed: SEED, hosts: 8 });
  surround(world);
  world.apply(spec);
  const rest = await untilRest(world);
  if (rest.isReady) return rest;
  const good = admit(BASE_SPEC, spec);
  // Immutable fields cannot be corrected: such a cluster has to be created anew.
  if (good.kind === 'refused') return rest;
  world.replace(good.spec);
  const corrected = await untilRest(world);
  if (!corrected.isReady)
    throw new Error(
      `made with a mistake (${rest.reason}) and corrected, it is not ready: ${corrected.reason}\n${world.kube.transcript.tail()}\n${world.describe()}`,
    );
  const left = differencesOf(corrected.snapshot, (await fromNothing(good.spec)).snapshot);
  if (left.length > 0)
    throw new Error(
      `made with a mistake and corrected, it is not as if it had been made well:\n${left.map(differenceText).join('\n')}`,
    );
  return rest;
}
