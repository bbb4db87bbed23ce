// The ClusterServiceVersion of the operator: the kinds it owns, its permissions, and its Deployment. Pure.

import type { Installed, Kind, WhatIsInstalled } from './installed.ts';

export interface OperatorVersion {
  readonly version: string;
  /** With its tag. */
  readonly image: string;
}

export function clusterServiceVersion(installed: WhatIsInstalled, { version, image }: OperatorVersion): object {
  const { deployment, clusterRole, hostsRole, leaseRole, serviceAccount, kinds, sample } = installed;
  const { name } = deployment.metadata;
  const account = serviceAccount.metadata.name;
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: `${name}.v${version}`,
      // OLM replaces it by the namespace of the installation.
      namespace: 'placeholder',
      annotations: {
        'alm-examples': JSON.stringify([sample]),
        capabilities: 'Full Lifecycle',
        categories: 'Database',
        containerImage: image,
        description: 'Runs the marekvs store on Kubernetes without losing an acknowledged write',
        'operatorframework.io/suggested-namespace': deployment.metadata.namespace,
        // Created and changed by the operator alone.
        'operators.operatorframework.io/internal-objects': JSON.stringify(kinds.slice(1).map(nameOfKind)),
      },
    },
    spec: {
      displayName: 'marekvs',
      description: DESCRIPTION,
      version,
      maturity: 'alpha',
      minKubeVersion: '1.30.0',
      provider: { name: 'The marekvs authors' },
      keywords: ['marekvs', 'redis', 'database', 'operator'],
      // It manages all namespaces. An operator for a team's own namespaces is installed with kustomize or Helm.
      installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map((type) => ({
        type,
        supported: type === 'AllNamespaces',
      })),
      customresourcedefinitions: { owned: kinds.map(({ object }) => ownedKind(object)) },
      install: {
        strategy: 'deployment',
        spec: {
          clusterPermissions: [
            { serviceAccountName: account, rules: [...(clusterRole.rules ?? []), ...(hostsRole.rules ?? [])] },
          ],
          permissions: [{ serviceAccountName: account, rules: leaseRole.rules }],
          deployments: [{ name, label: deployment.metadata.labels, spec: withImage(deployment, image) }],
        },
      },
      relatedImages: [{ name: 'operator', image }],
    },
  };
}

const DESCRIPTION = `Runs marekvs, a gossip-based and Redis-compatible store, on Kubernetes. No acknowledged write is lost by anything the
operator does: a member goes only after its records were seen on their other homes.

The admission policies behind \`spec.deletionProtection\` and the flow control of the API server are kinds that a bundle cannot have. Without
the first, \`deletionProtection\` refuses nothing; \`kubectl apply -k config/components/deletion-protection\` adds them.`;

function nameOfKind({ object: { metadata } }: WhatIsInstalled['kinds'][number]): string {
  return metadata.name;
}

function ownedKind({ metadata, spec }: Kind): object {
  const [version] = spec.versions;
  return {
    name: metadata.name,
    version: version?.name,
    kind: spec.names.kind,
    displayName: spec.names.kind,
    description: version?.schema.openAPIV3Schema.description,
  };
}

/** @throws Error unless the Deployment has exactly one container: otherwise it is not clear which one gets the image */
function withImage({ spec }: Installed, image: string): object {
  const { template, ...rest } = spec as {
    readonly template: {
      readonly metadata: object;
      readonly spec: { readonly containers: readonly { readonly name: string }[] };
    };
  };
  const [container, ...others] = template.spec.containers;
  if (container === undefined || others.length > 0) throw new Error('the Deployment has not exactly one container');
  return { ...rest, template: { ...template, spec: { ...template.spec, containers: [{ ...container, image }] } } };
}
