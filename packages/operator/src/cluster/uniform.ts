// Answers: with which of the settings that all members must share is a cluster run? Members with another
// replicationFactor place copies elsewhere, and one with a shorter gcGraceSeconds forgets deletions that others
// remember (docs/design/server.md#settings). Nobody is restarted by this version: a formed cluster keeps what its
// members run with, new ones get the same, and UnsupportedFields says what is not done. Pure.

import type { EffectiveClusterSpec, NodeTemplate } from '@marekvs/api';
import { hasLostVolume, type NodeRecord, sameValue } from '@marekvs/planner';

export interface Uniform extends Pick<EffectiveClusterSpec, 'replicationFactor' | 'gcGraceSeconds'> {
  readonly auth: EffectiveClusterSpec['auth'] | undefined;
}

/** What the members that may hold data run with; undefined when there are none, and everything is as the spec says. */
export function runningSettings(
  isFormed: boolean,
  nodes: readonly { readonly record: NodeRecord; readonly template: NodeTemplate | undefined }[],
): Uniform | undefined {
  const standing = nodes.flatMap(({ record, template }) =>
    template === undefined || !record.serving || hasLostVolume(record) ? [] : [template],
  );
  if (!isFormed || standing.length === 0) return undefined;
  return {
    replicationFactor: Math.max(...standing.map(({ replicationFactor }) => replicationFactor)),
    gcGraceSeconds: Math.max(...standing.map(({ gcGraceSeconds }) => gcGraceSeconds)),
    auth: authOf(standing),
  };
}

/** The password that clients of most members need: one that differs from the others would be a cluster nobody can use as a whole. */
function authOf(standing: readonly NodeTemplate[]): Uniform['auth'] {
  const secretRef = standing[0]?.authSecretRef;
  return secretRef === undefined ? undefined : { secretRef };
}

/** The spec as decisions rest on it. A kept volume has to be younger than both: what members forgot, an older one
 *  would bring back. */
export function decidingSpec(spec: EffectiveClusterSpec, running: Uniform | undefined): EffectiveClusterSpec {
  if (running === undefined) return spec;
  return withUniform(spec, { ...running, gcGraceSeconds: Math.min(spec.gcGraceSeconds, running.gcGraceSeconds) });
}

/** The spec as new nodes are made from it. */
export function stampedSpec(spec: EffectiveClusterSpec, running: Uniform | undefined): EffectiveClusterSpec {
  return running === undefined ? spec : withUniform(spec, running);
}

/** The very spec where it says the same: what follows from a spec is remembered by the object. */
function withUniform(spec: EffectiveClusterSpec, uniform: Uniform): EffectiveClusterSpec {
  const isSame =
    spec.replicationFactor === uniform.replicationFactor &&
    spec.gcGraceSeconds === uniform.gcGraceSeconds &&
    sameValue(spec.auth, uniform.auth);
  if (isSame) return spec;
  const { auth: _asked, ...rest } = spec;
  const { auth, ...shared } = uniform;
  return { ...rest, ...shared, ...(auth === undefined ? {} : { auth }) };
}
