// Answers: what has to be written into spec so that every member is restarted in its turn? A time, in the annotation
// that `kubectl rollout restart` uses: it changes the template, so that the rules of a rolling update apply. Pure.

import { ANNOTATIONS, type MarekvsCluster, withDefaults } from '@marekvs/api';
import { type Refused, refused } from '../../changing/change.ts';
import { rolloutOutlook } from './outlook.ts';
import type { SpecPatch } from './template-spec.ts';

/** Users know it from `kubectl rollout restart`, and other tools show it. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

export interface AllRestarted {
  readonly kind: 'change';
  readonly spec: SpecPatch;
  /** How the restart will proceed, for the person who asks for it. */
  readonly how: string;
}

/** @param at has to differ from the time of the previous restart */
export function allRestarted(cluster: MarekvsCluster, at: string): Refused | AllRestarted {
  const { metadata, spec } = cluster;
  const { namespace, name } = metadata;
  const command = (verb: string) => `kubectl mkv ${verb} ${name} -n ${namespace}`;
  if (spec.paused === true) return refused(`${name} is paused: nobody would be restarted`, command('resume'));
  if (metadata.annotations?.[ANNOTATIONS.rolloutPaused] === 'true')
    return refused(`updates of ${name} are paused: nobody would be restarted`, command('rollout resume'));
  if (spec.hibernated === true)
    return refused(`${name} is hibernated: all its members start anew when it wakes`, command('wake'));
  const outlook = rolloutOutlook(cluster);
  if (outlook.kind === 'stopped')
    return refused(
      `the update of ${name} has stopped, and a restart would go on with its template: ${outlook.why}`,
      command('rollout undo'),
    );
  const patch = { podMetadata: { annotations: { [RESTARTED_AT]: at } } };
  return { kind: 'change', spec: patch, how: howItGoes(cluster) };
}

function howItGoes({ spec }: MarekvsCluster): string {
  const { update, replicationFactor } = withDefaults(spec);
  const all = 'every member is restarted on its volume';
  const away = replicationFactor < 2 ? '; with replicationFactor 1 its keys are away for seconds' : '';
  if (update.type === 'OnDelete') return `${all} when its Pod is deleted (spec.update.type is OnDelete)${away}`;
  const { canaryNodes } = update;
  const approved = canaryNodes > 0 ? `; after ${canaryNodes} of them it waits for an approval` : '';
  return `${all}, one after the other${approved}${away}`;
}
