// What follows from an object that never changes is worked out once, and remembered as long as the object is there.

/** @param make pure; must not give undefined */
export function oncePer<K extends WeakKey, V extends NonNullable<unknown>>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
