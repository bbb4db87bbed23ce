// config/components/network-policy against what the operator listens on and connects to. Whether a network enforces it
// is not tested here.

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LABELS, MEMBER_PORTS, nodeLabels } from '@marekvs/api';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { before, describe, it } from 'mocha';

const CONFIG = resolve(import.meta.dirname, '../../../config');

const read = async (file: string): Promise<unknown> => load(await readFile(join(CONFIG, file), 'utf8'));

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly {
          readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
        }[];
      };
    };
  };
}

interface NetworkPolicy {
  readonly spec: {
    readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly ingress: readonly NetworkRule[];
    readonly egress: readonly NetworkRule[];
  };
}

interface NetworkRule {
  readonly to?: readonly unknown[];
  readonly from?: readonly unknown[];
  readonly ports: readonly { readonly port: number; readonly protocol: string }[];
}

describe("the operator's own NetworkPolicy", () => {
  const portsOf = (rules: readonly NetworkRule[]) =>
    rules.map(({ ports }) => ports.map(({ port, protocol }) => `${port}/${protocol}`));
  let policy: NetworkPolicy;
  let pod: {
    readonly labels: Readonly<Record<string, string>>;
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  };
  before(async () => {
    policy = (await read('components/network-policy/operator.yaml')) as NetworkPolicy;
    const { template } = ((await read('base/manager/deployment.yaml')) as Deployment).spec;
    pod = { labels: template.metadata.labels, ports: template.spec.containers.flatMap(({ ports }) => ports) };
  });

  it('is about the Pods of the Deployment', () => {
    expect(pod.labels).to.include(policy.spec.podSelector.matchLabels);
  });

  it('admits scrapers to the metrics, and every client to the health probes, since a kubelet has no labels', () => {
    const of = (name: string) => `${pod.ports.find((port) => port.name === name)?.containerPort}/TCP`;
    expect(portsOf(policy.spec.ingress)).to.deep.equal([[of('metrics')], [of('health')]]);
    const [metrics, health] = policy.spec.ingress;
    expect(metrics?.from).to.deep.equal([
      { podSelector: {} },
      { namespaceSelector: { matchLabels: { 'marekvs.io/scrapers': 'allowed' } } },
    ]);
    expect(health?.from).to.equal(undefined);
  });

  it('allows connections to members in every namespace on the three ports that the operator uses', () => {
    const members = policy.spec.egress.at(-1);
    expect(members?.to).to.deep.equal([
      { namespaceSelector: {}, podSelector: { matchLabels: { [LABELS.name]: nodeLabels('c', 'u', 0)[LABELS.name] } } },
    ]);
    expect(portsOf(policy.spec.egress).at(-1)).to.deep.equal([
      `${MEMBER_PORTS.resp}/TCP`,
      `${MEMBER_PORTS.mesh}/TCP`,
      `${MEMBER_PORTS.metrics}/TCP`,
    ]);
  });

  it('allows connections to the API server and to DNS, and to nothing else', () => {
    expect(portsOf(policy.spec.egress).slice(0, -1)).to.deep.equal([
      ['443/TCP', '6443/TCP'],
      ['53/UDP', '53/TCP'],
    ]);
  });
});
