// config/components/monitoring compared with what it needs: the Service, the Pods and the network policy.

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nodeLabels } from '@marekvs/api';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { describe, it } from 'mocha';

const CONFIG = resolve(import.meta.dirname, '../../../config');

interface Monitor {
  readonly kind: string;
  readonly metadata: { readonly namespace: string };
  readonly spec: {
    readonly namespaceSelector?: { readonly any?: boolean };
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly endpoints?: readonly { readonly port: string; readonly honorLabels?: boolean }[];
    readonly podMetricsEndpoints?: readonly { readonly port: string }[];
  };
}

interface Service {
  readonly metadata: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly ports: readonly { readonly name: string }[] };
}

const read = (path: string): unknown => load(readFileSync(join(CONFIG, path), 'utf8'));

describe('config/components/monitoring', () => {
  it('scrapes the Service of the operator, in its namespace and by one of its ports', () => {
    const { kind, metadata, spec } = read('components/monitoring/service-monitor.yaml') as Monitor;
    const service = read('base/manager/metrics-service.yaml') as Service;
    expect(kind).to.equal('ServiceMonitor');
    expect(metadata.namespace).to.equal(service.metadata.namespace);
    expect(service.metadata.labels).to.include(spec.selector.matchLabels);
    const [endpoint] = spec.endpoints ?? [];
    expect(service.spec.ports.map(({ name }) => name)).to.include(endpoint?.port);
  });

  it('keeps the namespace of the cluster in figures, instead of that of the operator', () => {
    const { spec } = read('components/monitoring/service-monitor.yaml') as Monitor;
    expect(spec.endpoints?.map(({ honorLabels }) => honorLabels)).to.deep.equal([true]);
  });

  it('scrapes the Pod of every member by its labels', () => {
    const { kind, spec } = read('components/monitoring/pod-monitor.yaml') as Monitor;
    expect(kind).to.equal('PodMonitor');
    expect(spec.namespaceSelector?.any).to.equal(true);
    expect(nodeLabels('demo', 'uid', 0)).to.include(spec.selector.matchLabels);
    expect(spec.podMetricsEndpoints?.map(({ port }) => port)).to.deep.equal(['metrics']);
  });

  it('applies every manifest in its folder', () => {
    const { resources } = read('components/monitoring/kustomization.yaml') as { readonly resources: readonly string[] };
    const manifests = readdirSync(join(CONFIG, 'components/monitoring')).filter(
      (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
    );
    expect([...resources].sort()).to.deep.equal(manifests.sort());
  });

  it('names no host, because links are paths to which an overlay adds a base', () => {
    for (const name of readdirSync(join(CONFIG, 'components/monitoring')))
      expect(readFileSync(join(CONFIG, 'components/monitoring', name), 'utf8'), name).to.not.match(/https?:\/\//);
  });
});
