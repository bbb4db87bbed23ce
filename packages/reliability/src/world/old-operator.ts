// A cluster as the existing operator makes it, and what `kubectl mkv adopt` does to it. Its Pods have no id, identity
// or seeds of ours, data at the root of the volume, and its own labels. Its StatefulSet controller is not simulated,
// since none of its Pods ends.

import { ANNOTATIONS, adoptionText, releaseText } from '@marekvs/api';
import { releasedSet } from '@marekvs/operator/projections';
import { STATEFUL_SETS } from './cluster/stateful-sets.ts';
import { CLAIMS, CLUSTERS, NAME, NAMESPACE } from './cluster/world-view.ts';
import type { MemberWorld } from './member-world.ts';

const POLICIES = 'networkpolicies.networking.k8s.io';
const REF = { namespace: NAMESPACE, name: NAME };
const LABELS_OF_OLD = {
  app: NAME,
  'app.kubernetes.io/name': 'marekvs',
  'app.kubernetes.io/instance': NAME,
  'app.kubernetes.io/managed-by': 'marekvs-operator',
};
/** The server's own default: the existing operator sets none. */
export const OLD_GC_GRACE_SECONDS = 3600;

/** Forms a cluster of `count` members without our operator, which is started afterwards. */
export async function runByOldOperator(world: MemberWorld, count: number): Promise<void> {
  world.endOperator(world.operator);
  world.apply({ nodes: count, gcGraceSeconds: OLD_GC_GRACE_SECONDS });
  makeChildren(world, count);
  const ids = Array.from({ length: count }, (_, id) => id);
  // The only seed is a name, which resolves to nothing at the start and is looked up again after a minute
  // (docs/design/server.md#h7).
  const isWhole = (id: number) => {
    const member = world.member(id);
    return member?.phase === 'Active' && member.view.members.length === count;
  };
  await world.until(() => ids.every(isWhole), 180_000, 'members of a StatefulSet');
}

/** What `kubectl mkv release` writes first. */
export function askForRelease(world: MemberWorld): void {
  const { metadata, status } = world.cluster() ?? {};
  world.annotate(CLUSTERS, NAME, { [ANNOTATIONS.release]: releaseText(metadata?.uid ?? '', status?.formed?.at ?? '') });
}

/** What `kubectl mkv adopt` writes first to take such a request back. */
export function takeRequestBack(world: MemberWorld): void {
  world.kube.transcript.add('user', `takes the request to release ${NAME} back`);
  const live = world.kube.server.get(CLUSTERS, REF);
  const { [ANNOTATIONS.release]: _asked, ...annotations } = live.metadata.annotations ?? {};
  world.kube.server.update(CLUSTERS, { ...live, metadata: { ...live.metadata, annotations } });
}

/** What `kubectl mkv release` writes when the operator waits for the StatefulSet.
 *  @param change of the spec, for a StatefulSet that differs */
export function makeStatefulSet(world: MemberWorld, change: Readonly<Record<string, unknown>> = {}): void {
  const cluster = world.cluster();
  if (cluster === undefined) throw new Error('there is no cluster');
  const { server, transcript } = world.kube;
  transcript.add('user', `makes StatefulSet ${NAME} ${JSON.stringify(change)}`);
  for (const { metadata } of server.list(POLICIES)) server.remove(POLICIES, metadata, { uid: metadata.uid });
  const { metadata, spec } = releasedSet(cluster, world.nodes().length);
  server.create(STATEFUL_SETS, { metadata: { ...metadata }, spec: { ...spec, ...change } });
}

/** What the plugin does: the note on the cluster, then deleting the StatefulSet without its Pods. */
export function handOver(world: MemberWorld, count: number): void {
  askFor(world, count);
  letGo(world);
}

/** The first half of `handOver`: the StatefulSet still exists. */
export function askFor(world: MemberWorld, count: number): void {
  world.annotate(CLUSTERS, NAME, { [ANNOTATIONS.adopt]: requestText(world, count) });
}

/** The second half of `handOver`. */
export function letGo(world: MemberWorld): void {
  world.kube.transcript.add('user', `lets StatefulSet ${NAME} go, without its Pods`);
  const { uid, resourceVersion } = world.kube.server.get(STATEFUL_SETS, REF).metadata;
  world.kube.server.remove(STATEFUL_SETS, REF, { uid, resourceVersion }, undefined, true);
}

export function isHandedOver(world: MemberWorld): boolean {
  return world.kube.server.list(STATEFUL_SETS).length === 0;
}

/** An empty claim of the name under which the member with this id has its data. */
export function makeClaim({ kube: { server } }: MemberWorld, id: number): void {
  server.create(CLAIMS, {
    metadata: { name: `data-${NAME}-${id}`, namespace: NAMESPACE, labels: LABELS_OF_OLD },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
  });
}

/** A Pod with a member's name but without a controller, which is no member: it waits for a claim of its own. @returns
 *  its UID */
export function makeStranger({ kube: { server } }: MemberWorld, id: number): string {
  const { metadata, spec } = oldPod(id, '');
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data-of-a-stranger' } }];
  return server.create('pods', { metadata: { ...metadata, ownerReferences: [] }, spec: { ...spec, volumes } }).metadata
    .uid;
}

function requestText(world: MemberWorld, count: number): string {
  const volumes = Array.from({ length: count }, (_, nodeId) => ({
    nodeId,
    uid: world.claim(nodeId)?.metadata.uid ?? '',
  }));
  const statefulSetUid = world.kube.server.get(STATEFUL_SETS, REF).metadata.uid;
  const clusterUid = world.cluster()?.metadata.uid ?? '';
  return adoptionText({ clusterUid, statefulSetUid, clusterIdentity: 'marekvs', dataDir: '/data', volumes });
}

function makeChildren(world: MemberWorld, count: number): void {
  const { server } = world.kube;
  const owned = (name: string) => ({
    name,
    namespace: NAMESPACE,
    labels: LABELS_OF_OLD,
    ownerReferences: [controller('marekvs.io/v1alpha1', 'MarekvsCluster', world.cluster()?.metadata.uid ?? '')],
  });
  const ports = [{ name: 'resp', port: 6379, targetPort: 'resp', protocol: 'TCP' }];
  server.create('services', { metadata: owned(NAME), spec: { selector: { app: NAME }, ports } });
  const headless = { clusterIP: 'None', publishNotReadyAddresses: true, selector: { app: NAME } };
  server.create('services', { metadata: owned(`${NAME}-headless`), spec: headless });
  server.create('poddisruptionbudgets.policy', {
    metadata: owned(NAME),
    spec: { minAvailable: 2, selector: { matchLabels: { app: NAME } } },
  });
  const set = server.create(STATEFUL_SETS, { metadata: owned(NAME), spec: { replicas: count } });
  for (let id = 0; id < count; id += 1) {
    makeClaim(world, id);
    server.create('pods', oldPod(id, set.metadata.uid));
  }
}

function oldPod(id: number, setUid: string) {
  const probe = (path: string) => ({ httpGet: { path, port: 9121 }, periodSeconds: 2 });
  return {
    metadata: {
      name: `${NAME}-${id}`,
      namespace: NAMESPACE,
      labels: { ...LABELS_OF_OLD, 'apps.kubernetes.io/pod-index': String(id) },
      ownerReferences: [controller('apps/v1', 'StatefulSet', setUid)],
    },
    spec: {
      terminationGracePeriodSeconds: 60,
      containers: [
        {
          name: 'marekvs',
          image: 'marekvs:test',
          env: [
            { name: 'MAREKVS_SEEDS', value: `${NAME}-headless.${NAMESPACE}.svc.cluster.local:7946` },
            { name: 'MAREKVS_ADVERTISE_IP', value: 'auto' },
            { name: 'MAREKVS_REPLICAS_N', value: '2' },
            { name: 'MAREKVS_DATA_DIR', value: '/data' },
          ],
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
          startupProbe: { ...probe('/ready'), failureThreshold: 180 },
          readinessProbe: probe('/ready'),
          livenessProbe: { ...probe('/alive'), periodSeconds: 5 },
          lifecycle: { preStop: probe('/drain') },
        },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${NAME}-${id}` } }],
    },
  };
}

function controller(apiVersion: string, kind: string, uid: string) {
  return { apiVersion, kind, name: NAME, uid, controller: true, blockOwnerDeletion: true };
}
