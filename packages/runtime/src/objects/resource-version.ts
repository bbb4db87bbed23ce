// Which of two resourceVersions is newer. Comparable since Kubernetes 1.35 (KEP-5504), within one resource type only;
// aggregated APIs may still use opaque strings, for which there is no answer.

const DECIMAL = /^[1-9][0-9]*$/;

/** True for a version that has an order: decimal, no leading zero, as the comparator of apimachinery demands. */
function isNumericVersion(rv: string): boolean {
  return DECIMAL.test(rv);
}

/** Negative when `a` is older than `b`, 0 when equal, positive when newer; by length, then as text, so that any size is
 *  exact. Undefined when they differ and either has no order. Both must be of the same resource type. */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!isNumericVersion(a) || !isNumericVersion(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** True when `a` is certainly older than `b`: unknown order is not older. */
export function isOlder(a: string, b: string): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order < 0;
}

/** True when `a` is `b` or certainly newer. */
export function hasReached(a: string, b: string): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order >= 0;
}
