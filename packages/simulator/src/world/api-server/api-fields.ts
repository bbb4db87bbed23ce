// Which manager owns which field of an applied object, like managedFields of the real API server: by path down to
// single values, keyed lists item by item, selectors whole. All writers that do not apply share one manager here. How
// an apply uses this is api-apply.ts.

import { isRecord, isSame } from './api-merge.ts';

/** Lists whose items are identified by these keys; every other list is one field. */
const KEYED_LISTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['metadata.ownerReferences', ['uid']],
  ['spec.ports', ['port', 'protocol']],
]);
/** Maps that count as one field. */
const WHOLE_MAPS: ReadonlySet<string> = new Set(['spec.selector', 'spec.podSelector']);

/** Values by path. Paths are only good for comparing. */
export type Fields = ReadonlyMap<string, unknown>;

export function keysOfList(path: string): readonly string[] | undefined {
  return KEYED_LISTS.get(path);
}

/** The identity of an item of a keyed list. */
export function itemKey(item: unknown, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => (isRecord(item) ? (item[key] ?? '') : '')));
}

export function isJoined(path: string, value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !WHOLE_MAPS.has(path);
}

export function childPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** Every single field of an input or an object. */
export function fieldsOf(value: unknown, path = '', into = new Map<string, unknown>()): Map<string, unknown> {
  const keys = keysOfList(path);
  if (isJoined(path, value)) {
    for (const [key, child] of Object.entries(value)) fieldsOf(child, childPath(path, key), into);
  } else if (keys !== undefined && Array.isArray(value)) {
    for (const item of value) fieldsOf(item, childPath(path, itemKey(item, keys)), into);
  } else if (value !== undefined) into.set(path, value);
  return into;
}

const WITHOUT_APPLY = 'Update';

export class FieldOwners {
  readonly #paths = new Map<string, Set<string>>();

  /** Notes a write that is no apply: its writer becomes the only owner of what it changed. */
  noteWrite(before: Fields, after: Fields): void {
    const own = this.#of(WITHOUT_APPLY);
    for (const [path, value] of after) {
      if (before.has(path) && isSame(before.get(path), value)) continue;
      this.#takeFromAll(path);
      own.add(path);
    }
    for (const path of before.keys()) if (!after.has(path)) this.#takeFromAll(path);
  }

  /** The fields that this apply would change although another manager owns them. */
  conflicts(manager: string, live: Fields, sent: Fields): readonly string[] {
    return [...sent].flatMap(([path, value]) =>
      live.has(path) && !isSame(live.get(path), value) && this.#isOwnedBeside(manager, path) ? [path] : [],
    );
  }

  /** The fields that the manager sent before, does not send now, and nobody else owns. */
  abandoned(manager: string, sent: Fields): ReadonlySet<string> {
    const before = this.#paths.get(manager) ?? [];
    return new Set([...before].filter((path) => !sent.has(path) && !this.#isOwnedBeside(manager, path)));
  }

  /** @returns whether the ownership of any field changed */
  noteApply(manager: string, sent: Fields, taken: readonly string[]): boolean {
    const before = this.#paths.get(manager) ?? new Set();
    for (const path of taken) this.#takeFromAll(path);
    this.#paths.set(manager, new Set(sent.keys()));
    return taken.length > 0 || before.size !== sent.size || [...before].some((path) => !sent.has(path));
  }

  #isOwnedBeside(manager: string, path: string): boolean {
    return [...this.#paths].some(([name, paths]) => name !== manager && paths.has(path));
  }

  #takeFromAll(path: string): void {
    for (const paths of this.#paths.values()) paths.delete(path);
  }

  #of(manager: string): Set<string> {
    const known = this.#paths.get(manager) ?? new Set();
    this.#paths.set(manager, known);
    return known;
  }
}
