// The named indexes of a store: which keys are filed under which value. Kept in step by the store; holds keys only.

/** A value is filed under every string its function returns; none is fine. */
export type IndexFunctions<V> = Readonly<Record<string, (v: V) => readonly string[]>>;

export interface Indexes<V> {
  put(key: string, previous: V | undefined, current: V | undefined): void;
  /** Keys filed under `value`. @throws Error when there is no such index */
  keys(index: string, value: string): ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();

export function createIndexes<V>(functions: IndexFunctions<V>): Indexes<V> {
  const indexes = Object.entries(functions).map(([name, of]) => ({
    name,
    of,
    byValue: new Map<string, Set<string>>(),
  }));
  const byName = new Map(indexes.map((index) => [index.name, index.byValue]));

  return {
    put(key, previous, current) {
      for (const { of, byValue } of indexes) {
        if (previous !== undefined) for (const value of of(previous)) unfile(byValue, value, key);
        if (current !== undefined) for (const value of of(current)) file(byValue, value, key);
      }
    },
    keys(index, value) {
      const byValue = byName.get(index);
      if (byValue === undefined) throw new Error(`no index named ${index}`);
      return byValue.get(value) ?? NOTHING;
    },
  };
}

function file(byValue: Map<string, Set<string>>, value: string, key: string): void {
  const keys = byValue.get(value);
  if (keys === undefined) byValue.set(value, new Set([key]));
  else keys.add(key);
}

function unfile(byValue: Map<string, Set<string>>, value: string, key: string): void {
  const keys = byValue.get(value);
  if (keys === undefined) return;
  keys.delete(key);
  if (keys.size === 0) byValue.delete(value);
}
