// Answers: do two plain values say the same? As JSON has it: order of keys does not count, undefined is absent.

export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = present(a);
  const right = new Map(present(b));
  return left.length === right.size && left.every(([key, value]) => right.has(key) && sameValue(value, right.get(key)));
}

function present(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, inner]) => inner !== undefined);
}
