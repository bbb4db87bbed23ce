// Times as people read them. Pure.

import { timeMs } from '@marekvs/planner';

/** `45s`, `12m`, `3h`, `2d`, as kubectl shows ages; `-` when it is not known. */
export function ageText(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return '-';
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** For documents; undefined when it is not known. */
export function isoText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** Age of something with that time. */
export function since(text: string | undefined, nowMs: number): string {
  const ms = timeMs(text);
  return ageText(ms === undefined ? undefined : nowMs - ms);
}
