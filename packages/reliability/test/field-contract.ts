// What the campaign of fields takes for granted about an API server, to be held to a real one: which
// specs it takes, and which Pods.

import { isDeepStrictEqual } from 'node:util';
import type { MarekvsClusterSpec } from '@marekvs/api';
import type { ApiInput } from '@marekvs/simulator';
import { admit } from '../src/fields/admission.ts';
import { allChanges, BASE_SPEC, type Change } from '../src/fields/changes.ts';
import { changeTitle } from '../src/fields/field-units.ts';
import type { JsonObject } from '../src/fields/schema.ts';
import { PRIORITY_CLASSES, podRefusal } from '../src/fields/surroundings.ts';

export { BASE_SPEC, PRIORITY_CLASSES };

export interface SpecVerdict {
  readonly title: string;
  readonly spec: JsonObject;
  /** With defaults; undefined when it is refused. */
  readonly stored: MarekvsClusterSpec | undefined;
}

/** Every spec of the campaign once, as a create. */
export function specVerdicts(): readonly SpecVerdict[] {
  const specs = new Map<string, SpecVerdict>();
  for (const change of allChanges()) {
    for (const spec of [change.from, change.to]) {
      const verdict = admit(spec);
      const stored = verdict.kind === 'stored' ? verdict.spec : undefined;
      const key = JSON.stringify(spec);
      if (!specs.has(key)) specs.set(key, { title: changeTitle(change), spec, stored });
    }
  }
  return [...specs.values()];
}

/** HTTP status that the world gives a Pod: 201 when it takes it. */
export function podCode(pod: ApiInput): number {
  return podRefusal(pod)?.code ?? 201;
}

/** The first change of a field of that kind, from what is stored as the small cluster that lacks nothing. */
export function changeFromBase(path: string, kind: Change['kind']): Change {
  const isIt = (change: Change) =>
    change.path === path && change.kind === kind && isDeepStrictEqual(admit(change.from), admit(BASE_SPEC));
  const found = allChanges().find(isIt);
  if (found === undefined) throw new RangeError(`no change of ${path} that is ${kind} begins at the base`);
  return found;
}
