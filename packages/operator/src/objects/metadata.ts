// Identity fields that the projections of all kinds share.

import type { KubeObject } from '@marekvs/runtime';

export function identity(object: KubeObject) {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = object.metadata;
  return { namespace, name, uid, resourceVersion };
}
