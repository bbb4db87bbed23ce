// A cluster that the existing operator runs, on the API server in memory; a test changes one thing.

import type { MarekvsCluster, MarekvsClusterStatus } from '@marekvs/api';
import { MemoryApiServer, seededRandom } from '@marekvs/simulator';
import { CLUSTERS, put, REF } from './fake-server.ts';
import { cluster, NOW_MS } from './objects.ts';

export const SETS = 'statefulsets.apps';
const COUNT = 3;

export interface SetChange {
  readonly spec?: Partial<MarekvsCluster['spec']>;
  readonly status?: MarekvsClusterStatus | undefined;
  readonly nodes?: number;
  readonly ownerUid?: string;
  readonly replicas?: number;
  readonly claimTemplate?: string;
  readonly retention?: string;
  readonly isRolling?: boolean;
  readonly image?: string;
  readonly mountPath?: string;
  /** Undefined: not set. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly password?: object;
  readonly notReady?: number;
  readonly withoutClaim?: number;
  readonly strangersService?: boolean;
}

export function serverWithSet(change: SetChange = {}): MemoryApiServer {
  const server = new MemoryApiServer({ nowMs: () => NOW_MS - 3_600_000, random: seededRandom(1) });
  server.create('namespaces', { metadata: { name: REF.namespace } });
  const spec = { nodes: change.nodes ?? COUNT, ...change.spec };
  const { uid } = put(server, CLUSTERS, cluster({ spec, status: change.status })).metadata;
  const owned = controller('MarekvsCluster', change.ownerUid ?? uid);
  const replicas = change.replicas ?? COUNT;
  const set = server.create(SETS, {
    metadata: { ...REF, ownerReferences: [owned] },
    spec: {
      replicas,
      volumeClaimTemplates: [{ metadata: { name: change.claimTemplate ?? 'data' } }],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: change.retention ?? 'Retain' },
    },
  });
  const status = {
    observedGeneration: 1,
    readyReplicas: change.notReady === undefined ? COUNT : replicas,
    currentRevision: 'a',
    updateRevision: change.isRolling === true ? 'b' : 'a',
  };
  server.patch(SETS, REF, { status }, 'status');
  const service = controller('MarekvsCluster', change.strangersService === true ? 'other' : uid);
  server.create('services', { metadata: { ...REF, ownerReferences: [service] }, spec: {} });
  for (let id = 0; id < COUNT; id += 1) putMember(server, id, set.metadata.uid, change);
  return server;
}

function putMember(server: MemoryApiServer, id: number, setUid: string, change: SetChange): void {
  const namespace = REF.namespace;
  if (change.withoutClaim !== id) {
    const claim = { namespace, name: `data-demo-${id}` };
    server.create('persistentvolumeclaims', { metadata: claim, spec: {} });
    server.patch('persistentvolumeclaims', claim, { status: { phase: 'Bound' } }, 'status');
  }
  const env = { MAREKVS_REPLICAS_N: '2', MAREKVS_DATA_DIR: '/data', MAREKVS_GC_GRACE_SECS: '604800', ...change.env };
  const ref = { namespace, name: `demo-${id}` };
  server.create('pods', {
    metadata: { ...ref, ownerReferences: [controller('StatefulSet', setUid)] },
    spec: {
      containers: [
        {
          name: 'marekvs',
          image: change.image ?? cluster().spec.image,
          env: [
            { name: 'MAREKVS_ADVERTISE_IP', value: 'auto' },
            ...Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }])),
            ...(change.password === undefined ? [] : [{ name: 'MAREKVS_REQUIREPASS', valueFrom: change.password }]),
          ],
          volumeMounts: [{ name: 'data', mountPath: change.mountPath ?? '/data' }],
        },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-demo-${id}` } }],
    },
  });
  const isReady = change.notReady === id ? 'False' : 'True';
  server.patch(
    'pods',
    ref,
    { status: { phase: 'Running', conditions: [{ type: 'Ready', status: isReady }] } },
    'status',
  );
}

function controller(kind: string, uid: string) {
  return { apiVersion: 'x/v1', kind, name: REF.name, uid, controller: true };
}
