// What lets the operator read the Secret of one cluster, by its name: to get it, and to hear when it changes. Pure. List and watch are
// bound to the name as well: the API server lets them pass for nothing else.

import { defineKind, type KubeObject } from '@marekvs/runtime';

interface Role extends KubeObject {
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

interface RoleBinding extends KubeObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

const GROUP = 'rbac.authorization.k8s.io';

export const ROLE = defineKind<Role>({ group: GROUP, version: 'v1', kind: 'Role', plural: 'roles', namespaced: true });
export const ROLE_BINDING = defineKind<RoleBinding>({
  group: GROUP,
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
});

export function grantObjects(
  cluster: { readonly name: string; readonly namespace: string },
  secret: string,
  account: { readonly name: string; readonly namespace: string },
) {
  const metadata = { name: `${cluster.name}-marekvs-secret`, namespace: cluster.namespace };
  const apiVersion = `${GROUP}/v1` as const;
  return {
    role: {
      apiVersion,
      kind: 'Role' as const,
      metadata,
      rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: [secret], verbs: ['get', 'list', 'watch'] }],
    },
    binding: {
      apiVersion,
      kind: 'RoleBinding' as const,
      metadata,
      roleRef: { apiGroup: GROUP, kind: 'Role', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
  };
}
