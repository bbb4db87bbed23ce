// What the campaign of fields assumes about an API server, to be compared with a real one: which specs and which Pods
// it accepts.

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
  /** The spec with defaults; undefined when it is refused. */
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

/** The HTTP status with which the world answers for a Pod: 201 when it accepts it. */
export function podCode(pod: ApiInput): number {
  return podRefusal(pod)?.code ?? 201;
}

/** The first change of that kind for a field, from the small cluster that lacks nothing. */
export function changeFromBase(path: string, kind: Change['kind']): Change {
  const isIt = (change: Change) =>
    change.path === path && change.kind === kind && isDeepStrictEqual(admit(change.from), admit(BASE_SPEC));
  const found = allChanges().find(isIt);
  if (found === undefined) throw new RangeError(`no change of ${path} that is ${kind} begins at the base`);
  return found;
}
