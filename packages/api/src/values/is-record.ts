// For parsed JSON: whether a value is an object and not a list, and the value at a path.

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a dotted path; undefined when any part is missing. */
export function valueAt(root: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), root);
}
