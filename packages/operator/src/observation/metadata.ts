// What the projections of all kinds read alike: who an object is, and its times.

import type { KubeObject } from '@marekvs/runtime';

export function identity(object: KubeObject) {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = object.metadata;
  return { namespace, name, uid, resourceVersion };
}

/** Wall clock; undefined when there is none, or it is none. */
export function timeOf(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
