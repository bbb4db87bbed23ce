// The ends of a host that tests ask for: it is gone with its object, or off and seen to be off.
import type { KubeletApi } from './objects/kubelet-api.ts';
import type { Workers } from './workers.ts';

/** The Node object is deleted, its members die, its Pods stay as they were and nobody reports on them. */
export async function vanishHost(nodeName: string, workers: Workers, api: KubeletApi): Promise<void> {
  for (const worker of workers.on(nodeName)) worker.lose();
  await api.removeNode(nodeName);
}

/** The machine is off, and the control plane has noticed: its Node and its Pods are not ready. */
export async function failHost(nodeName: string, workers: Workers, api: KubeletApi): Promise<void> {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const isNotReady = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionTime };
  const lost = workers.on(nodeName);
  for (const worker of lost) worker.lose();
  await api.patchNodeStatus(nodeName, { conditions: [isNotReady] });
  await api.patchNode(nodeName, {
    spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }] },
  });
  const isPodNotReady = { type: 'Ready', status: 'False', lastTransitionTime };
  await Promise.all(lost.map(({ pod }) => api.patchPodStatus(pod, { conditions: [isPodNotReady] })));
}
