// Everything the local kubelet writes to the API server. One function per kind of write; no decisions.
import type { ApiRequest, Transport } from '@marekvs/runtime';
import type { Claim, Pod } from './objects.ts';

export interface KubeletApi {
  bind(pod: Pod, nodeName: string): Promise<void>;
  patchPodStatus(pod: Pod, status: object): Promise<void>;
  /** Removes the object at once, if it is still the Pod with this uid. */
  removePod(pod: Pod): Promise<void>;
  patchClaim(claim: Claim, patch: object): Promise<void>;
  patchClaimStatus(claim: Claim, status: object): Promise<void>;
  /** Decoded values of a Secret, values of a ConfigMap. @throws ApiError 404 */
  readKeys(kind: 'Secret' | 'ConfigMap', namespace: string, name: string): Promise<Readonly<Record<string, string>>>;
  createNode(name: string, node: object): Promise<void>;
  patchNode(name: string, patch: object): Promise<void>;
  patchNodeStatus(name: string, status: object): Promise<void>;
  removeNode(name: string): Promise<void>;
  createVolume(volume: object): Promise<void>;
  patchVolume(name: string, patch: object): Promise<void>;
}

const STRATEGIC = 'application/strategic-merge-patch+json';
const MERGE = 'application/merge-patch+json';

export function createKubeletApi(client: Pick<Transport, 'request'>): KubeletApi {
  const send = async (
    verb: ApiRequest['verb'],
    resource: string,
    path: string,
    body?: unknown,
    contentType?: string,
  ): Promise<void> => {
    await client.request<unknown>({ verb, resource, path, subject: path, body, contentType });
  };
  return {
    bind: (pod, nodeName) =>
      send('create', 'pods/binding', `${podPath(pod)}/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: pod.metadata.name, uid: pod.metadata.uid },
        target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
      }),
    patchPodStatus: (pod, status) =>
      send(
        'patch',
        'pods/status',
        `${podPath(pod)}/status`,
        { metadata: { uid: pod.metadata.uid }, status },
        STRATEGIC,
      ),
    removePod: (pod) =>
      send('delete', 'pods', podPath(pod), {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        gracePeriodSeconds: 0,
        preconditions: { uid: pod.metadata.uid },
      }),
    patchClaim: (claim, patch) => send('patch', 'persistentvolumeclaims', claimPath(claim), patch, MERGE),
    patchClaimStatus: (claim, status) =>
      send(
        'patch',
        'persistentvolumeclaims/status',
        `${claimPath(claim)}/status`,
        { metadata: { uid: claim.metadata.uid }, status },
        MERGE,
      ),
    async readKeys(kind, namespace, name) {
      const resource = kind === 'Secret' ? 'secrets' : 'configmaps';
      const path = `/api/v1/namespaces/${namespace}/${resource}/${name}`;
      const { data = {} } = await client.request<{ readonly data?: Readonly<Record<string, string>> }>({
        verb: 'get',
        resource,
        path,
        subject: `${resource} ${namespace}/${name}`,
      });
      if (kind === 'ConfigMap') return data;
      return Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
      );
    },
    createNode: (_name, node) => send('create', 'nodes', '/api/v1/nodes', node),
    patchNode: (name, patch) => send('patch', 'nodes', `/api/v1/nodes/${name}`, patch, MERGE),
    patchNodeStatus: (name, status) =>
      send('patch', 'nodes/status', `/api/v1/nodes/${name}/status`, { status }, STRATEGIC),
    createVolume: (volume) => send('create', 'persistentvolumes', '/api/v1/persistentvolumes', volume),
    patchVolume: (name, patch) => send('patch', 'persistentvolumes', `/api/v1/persistentvolumes/${name}`, patch, MERGE),
    removeNode: (name) => send('delete', 'nodes', `/api/v1/nodes/${name}`),
  };
}

function podPath(pod: Pod): string {
  return `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`;
}

function claimPath(claim: Claim): string {
  return `/api/v1/namespaces/${claim.metadata.namespace}/persistentvolumeclaims/${claim.metadata.name}`;
}
