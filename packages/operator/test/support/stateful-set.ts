// What the existing operator has created for a cluster: a StatefulSet with its Pods and claims, the Services and the
// budget, all with its labels; and what `kubectl mkv adopt` does with them. The world has no controller of
// StatefulSets, which would do nothing here.

import { type AdoptionRequest, ANNOTATIONS, adoptionText, releaseText } from '@marekvs/api';
import { type StatefulSet, services } from '@marekvs/runtime';
import { MAREKVS_CLUSTER } from '../../src/objects/kinds.ts';
import { releasedSet } from '../../src/objects/released-set.ts';
import type { createWorld } from './fake-world.ts';

export const STATEFUL_SETS = 'statefulsets.apps';
const CLAIMS = 'persistentvolumeclaims';
const OLD_LABELS = {
  app: 'demo',
  'app.kubernetes.io/name': 'marekvs',
  'app.kubernetes.io/instance': 'demo',
  'app.kubernetes.io/managed-by': 'marekvs-operator',
};

type World = ReturnType<typeof createWorld>;

export function oldOperatorMade(w: World, count: number, owner = w.cluster()?.metadata.uid ?? '') {
  const controller = (kind: string, name: string, uid: string) => [
    { apiVersion: 'x/v1', kind, name, uid, controller: true },
  ];
  const child = (name: string, spec: unknown) => ({
    metadata: {
      name,
      namespace: 'default',
      labels: OLD_LABELS,
      ownerReferences: controller('MarekvsCluster', 'demo', owner),
    },
    spec,
  });
  const set = w.create(STATEFUL_SETS, child('demo', { replicas: count }));
  w.create('services', child('demo', { selector: { app: 'demo' }, ports: [{ name: 'resp', port: 6379 }] }));
  w.create('services', child('demo-headless', { clusterIP: 'None', selector: { app: 'demo' } }));
  w.create(
    'poddisruptionbudgets.policy',
    child('demo', { minAvailable: 2, selector: { matchLabels: { app: 'demo' } } }),
  );
  for (let id = 0; id < count; id += 1) {
    const metadata = { namespace: 'default', labels: OLD_LABELS };
    w.create(CLAIMS, { metadata: { ...metadata, name: `data-demo-${id}` }, status: { phase: 'Bound' } } as never);
    w.create('pods', {
      metadata: {
        ...metadata,
        name: `demo-${id}`,
        ownerReferences: controller('StatefulSet', 'demo', set.metadata.uid),
      },
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-demo-${id}` } }] },
    } as never);
  }
  w.kubelets();
  return set;
}

export function requestFor(w: World, count: number, change: Partial<AdoptionRequest> = {}): AdoptionRequest {
  return {
    clusterUid: w.cluster()?.metadata.uid ?? '',
    statefulSetUid: w.get(STATEFUL_SETS, 'demo')?.metadata.uid ?? '',
    clusterIdentity: 'marekvs',
    dataDir: '/data',
    volumes: Array.from({ length: count }, (_, nodeId) => ({
      nodeId,
      uid: w.volumeOf(nodeId)?.metadata.uid ?? '',
    })),
    ...change,
  };
}

export function ask(w: World, request: AdoptionRequest): void {
  w.change(MAREKVS_CLUSTER, 'demo', { metadata: { annotations: { [ANNOTATIONS.adopt]: adoptionText(request) } } });
}

/** Does what a delete with `propagationPolicy: Orphan` does. */
export function letGo(w: World): void {
  const { uid } = w.get(STATEFUL_SETS, 'demo')?.metadata ?? {};
  for (const pod of w.list('pods'))
    if (pod.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
      w.change({ group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true }, pod.metadata.name, {
        metadata: { ownerReferences: null },
      });
  w.drop(STATEFUL_SETS, 'demo');
}

export function selectorOf(w: World, name: string): unknown {
  const { spec } = w.get(services.plural, name) ?? {};
  return (spec as { readonly selector?: unknown } | undefined)?.selector;
}

/** One pass of the controller of StatefulSets: it takes over the Pods of its ordinals that have no controller, and
 *  creates the missing ones. It restarts none, and ends its own Pods with higher ordinals. @returns whether there is a
 *  StatefulSet */
export function statefulSetReconciles(w: World): boolean {
  const set = w.get(STATEFUL_SETS, 'demo') as StatefulSet | undefined;
  if (set === undefined) return false;
  const { replicas = 1, selector, template } = set.spec ?? {};
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'demo', uid: set.metadata.uid, controller: true };
  for (const { metadata } of w.list('pods')) {
    const owners = metadata.ownerReferences ?? [];
    const isSelected = Object.entries(selector?.matchLabels ?? {}).every(
      ([key, value]) => metadata.labels?.[key] === value,
    );
    const isLoose = !owners.some(({ controller }) => controller === true) && metadata.deletionTimestamp === undefined;
    if (isSelected && isLoose) w.patch('pods', metadata.name, { metadata: { ownerReferences: [...owners, owner] } });
  }
  for (let id = 0; id < replicas; id += 1)
    if (w.get('pods', `demo-${id}`) === undefined)
      w.create('pods', {
        metadata: {
          name: `demo-${id}`,
          namespace: 'default',
          labels: template?.metadata?.labels,
          ownerReferences: [owner],
        },
        spec: {
          ...template?.spec,
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-demo-${id}` } }],
        },
      } as never);
  for (const { metadata } of w.list('pods')) {
    const isOwn = metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid) === true;
    if (isOwn && Number(metadata.name.split('-').at(-1)) >= replicas) w.remove('pods', metadata.name);
  }
  return true;
}

/** What `kubectl mkv release` writes first. */
export function askForRelease(w: World): void {
  const { uid = '' } = w.cluster()?.metadata ?? {};
  const at = w.cluster()?.status?.formed?.at ?? '';
  w.change(MAREKVS_CLUSTER, 'demo', {
    metadata: { annotations: { [ANNOTATIONS.release]: releaseText(uid, at), [ANNOTATIONS.adopt]: null } },
  });
}

/** What it writes once the operator waits for the StatefulSet. */
export function makeSet(w: World, change: (set: StatefulSet) => StatefulSet = (set) => set): void {
  const cluster = w.cluster();
  if (cluster === undefined) throw new Error('there is no cluster');
  for (const name of ['demo', 'demo.clients']) w.drop('networkpolicies.networking.k8s.io', name);
  w.create(STATEFUL_SETS, change(releasedSet(cluster, 3)) as never);
}
