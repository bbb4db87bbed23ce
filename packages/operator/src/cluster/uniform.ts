// Answers: with which of the settings that all members must share is a cluster run? Members with another
// replicationFactor place copies elsewhere, one with a shorter gcGraceSeconds forgets deletions that others remember
// (docs/design/server.md#settings), and one with another password refuses the clients of the others. The first two
// reach members like the rest of their template (docs/decisions/0027-settings-all-members-share.md), and until all have
// them decisions rest on whichever asks for more. The Secret of the password stays what new Pods were started with
// before, until every member that runs wants the one of the spec
// (docs/decisions/0040-another-secret-while-members-run.md). Pure.

import type { EffectiveClusterSpec, NodeTemplate } from '@marekvs/api';
import { hasLostVolume, isWantedByAll, type NodeRecord, passwordSource } from '@marekvs/planner';

export interface Uniform extends Pick<EffectiveClusterSpec, 'auth'> {
  /** The largest: so many copies are placed by some. */
  readonly replicationFactor: number;
  /** The smallest: so many copies are placed by all. */
  readonly leastReplicationFactor: number;
  /** The shortest: older deletions are forgotten by some. */
  readonly gcGraceSeconds: number;
}

/** What the members that may hold data run with; undefined when there are none, and everything is as the spec says.
 *  @param isTurn a member has its turn, and is made from what was asked for when that began */
export function runningSettings(
  spec: EffectiveClusterSpec,
  isFormed: boolean,
  nodes: readonly { readonly record: NodeRecord; readonly template: NodeTemplate | undefined }[],
  isTurn = false,
): Uniform | undefined {
  const running = nodes.flatMap(({ record, template }) =>
    template === undefined || !record.serving || hasLostVolume(record) ? [] : [{ record, template }],
  );
  if (!isFormed || running.length === 0) return undefined;
  const factors = running.map(({ record }) => record.replicationFactor);
  return {
    replicationFactor: Math.max(...factors),
    leastReplicationFactor: Math.min(...factors),
    gcGraceSeconds: Math.min(...running.map(({ record }) => record.gcGraceSeconds)),
    ...(!isTurn && isTakenUp(spec, nodes) ? inForce(spec) : runningAuth(spec, running)),
  };
}

/** Every member that runs wants the password of the spec. */
function isTakenUp({ auth }: EffectiveClusterSpec, nodes: readonly { readonly record: NodeRecord }[]): boolean {
  return isWantedByAll(
    nodes.map(({ record }) => record),
    passwordSource(auth?.secretRef),
  );
}

function inForce({ auth }: EffectiveClusterSpec): Pick<Uniform, 'auth'> {
  return auth === undefined ? {} : { auth };
}

/** The password new members start with: that of the running ones. Where they differ, some have been given what the spec
 *  names, and the others follow. */
function runningAuth(
  spec: EffectiveClusterSpec,
  running: readonly { readonly template: NodeTemplate }[],
): Pick<Uniform, 'auth'> {
  const { auth } = spec;
  const refs = running.map(({ template }) => template.authSecretRef);
  const isSpecs = refs.some((ref) => ref?.name === auth?.secretRef.name && ref?.key === auth?.secretRef.key);
  if (isSpecs) return inForce(spec);
  const ref = refs.find((one) => one !== undefined);
  return ref === undefined ? {} : { auth: { secretRef: ref } };
}

/** The spec as decisions rest on it: as many nodes as the larger factor needs, and a kept volume has to be younger than
 *  the shorter grace: what members forgot, an older one would bring back. */
export function decidingSpec(spec: EffectiveClusterSpec, running: Uniform | undefined): EffectiveClusterSpec {
  if (running === undefined) return spec;
  return withUniform(spec, running.auth, {
    replicationFactor: Math.max(spec.replicationFactor, running.replicationFactor),
    gcGraceSeconds: Math.min(spec.gcGraceSeconds, running.gcGraceSeconds),
  });
}

/** The spec as it reaches the members. */
export function stampedSpec(spec: EffectiveClusterSpec, running: Uniform | undefined): EffectiveClusterSpec {
  if (running === undefined) return spec;
  return withUniform(spec, running.auth, spec);
}

/** The same for nodes that have not joined yet. With a larger factor than the others one would ask them for partitions
 *  of which they do not take it for a home, and join for ever (docs/design/server.md#joining). */
export function joiningSpec(stamped: EffectiveClusterSpec, running: Uniform | undefined): EffectiveClusterSpec {
  if (running === undefined || running.leastReplicationFactor >= stamped.replicationFactor) return stamped;
  return { ...stamped, replicationFactor: running.leastReplicationFactor };
}

/** The very spec where it says the same: what follows from a spec is remembered by the object. */
function withUniform(
  spec: EffectiveClusterSpec,
  auth: Uniform['auth'],
  { replicationFactor, gcGraceSeconds }: Pick<Uniform, 'replicationFactor' | 'gcGraceSeconds'>,
): EffectiveClusterSpec {
  const isSame =
    spec.replicationFactor === replicationFactor &&
    spec.gcGraceSeconds === gcGraceSeconds &&
    spec.auth?.secretRef.name === auth?.secretRef.name &&
    spec.auth?.secretRef.key === auth?.secretRef.key;
  if (isSame) return spec;
  const { auth: _asked, ...rest } = spec;
  return { ...rest, replicationFactor, gcGraceSeconds, ...(auth === undefined ? {} : { auth }) };
}
