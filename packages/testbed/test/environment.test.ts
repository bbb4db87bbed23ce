import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type EnvContext, referencesOf, resolveEnv } from '../src/kubelet/containers/container-env.ts';
import type { Container } from '../src/kubelet/objects/objects.ts';
import { toHostEnv } from '../src/kubelet/runners/host-env.ts';
import { pod } from './builders.ts';

const context: EnvContext = { podIp: '127.9.0.1', nodeName: 'host-0', hostIp: '127.9.254.1', lookup: () => undefined };

function envOf(env: Container['env'], change: Partial<EnvContext> = {}): Record<string, string> | string {
  const container: Container = { name: 'marekvs', ...(env === undefined ? {} : { env }) };
  const outcome = resolveEnv(pod({ name: 'demo-3', uid: 'u3' }), container, { ...context, ...change });
  return outcome.kind === 'env' ? outcome.env : outcome.message;
}

describe('environment of a container', () => {
  it('has the fields of the Pod to which it refers', () => {
    const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
    expect(
      envOf([
        field('IP', 'status.podIP'),
        field('NAME', 'metadata.name'),
        field('NS', 'metadata.namespace'),
        field('UID', 'metadata.uid'),
        field('HOST', 'spec.nodeName'),
        field('LABEL', "metadata.labels['app']"),
      ]),
    ).to.deep.equal({
      HOSTNAME: 'demo-3',
      IP: '127.9.0.1',
      NAME: 'demo-3',
      NS: 'default',
      UID: 'u3',
      HOST: 'host-0',
      LABEL: 'demo',
    });
  });

  it('expands variables defined before, keeps references to unknown ones, and unescapes $$', () => {
    expect(
      envOf([
        { name: 'A', value: '1' },
        { name: 'B', value: '$(A)-$(NONE)-$$(A)' },
        { name: 'C', value: '$(B)' },
      ]),
    ).to.include({ B: '1-$(NONE)-$(A)', C: '1-$(NONE)-$(A)' });
  });

  it('has the value of a key of a Secret', () => {
    const secretKeyRef = { name: 'auth', key: 'password' };
    const lookup: EnvContext['lookup'] = (kind, name) =>
      kind === 'Secret' && name === 'auth' ? { password: 'x' } : undefined;
    expect(envOf([{ name: 'P', valueFrom: { secretKeyRef } }], { lookup })).to.include({ P: 'x' });
  });

  it('is refused with the name of a missing Secret, or of a missing key', () => {
    const ref = (key: string) => [{ name: 'P', valueFrom: { secretKeyRef: { name: 'auth', key } } }];
    expect(envOf(ref('password'))).to.equal('secret "auth" not found');
    expect(envOf(ref('other'), { lookup: () => ({ password: 'x' }) })).to.equal(
      "couldn't find key other in Secret default/auth",
    );
  });

  it('leaves an optional reference out', () => {
    const configMapKeyRef = { name: 'none', key: 'k', optional: true };
    expect(envOf([{ name: 'P', valueFrom: { configMapKeyRef } }])).to.deep.equal({ HOSTNAME: 'demo-3' });
  });

  it('asks for each Secret and ConfigMap once', () => {
    const secretKeyRef = { name: 'auth', key: 'a' };
    const container: Container = {
      name: 'c',
      env: [
        { name: 'A', valueFrom: { secretKeyRef } },
        { name: 'B', valueFrom: { secretKeyRef } },
      ],
      envFrom: [{ configMapRef: { name: 'settings' } }],
    };
    expect(referencesOf(container)).to.deep.equal([
      { kind: 'ConfigMap', name: 'settings' },
      { kind: 'Secret', name: 'auth' },
    ]);
  });
});

describe('environment on this host', () => {
  const view = {
    podIp: '127.9.0.1',
    loopbackIp: '127.9.127.1',
    mounts: [
      { mountPath: '/data', hostPath: '/tmp/v' },
      { mountPath: '/data/log', hostPath: '/tmp/l' },
    ],
    resolveName: (name: string) => (name === 'demo-headless.default.svc' ? ['127.9.0.1', '127.9.0.2'] : undefined),
  };
  const convert = (env: Record<string, string>, resolveSeeds = true): Record<string, string> =>
    toHostEnv(env, view, { resolveSeeds });

  it('has folders where the container has mount paths, by whole segments and the longest first', () => {
    expect(convert({ A: '/data/x', B: '/data', C: '/database', D: '/data/log/y' })).to.include({
      A: '/tmp/v/x',
      B: '/tmp/v',
      C: '/database',
      D: '/tmp/l/y',
    });
  });

  it('binds every listener to the address of the Pod, even those that are not set', () => {
    expect(
      convert({ MAREKVS_RESP_ADDR: '0.0.0.0:6000', MAREKVS_MESH_ADDR: ':7000', MAREKVS_GOSSIP_ADDR: '[::]:8000' }),
    ).to.include({
      MAREKVS_RESP_ADDR: '127.9.0.1:6000',
      MAREKVS_MESH_ADDR: '127.9.0.1:7000',
      MAREKVS_GOSSIP_ADDR: '127.9.0.1:8000',
      MAREKVS_METRICS_ADDR: '127.9.0.1:9121',
    });
  });

  it('has the loopback of its Pod, which no other Pod shares, where a listener is on loopback', () => {
    expect(convert({ MAREKVS_RESP_ADDR: '127.0.0.1:6379', MAREKVS_ADVERTISE_IP: '127.9.0.1' })).to.include({
      MAREKVS_RESP_ADDR: '127.9.127.1:6379',
      MAREKVS_METRICS_ADDR: '127.9.0.1:9121',
      MAREKVS_ADVERTISE_IP: '127.9.0.1',
    });
  });

  it('replaces headless names in the seeds by addresses without repeating one', () => {
    expect(convert({ MAREKVS_SEEDS: 'demo-headless.default.svc:7946, 127.9.0.2:7946,other:1' }).MAREKVS_SEEDS).to.equal(
      '127.9.0.1:7946,127.9.0.2:7946,other:1',
    );
  });

  it('keeps names in the seeds for a member that has a hosts file', () => {
    expect(convert({ MAREKVS_SEEDS: 'demo-headless.default.svc:7946' }, false).MAREKVS_SEEDS).to.equal(
      'demo-headless.default.svc:7946',
    );
  });
});
