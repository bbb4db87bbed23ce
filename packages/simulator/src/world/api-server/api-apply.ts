// Server-side apply: the object that results when a manager applies its configuration. Pure. Field ownership is
// api-fields.ts.

import { childPath, isJoined, itemKey, keysOfList } from './api-fields.ts';
import { isRecord } from './api-merge.ts';
import type { ApiInput } from './api-object.ts';

/** The part of an input or an object whose fields can be owned. */
export function configurationOf(input: ApiInput): Readonly<Record<string, unknown>> {
  const { metadata = {}, ...sent } = input;
  const rest: Record<string, unknown> = { ...sent };
  for (const name of ['apiVersion', 'kind', 'status']) delete rest[name];
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  const own = Object.entries({ labels, annotations, ownerReferences, finalizers });
  return { ...rest, metadata: Object.fromEntries(own.filter(([, value]) => value !== undefined)) };
}

/** The live object with every sent field as sent and the abandoned ones removed; all others stay. */
export function applyConfiguration(live: unknown, sent: unknown, abandoned: ReadonlySet<string>): unknown {
  return without(joined(live, sent, ''), abandoned, '');
}

function joined(live: unknown, sent: unknown, path: string): unknown {
  const keys = keysOfList(path);
  if (keys !== undefined && Array.isArray(sent)) return joinedItems(Array.isArray(live) ? live : [], sent, keys, path);
  if (!isJoined(path, sent)) return sent;
  const result: Record<string, unknown> = isRecord(live) ? { ...live } : {};
  for (const [key, value] of Object.entries(sent)) result[key] = joined(result[key], value, childPath(path, key));
  return result;
}

function joinedItems(live: readonly unknown[], sent: readonly unknown[], keys: readonly string[], path: string) {
  const left = new Map(sent.map((item) => [itemKey(item, keys), item]));
  const present = live.map((item) => {
    const key = itemKey(item, keys);
    const wanted = left.get(key);
    left.delete(key);
    return wanted === undefined ? item : joined(item, wanted, childPath(path, key));
  });
  return [...present, ...left.values()];
}

/** Removes the abandoned fields, and maps and lists that lose their last entry. */
function without(value: unknown, abandoned: ReadonlySet<string>, path: string): unknown {
  if (abandoned.size === 0) return value;
  if (abandoned.has(path)) return undefined;
  const keys = keysOfList(path);
  if (keys !== undefined && Array.isArray(value)) {
    const items = value.flatMap((item) => without(item, abandoned, childPath(path, itemKey(item, keys))) ?? []);
    return items.length === 0 && value.length > 0 ? undefined : items;
  }
  if (!isJoined(path, value)) return value;
  const before = Object.entries(value);
  const entries = before.flatMap(([key, child]) => {
    const left = without(child, abandoned, childPath(path, key));
    return left === undefined ? [] : [[key, left] as const];
  });
  return entries.length === 0 && before.length > 0 ? undefined : Object.fromEntries(entries);
}
