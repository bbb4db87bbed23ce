// What config/ installs for all namespaces, as OLM needs it: read from the files that kustomize reads.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

export interface Installed {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly rules?: readonly unknown[];
}

export interface Kind extends Installed {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: { readonly description?: string } };
    }[];
  };
}

export interface WhatIsInstalled {
  /** As they are shipped, to the byte, by the name of their file. */
  readonly kinds: readonly { readonly file: string; readonly text: string; readonly object: Kind }[];
  readonly deployment: Installed;
  readonly clusterRole: Installed;
  readonly hostsRole: Installed;
  readonly leaseRole: Installed;
  readonly serviceAccount: Installed;
  /** Further objects of the bundle, as they are. */
  readonly beside: readonly Installed[];
  readonly sample: Installed;
}

const BESIDE = [
  'config/base/manager/metrics-service.yaml',
  'config/base/manager/pod-disruption-budget.yaml',
  'config/components/user-roles/view.yaml',
  'config/components/user-roles/edit.yaml',
  'config/components/user-roles/admin.yaml',
];

/** @param root the project's folder */
export function whatIsInstalled(root: string): WhatIsInstalled {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  // Our own files, so their shape is not checked: a wrong one fails in the validators of OLM, and where it is used.
  const object = <T = Installed>(path: string): T => load(read(path)) as T;
  return {
    kinds: ['marekvsclusters.yaml', 'marekvsnodes.yaml'].map((file) => ({
      file,
      text: read(`crds/${file}`),
      object: object<Kind>(`crds/${file}`),
    })),
    deployment: object('config/base/manager/deployment.yaml'),
    clusterRole: object('config/components/cluster-role/cluster-role.yaml'),
    hostsRole: object('config/components/hosts/role.yaml'),
    leaseRole: object('config/base/rbac/role-lease.yaml'),
    serviceAccount: object('config/base/rbac/service-account.yaml'),
    beside: BESIDE.map((path) => object(path)),
    sample: object('config/samples/small.yaml'),
  };
}
