// Objects as lines of text: uids and versions become ordinals in the order in which they are first seen, times are left
// out.

import type { KubeObject } from '@marekvs/runtime';

export class Ordinals {
  readonly #known = new Map<string, Map<string, number>>();

  /** `uid1 v2 gen1 marked(30) held[a,b] spec.x=1`; a field that does not exist is left out. */
  line(object: KubeObject, paths: readonly string[]): string {
    const { uid, resourceVersion, generation, deletionTimestamp, deletionGracePeriodSeconds, finalizers } =
      object.metadata;
    const parts = [`uid${this.#ordinal('uid', uid)}`, `v${this.#ordinal('version', resourceVersion)}`];
    if (generation !== undefined) parts.push(`gen${generation}`);
    if (deletionTimestamp !== undefined) parts.push(`marked(${deletionGracePeriodSeconds})`);
    if (finalizers !== undefined) parts.push(`held[${finalizers.join()}]`);
    for (const path of paths) {
      const value = at(object, path);
      if (value !== undefined) parts.push(`${path}=${typeof value === 'string' ? value : canonical(value)}`);
    }
    return parts.join(' ');
  }

  #ordinal(what: string, value: string | undefined): number | string {
    if (value === undefined || value === '') return '?';
    const known = this.#known.get(what) ?? new Map<string, number>();
    this.#known.set(what, known);
    const ordinal = known.get(value) ?? known.size + 1;
    known.set(value, ordinal);
    return ordinal;
  }
}

/** The value at a dotted path; `[]` of a list is one by its index. */
export function at(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null
          ? new Map<string, unknown>(Object.entries(value)).get(key)
          : undefined,
      object,
    );
}

/** JSON with its keys in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
