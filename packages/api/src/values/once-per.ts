// Memoizes pure functions of objects that never change; a result is remembered as long as its object is alive.

/** @param make pure; must not return undefined */
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

/** The same for an object and further arguments; only the result for the last arguments is remembered.
 *  @param make pure */
export function oncePerLast<K extends WeakKey, A extends readonly unknown[], V>(
  make: (key: K, ...asked: A) => V,
): (key: K, ...asked: A) => V {
  const known = new WeakMap<K, { readonly asked: A; readonly made: V }>();
  return (key, ...asked) => {
    const before = known.get(key);
    if (before?.asked.every((one, index) => one === asked[index]) === true) return before.made;
    const made = make(key, ...asked);
    known.set(key, { asked, made });
    return made;
  };
}

/** The same for texts, of which a few are used again and again.
 *  @param maxTexts when there are more, all are forgotten
 *  @param make pure */
export function oncePerText<V>(maxTexts: number, make: (text: string) => V): (text: string) => V {
  const known = new Map<string, V>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const made = make(text);
    if (known.size >= maxTexts) known.clear();
    known.set(text, made);
    return made;
  };
}
