// What a member is told to write of one record, and the version that becomes of it.

import type { Stamp, Version } from '../basics/messages.ts';
import { readValueOf } from './merging.ts';

/** What is written of a record. Without a value, or without a live one, it is a tombstone. */
export interface Write extends Pick<Version, 'key' | 'merged' | 'expiresAtMs'> {
  /** Bytes as latin1. Of records that merge it follows from what they have merged. */
  readonly value?: string | undefined;
  /** For a tombstone with a value: that of a head says since when all its parts are deleted. */
  readonly isDead?: boolean;
}

/** Some writes contain their own stamp. */
export type StampedWrite = (stamp: Stamp) => Write;

export function versionOf({ clock, origin }: Stamp, { key, value, merged, isDead, expiresAtMs }: Write): Version {
  const hasValue = merged?.kind === 'element' ? merged.live.length > 0 : merged !== undefined || value !== undefined;
  return {
    key,
    clock,
    origin,
    value: merged === undefined ? (value ?? '') : readValueOf(merged),
    isDead: isDead ?? !hasValue,
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    ...(merged === undefined ? {} : { merged }),
  };
}
