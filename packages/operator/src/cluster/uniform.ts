// Answers: with which of the settings that all members must share is a cluster run? Members with another
// replicationFactor place copies elsewhere, one with a shorter gcGraceSeconds forgets deletions that others remember
// (docs/design/server.md#settings), and one with another password refuses the clients of the others. A formed cluster
// keeps what its members run with, new ones get the same, and PendingChange says what is not done. Pure.

import type { EffectiveClusterSpec, NodeTemplate } from '@marekvs/api';
import { hasLostVolume, type NodeRecord } from '@marekvs/planner';

export type Uniform = Pick<EffectiveClusterSpec, 'replicationFactor' | 'gcGraceSeconds' | 'auth'>;

/** What the members that may hold data run with; undefined when there are none, and everything is as the spec says. */
export function runningSettings(
  spec: EffectiveClusterSpec,
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
    ...runningAuth(spec, standing),
  };
}

/** The password new members get: that of the standing ones, so that no replacement makes a mixed cluster. Of one that is
 *  mixed already, what the spec says as soon as one has it: every replacement makes it less mixed then. */
function runningAuth({ auth }: EffectiveClusterSpec, standing: readonly NodeTemplate[]): Pick<Uniform, 'auth'> {
  const refs = standing.map(({ authSecretRef }) => authSecretRef);
  const isSpecs = refs.some((ref) => ref?.name === auth?.secretRef.name && ref?.key === auth?.secretRef.key);
  if (isSpecs) return auth === undefined ? {} : { auth };
  const ref = refs.find((one) => one !== undefined);
  return ref === undefined ? {} : { auth: { secretRef: ref } };
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
    spec.auth?.secretRef.name === uniform.auth?.secretRef.name &&
    spec.auth?.secretRef.key === uniform.auth?.secretRef.key;
  if (isSame) return spec;
  const { auth: _asked, ...rest } = spec;
  return { ...rest, ...uniform };
}
