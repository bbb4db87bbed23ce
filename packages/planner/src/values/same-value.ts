// Answers: do two plain values say the same? As JSON has it: order of keys does not count, undefined is absent.
// Asked of every status in every pass, so it builds nothing.

export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return isSameList(a, b);
  if (!isRecord(a) || !isRecord(b)) return false;
  let left = 0;
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue;
    if (!Object.hasOwn(b, key) || !sameValue(a[key], b[key])) return false;
    left += 1;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) left -= 1;
  return left === 0;
}

function isSameList(a: unknown, b: unknown): boolean {
  return (
    Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => sameValue(item, b[index]))
  );
}

function isRecord(value: object): value is Readonly<Record<string, unknown>> {
  return !Array.isArray(value);
}
