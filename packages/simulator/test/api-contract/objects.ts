// The objects of the contract: the smallest that a real API server accepts, with every field that it would fill in.

import { API_VERSION } from '@marekvs/api';
import {
  type ContainerResources,
  defineKind,
  type Kind,
  type KubeObject,
  type Namespace,
  type NewObject,
  type ObjectMeta,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  pods,
  type Stored,
} from '@marekvs/runtime';
import { configMaps, namespaces } from './plain-kinds.ts';

export interface Custom extends KubeObject {
  readonly spec?: { readonly [field: string]: unknown };
  readonly status?: { readonly [field: string]: unknown };
}

export const NODES: Kind<Custom> = defineKind(API_VERSION, 'MarekvsNode');

export const CLUSTERS: Kind<Custom> = defineKind(API_VERSION, 'MarekvsCluster');

/** A Node that exists in every driver, for Pods that a host runs. */
export const HOST = 'contract-host';

type Meta = Omit<ObjectMeta, 'name' | 'namespace' | 'generateName'>;

export function node(namespace: string, id = 0, metadata: Meta = {}, clusterName = 'demo'): NewObject<Custom> {
  return {
    metadata: { name: `${clusterName}-${id}`, namespace, ...metadata },
    spec: {
      clusterName,
      nodeId: id,
      serving: false,
      intent: 'Active',
      storage: { size: '1Gi' },
      template: {
        image: 'marekvs:1',
        resources: { cpu: '1', memory: '1Gi' },
        replicationFactor: 2,
        gcGraceSeconds: 600,
        clusterIdentity: 'demo',
      },
    },
  };
}

interface PodWish {
  readonly host?: string;
  readonly claim?: string;
  readonly grace?: number;
  readonly resources?: ContainerResources['resources'];
}

export function pod(
  namespace: string,
  name: string,
  { host, claim, grace, resources, ...metadata }: Meta & PodWish = {},
): NewObject<Pod> {
  return {
    metadata: { name, namespace, ...metadata },
    spec: {
      containers: [{ name: 'server', image: 'marekvs:1', ...(resources === undefined ? {} : { resources }) }],
      ...(host === undefined ? {} : { nodeName: host }),
      ...(grace === undefined ? {} : { terminationGracePeriodSeconds: grace }),
      ...(claim === undefined ? {} : { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] }),
    },
  };
}

export function claim(namespace: string, name: string, metadata: Meta = {}): NewObject<PersistentVolumeClaim> {
  return {
    metadata: { name, namespace, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
}

/** A ConfigMap with owners, for the garbage collector. */
export function dependent(
  namespace: string,
  name: string,
  owners: readonly OwnerReference[],
  metadata: Meta = {},
): [Kind<KubeObject>, NewObject<KubeObject>] {
  return [configMaps, { metadata: { name, namespace, ownerReferences: owners, ...metadata } }];
}

export function ownerOf({ metadata }: Stored<Custom>, kind: Kind<KubeObject> = NODES): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, name, uid, controller: true };
}

export function namespaceObject(name: string): [Kind<Namespace>, NewObject<Namespace>] {
  return [namespaces, { metadata: { name } }];
}

export const PODS = pods;
export const CLAIMS = persistentVolumeClaims;
