// The Role and RoleBinding with which the operator reads and watches the Secrets of one cluster. Pure. `resourceNames`
// restricts list and watch as well: the API server allows them for these names only. Usually it is one Secret; more
// while members may still want the password of another Secret than the spec names.

import { ANNOTATIONS, type MarekvsCluster, type MarekvsNode } from '@marekvs/api';
import { readNote, toPodView } from '@marekvs/operator/projections';
import { passwordSource, secretOfSource } from '@marekvs/planner';
import { defineKind, type KubeObject, type Pod } from '@marekvs/runtime';

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

export const ROLE = defineKind<Role>(`${GROUP}/v1`, 'Role');
export const ROLE_BINDING = defineKind<RoleBinding>(`${GROUP}/v1`, 'RoleBinding');

/** The Secrets whose passwords the members want now or will want. That of the spec comes first, then those of the node
 *  templates and of the notes on what members were given, then those that the Pods were started with. */
export function secretsOf(
  { spec }: MarekvsCluster,
  nodes: readonly MarekvsNode[],
  pods: readonly Pod[],
): readonly string[] {
  const ofNodes = nodes.flatMap(({ spec: { template }, metadata }) => [
    passwordSource(template.authSecretRef),
    ...readNote(metadata.annotations?.[ANNOTATIONS.passwordSecrets]),
  ]);
  const ofPods = pods.flatMap((pod) => toPodView(pod).password ?? []);
  const sources = [passwordSource(spec.auth?.secretRef), ...ofNodes, ...ofPods];
  return [...new Set(sources.flatMap((source) => secretOfSource(source)?.name ?? []))];
}

export function grantObjects(
  cluster: { readonly name: string; readonly namespace: string },
  secrets: readonly string[],
  account: { readonly name: string; readonly namespace: string },
) {
  const metadata = { name: `${cluster.name}-marekvs-secret`, namespace: cluster.namespace };
  const apiVersion = `${GROUP}/v1` as const;
  return {
    role: {
      apiVersion,
      kind: 'Role' as const,
      metadata,
      rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: secrets, verbs: ['get', 'list', 'watch'] }],
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
