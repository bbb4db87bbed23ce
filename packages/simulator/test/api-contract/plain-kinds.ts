// Kinds that only the contract uses: objects without rules of their own, and their paths.

import { defineKind, type KubeObject } from '@marekvs/runtime';

type Plain = KubeObject & { readonly data?: Readonly<Record<string, string>> };

export const configMaps = defineKind<Plain>('v1', 'ConfigMap');
export const namespaces = defineKind<Plain>('v1', 'Namespace', { namespaced: false });
