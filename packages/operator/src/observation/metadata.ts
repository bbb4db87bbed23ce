// What the projections of all kinds read alike: who an object is.

import type { KubeObject } from '@marekvs/runtime';

export function identity(object: KubeObject) {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = object.metadata;
  return { namespace, name, uid, resourceVersion };
}
