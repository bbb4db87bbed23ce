// All users that the policies of deletionProtection tell apart, each with at least the permissions that it has in
// production, so that only a policy can refuse.

import { type Manifest, serviceAccountGroups, type Testbed } from '@marekvs/testbed';
import { type Attempts, createAttempts } from './attempts.ts';

export const WHO = {
  admin: 'a cluster administrator',
  editor: 'an editor',
  breaker: 'an editor with force-remove',
  operator: 'the operator',
  ownOperator: 'an operator in the same namespace',
  otherOperator: 'an operator of another namespace',
  gc: 'the garbage collector',
  namespaces: 'the namespace controller',
  controllers: 'a controller manager with one identity for all',
} as const;
export type Who = keyof typeof WHO;

const OPERATOR = 'marekvs-operator';
const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1', apiGroup: 'rbac.authorization.k8s.io' } as const;
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/** @param namespace where the editors and the operators may edit everything of a marekvs cluster */
export async function createUsers(testbed: Testbed, namespace: string): Promise<Readonly<Record<Who, Attempts>>> {
  const { controlPlane, kubeconfigs } = testbed;
  const as = async (path: string | Promise<string>) => createAttempts(await path, namespace);
  const person = (name: string) => as(controlPlane.addUser(name, ['system:authenticated']));
  const account = (home: string, name: string) =>
    as(controlPlane.addUser(accountName(home, name), serviceAccountGroups(home)));
  await testbed.apply(permissions(namespace), namespace);
  return {
    admin: await as(kubeconfigs.admin),
    editor: await person('editor'),
    breaker: await person('breaker'),
    operator: await as(kubeconfigs.operator),
    ownOperator: await account(namespace, OPERATOR),
    otherOperator: await account('elsewhere', OPERATOR),
    gc: await account('kube-system', 'generic-garbage-collector'),
    namespaces: await account('kube-system', 'namespace-controller'),
    controllers: await as(controlPlane.addUser('system:kube-controller-manager', ['system:masters'])),
  };
}

function permissions(namespace: string): readonly Manifest[] {
  const role = {
    apiVersion: RBAC.apiVersion,
    kind: 'Role',
    metadata: { name: 'editing' },
    rules: [
      { apiGroups: ['marekvs.io'], resources: ['marekvsclusters', 'marekvsnodes'], verbs: VERBS },
      { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: VERBS },
    ],
  };
  const operators = ['marekvs-system', namespace, 'elsewhere'].map((home) => accountName(home, OPERATOR));
  return [
    role,
    binding('Role', 'editing', ['editor', 'breaker', ...operators]),
    binding('ClusterRole', 'marekvs-force-remove', ['breaker']),
  ];
}

function binding(kind: 'Role' | 'ClusterRole', name: string, users: readonly string[]) {
  return {
    apiVersion: RBAC.apiVersion,
    kind: 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: RBAC.apiGroup, kind, name },
    subjects: users.map((user) => ({ apiGroup: RBAC.apiGroup, kind: 'User', name: user })),
  };
}

function accountName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
