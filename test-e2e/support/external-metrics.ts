// A metrics API with one figure, like an adapter of KEDA or Prometheus, for a HorizontalPodAutoscaler with a metric of
// type External. The API server passes its requests on to this process.

import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Testbed } from '@marekvs/testbed';

const GROUP_VERSION = 'external.metrics.k8s.io/v1beta1';
const GROUP_PATH = `/apis/${GROUP_VERSION}`;

export interface ExternalMetrics {
  /** Sets the figure that is served from now on. */
  set(value: number): void;
  /** How often somebody has asked for the figure. */
  asked(): number;
  close(): Promise<void>;
}

/** Serves `metric` in every namespace. @param namespace of the Service that the API server finds it by */
export async function startExternalMetrics(
  testbed: Testbed,
  namespace: string,
  metric: string,
): Promise<ExternalMetrics> {
  const certificates = join(testbed.controlPlane.dir, 'certs');
  const [cert, key] = await Promise.all(
    ['serving.crt', 'serving.key'].map((name) => readFile(join(certificates, name), 'utf8')),
  );
  const figure = { value: 0, asked: 0 };
  const ofMetric = new RegExp(`^${GROUP_PATH}/namespaces/[^/]+/${metric}$`);

  function answer(path: string, response: ServerResponse): void {
    if (path === GROUP_PATH) send(response, 200, resourceList());
    else if (ofMetric.test(path)) {
      figure.asked += 1;
      send(response, 200, valueList(metric, figure.value));
    } else send(response, 404, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 });
  }

  const server = createServer({ cert, key }, ({ url = '' }, response) => answer(url.split('?')[0] ?? '', response));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, 'localhost', resolve));
  await testbed.apply(manifests(namespace, (server.address() as AddressInfo).port));
  return {
    set: (value) => void Object.assign(figure, { value }),
    asked: () => figure.asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** By name, because an address of this machine is refused as an endpoint. */
function manifests(namespace: string, port: number) {
  const name = 'external-metrics';
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  };
  const apiService = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1beta1.external.metrics.k8s.io' },
    spec: {
      group: 'external.metrics.k8s.io',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      // The certificate is the API server's own, which does not have the name of this Service.
      insecureSkipTLSVerify: true,
      service: { name, namespace, port },
    },
  };
  return [service, apiService];
}

function resourceList(): object {
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: GROUP_VERSION, resources: [] };
}

function valueList(metricName: string, value: number): object {
  const item = { metricName, metricLabels: {}, timestamp: new Date().toISOString(), value: String(value) };
  return { kind: 'ExternalMetricValueList', apiVersion: GROUP_VERSION, metadata: {}, items: [item] };
}

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
