// How a patch changes an object: merge patch (RFC 7386), and server-side apply as far as one manager owns whole fields.

import { isDeepStrictEqual } from 'node:util';

export const isSame = isDeepStrictEqual;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** null removes, lists are replaced whole. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** What the manager applied before and does not name any more goes; everything it names is as it says; the rest stays. */
export function applyConfiguration(target: unknown, before: unknown, next: unknown): unknown {
  if (!isRecord(next)) return next;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const key of Object.keys(isRecord(before) ? before : {})) if (!(key in next)) delete result[key];
  for (const [key, value] of Object.entries(next)) {
    result[key] = applyConfiguration(result[key], isRecord(before) ? before[key] : undefined, value);
  }
  return result;
}
