// Kinds that only the contract speaks of: something without rules of its own, and where it lies.

import { defineKind, type KubeObject } from '@marekvs/runtime';

const plain = (kind: string, plural: string, namespaced: boolean) =>
  defineKind<KubeObject & { readonly data?: Readonly<Record<string, string>> }>({
    group: '',
    version: 'v1',
    kind,
    plural,
    namespaced,
  });

export const configMaps = plain('ConfigMap', 'configmaps', true);
export const namespaces = plain('Namespace', 'namespaces', false);
