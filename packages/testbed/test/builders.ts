// Healthy objects for tests; a test changes one thing.
import type { IPodSpec } from 'kubernetes-models/v1';
import type { Claim, Container, Node, Pod, Service } from '../src/kubelet/objects/objects.ts';

let serial = 0;

export interface PodChange {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Record<string, string>;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly container?: Partial<Container>;
  readonly spec?: Partial<IPodSpec>;
}

export function pod(change: PodChange = {}): Pod {
  serial += 1;
  const { name = 'demo-0', namespace = 'default', uid = `uid-${serial}`, labels = { app: 'demo' } } = change;
  return {
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion: String(serial),
      labels,
      ...(change.deletionTimestamp === undefined ? {} : { deletionTimestamp: change.deletionTimestamp }),
      ...(change.deletionGracePeriodSeconds === undefined
        ? {}
        : { deletionGracePeriodSeconds: change.deletionGracePeriodSeconds }),
    },
    spec: { containers: [{ name: 'marekvs', image: 'marekvs:1', ...change.container }], ...change.spec },
  };
}

export function service(
  name: string,
  change: { readonly namespace?: string; readonly publishNotReadyAddresses?: boolean } = {},
): Service {
  return {
    metadata: { name, namespace: change.namespace ?? 'default', uid: `svc-${name}`, resourceVersion: '1' },
    spec: {
      selector: { app: 'demo' },
      clusterIP: 'None',
      publishNotReadyAddresses: change.publishNotReadyAddresses ?? true,
    },
  };
}

export function node(name: string, labels: Record<string, string> = {}): Node {
  return {
    metadata: {
      name,
      namespace: '',
      uid: name,
      resourceVersion: '1',
      labels: { 'kubernetes.io/hostname': name, ...labels },
    },
    spec: {},
  };
}

export function claim(
  change: {
    readonly requested?: string;
    readonly phase?: 'Bound' | 'Pending';
    readonly capacity?: string;
    readonly className?: string;
  } = {},
): Claim {
  return {
    metadata: { name: 'data-demo-0', namespace: 'default', uid: 'claim-1', resourceVersion: '1' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: change.requested ?? '10Gi' } },
      ...(change.className === undefined ? {} : { storageClassName: change.className }),
    },
    status: {
      ...(change.phase === undefined ? {} : { phase: change.phase }),
      ...(change.capacity === undefined ? {} : { capacity: { storage: change.capacity } }),
    },
  };
}
