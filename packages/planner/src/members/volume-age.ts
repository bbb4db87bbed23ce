// Answers: how old is the data on a kept volume, and may a new node take it up? Only when it is known to be younger
// than gcGraceSeconds: an older volume could bring deleted keys back (docs/design/server.md#h4). sizing.ts chooses the
// next id.

import { nodeName, pvcName } from '@marekvs/api';
import type { ClusterObservation } from '../observation/observation.ts';
import type { VolumeRecord } from '../observation/volume-record.ts';
import { timeMs, timeText } from '../values/hold.ts';

/** Wall clock: the latest time at which the volume's member can have been Active; `unknown` when nothing says so. */
export type VolumeAge = { readonly kind: 'known'; readonly lastActiveMs: number } | { readonly kind: 'unknown' };

export type DetachedState = 'Reusable' | 'TooOld' | 'AgeUnknown' | 'HostLost' | 'HostDrained' | 'Terminating';

/** A volume without a node, as the status shows it. Times are RFC 3339; undefined when nothing says so. */
export interface DetachedVolume {
  readonly volume: VolumeRecord;
  readonly state: DetachedState;
  readonly detachedAt: string | undefined;
  readonly lastActiveAt: string | undefined;
}

const MIN_MARGIN_MS = 60_000;
const MAX_MARGIN_MS = 86_400_000;
/** A time further ahead of now than this comes from a wrong clock and is ignored. */
export const CLOCK_SKEW_MS = 60_000;
const SAME_AGE_MS = 10_000;

/** From the volume's own annotations, otherwise from the cluster's status, otherwise unknown. A volume without a
 *  recorded age whose node was still counted when the status was last written: the node vanished a moment ago (F57), so
 *  the volume counts as detached now. */
export function volumeAge(o: ClusterObservation, volume: VolumeRecord): VolumeAge {
  const { detachedAtMs, lastActiveAtMs } = timesOf(o, volume);
  const known = [detachedAtMs, lastActiveAtMs].filter((ms) => ms !== undefined);
  if (known.length === 0) return { kind: 'unknown' };
  const lastActiveMs = Math.min(...known);
  return lastActiveMs > o.nowMs + CLOCK_SKEW_MS ? { kind: 'unknown' } : { kind: 'known', lastActiveMs };
}

/** Age from which a volume is too old to be taken up, milliseconds. 0: never taken up. The margin is a
 *  tenth of gcGraceSeconds, at least a minute, at most a day: a member has to be up and heard before its
 *  tombstones are purged elsewhere. */
export function reusableForMs(gcGraceSeconds: number): number {
  const graceMs = gcGraceSeconds * 1000;
  return Math.max(0, graceMs - Math.min(MAX_MARGIN_MS, Math.max(MIN_MARGIN_MS, graceMs / 10)));
}

/** Every volume of this cluster without a node, by id, with what a new node may do with it. */
export function detachedVolumeStates(o: ClusterObservation): readonly DetachedVolume[] {
  return looseVolumes(o).map((volume) => {
    const { detachedAtMs, lastActiveAtMs } = timesOf(o, volume);
    return { volume, state: stateOf(o, volume), detachedAt: text(detachedAtMs), lastActiveAt: text(lastActiveAtMs) };
  });
}

/** True when the volume was not made for the node that mounts it. Creation times are whole seconds from servers whose
 *  clocks differ a little, so a volume that is barely older is still the node's own. Also true when a time is
 *  unknown. */
export function isOlderThanNode(volume: VolumeRecord, nodeCreatedAtMs: number): boolean {
  return !(volume.createdAtMs >= nodeCreatedAtMs - SAME_AGE_MS);
}

/** Volumes whose name a node of this cluster would mount but that have no such node, by id. Includes those being
 *  deleted. */
export function looseVolumes(o: ClusterObservation): readonly VolumeRecord[] {
  const attached = new Set(o.nodes.map((node) => node.id));
  const isLoose = ({ nodeId, name }: VolumeRecord) =>
    nodeId !== undefined && !attached.has(nodeId) && name === pvcName(o.cluster.name, nodeId);
  return o.volumes.filter(isLoose).sort((a, b) => (a.nodeId ?? 0) - (b.nodeId ?? 0));
}

function stateOf(o: ClusterObservation, volume: VolumeRecord): DetachedState {
  if (volume.isTerminating) return 'Terminating';
  if (volume.hostLost !== undefined) return 'HostLost';
  if (volume.hostDrained !== undefined) return 'HostDrained';
  const age = volumeAge(o, volume);
  if (age.kind === 'unknown') return 'AgeUnknown';
  return o.nowMs - age.lastActiveMs < reusableForMs(o.cluster.spec.gcGraceSeconds) ? 'Reusable' : 'TooOld';
}

function timesOf(
  o: ClusterObservation,
  volume: VolumeRecord,
): { readonly detachedAtMs: number | undefined; readonly lastActiveAtMs: number | undefined } {
  const { detachedAtMs, lastActiveAtMs } = volume;
  if (detachedAtMs !== undefined || lastActiveAtMs !== undefined) return { detachedAtMs, lastActiveAtMs };
  const stored = o.cluster.detachedVolumes.find((entry) => entry.pvcUID === volume.uid);
  if (stored !== undefined)
    return { detachedAtMs: timeMs(stored.detachedAt), lastActiveAtMs: timeMs(stored.lastActiveAt) };
  const counted =
    volume.nodeId !== undefined && o.cluster.instanceNames.includes(nodeName(o.cluster.name, volume.nodeId));
  return { detachedAtMs: counted ? o.nowMs : undefined, lastActiveAtMs: undefined };
}

function text(ms: number | undefined): string | undefined {
  return ms === undefined || Number.isNaN(ms) ? undefined : timeText(ms);
}
