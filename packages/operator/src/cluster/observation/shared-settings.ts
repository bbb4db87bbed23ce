// Answers: which values of the settings that all members must share does a cluster run with? Another replicationFactor
// places copies elsewhere, a shorter gcGraceSeconds forgets deletions that others remember
// (docs/design/server.md#settings), and another password refuses the clients of the others. Until all members have the
// new value, decisions rest on whichever asks for more (docs/decisions/pending-changes.md). Pure.

import type { EffectiveClusterSpec, NodeTemplate } from '@marekvs/api';
import { hasLostVolume, isWantedByAll, type NodeRecord, passwordSource } from '@marekvs/planner';

export interface Uniform extends Pick<EffectiveClusterSpec, 'auth'> {
  /** The largest: some members place this many copies. */
  readonly replicationFactor: number;
  /** The smallest: all members place at least this many copies. */
  readonly leastReplicationFactor: number;
  /** The shortest: some members forget older deletions. */
  readonly gcGraceSeconds: number;
}

/** What the members that may hold data run with; undefined when there are none, and the spec alone counts. New Pods
 *  start with the earlier Secret until every member that runs requires the password of the spec
 *  (docs/decisions/passwords.md).
 *  @param isTurn a member has its turn, and its template is from when that began */
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

/** Every running member requires the password of the spec. */
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

/** The spec that decisions rest on: the larger factor needs more nodes, and a kept volume older than the shorter grace
 *  would bring back records whose deletion members have forgotten. */
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

/** The same for nodes that have not joined yet. A node with a larger factor than the others would ask them for
 *  partitions of which they do not consider it a home, and join for ever (docs/design/server.md#joining). */
export function joiningSpec(stamped: EffectiveClusterSpec, running: Uniform | undefined): EffectiveClusterSpec {
  if (running === undefined || running.leastReplicationFactor >= stamped.replicationFactor) return stamped;
  return { ...stamped, replicationFactor: running.leastReplicationFactor };
}

/** Returns the same object when nothing differs, because results are memoized by the spec object. */
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
