// A create was refused because the name is taken: by our own earlier create whose answer was lost, or by somebody
// else's object.

import { controllerOf } from '@marekvs/api';
import { hold } from '@marekvs/planner';
import { blocked, DONE, type StepOutcome } from '../fence.ts';
import type { LiveContext } from './live-context.ts';

interface Named {
  readonly metadata: Parameters<typeof controllerOf>[0] & {
    readonly name: string;
    readonly deletionTimestamp?: unknown;
  };
}

/** Done when the object is ours. Otherwise blocked, with a hold that names the other owner. */
export function ifOurs(kind: string, { metadata }: Named, { cluster }: Pick<LiveContext, 'cluster'>): StepOutcome {
  const owner = controllerOf(metadata);
  if (owner?.uid === cluster.metadata.uid) return DONE;
  // An earlier cluster of this name is gone: the garbage collector removes its objects (F43).
  const isTemporary = owner?.kind === 'MarekvsCluster' && owner.name === cluster.metadata.name;
  const whose = isTemporary
    ? 'an earlier cluster of this name: waiting until it is gone'
    : 'another owner: this cluster cannot have its name';
  const needsPerson = !isTemporary && metadata.deletionTimestamp === undefined;
  return blocked(hold('NameTaken', `${kind} ${metadata.name} belongs to ${whose}`, needsPerson));
}
