// A Node as the local kubelet registers it: large, ready, and with the labels that Pods select. Pure.

import { KUBELET_PORT } from './server/log-server.ts';

/** @param address where the host would answer, inside the testbed's range */
export function nodeManifest(name: string, address: string): object {
  const resources = { cpu: '64', memory: '256Gi', pods: '1000', 'ephemeral-storage': '1Ti' };
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': process.arch === 'x64' ? 'amd64' : process.arch,
        'topology.kubernetes.io/zone': 'testbed',
      },
    },
    spec: {},
    status: {
      capacity: resources,
      allocatable: resources,
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: KUBELET_PORT } },
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          message: 'the local kubelet is running',
          lastHeartbeatTime: now,
          lastTransitionTime: now,
        },
      ],
      nodeInfo: {
        machineID: name,
        systemUUID: name,
        bootID: name,
        kernelVersion: '',
        osImage: 'testbed',
        containerRuntimeVersion: 'testbed://1',
        kubeletVersion: 'v1.36.3',
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      },
    },
  };
}
