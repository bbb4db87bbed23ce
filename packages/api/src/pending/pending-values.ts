// Values of several nodes as one text, whether two are the same, and what keeps every change waiting.

import type { MarekvsClusterSpec } from '../objects/cluster.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import type { Waits } from './in-force.ts';

/** Why changes wait while the cluster is hibernated. */
export const ASLEEP: Waits = {
  reason: 'Hibernated',
  why: 'spec.hibernated is true',
  wayOut: 'kubectl mkv wake, or set spec.hibernated to false',
  needsPerson: true,
};

/** What in the spec keeps every change waiting; undefined when nothing does. */
export function restOf({ hibernated, paused }: MarekvsClusterSpec): Waits | undefined {
  if (hibernated === true) return ASLEEP;
  if (paused !== true) return undefined;
  return { reason: 'Paused', why: 'spec.paused is true', wayOut: 'set spec.paused to false', needsPerson: true };
}

/** `2`, or `marekvs:1 on 2 of 3 nodes, marekvs:2 on 1 of 3 nodes`. */
export function distribution(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const [first = 'nothing', ...rest] = counts.keys();
  if (rest.length === 0) return first;
  return listed([...counts].map(([text, count]) => `${text} on ${count} of ${texts.length} nodes`));
}

const MAX_LISTED = 3;

/** `a, b, c and 2 more`.
 *  @param most how many are listed */
export function listed(texts: readonly string[], most = MAX_LISTED): string {
  const more = texts.length - most;
  return more > 0 ? `${texts.slice(0, most).join(', ')} and ${more} more` : texts.join(', ');
}

/** Ignores the order of keys; undefined, an empty text and an empty collection are the same. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  if (
    value === undefined ||
    value === '' ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  )
    return '';
  return canonicalJson(value);
}
