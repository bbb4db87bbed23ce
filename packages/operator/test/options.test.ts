// The command line of the operator, and its environment variables.

import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { parseOptions } from '../src/index.ts';
import { taintKeys, wrongNamespaces } from '../src/options.ts';

const ENVIRONMENT = ['MAREKVS_OPERATOR_LEASE_DURATION', 'MAREKVS_OPERATOR_WATCH_NAMESPACES', 'POD_NAMESPACE'] as const;

describe('the options', () => {
  const before = new Map(ENVIRONMENT.map((name) => [name, process.env[name]]));
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it('have a default each, but for kubeconfig and context', () => {
    for (const name of ENVIRONMENT) delete process.env[name];
    const options = parseOptions([]);
    expect(options).to.deep.include({
      namespace: 'marekvs-system',
      watchNamespaces: [],
      metricsBindAddress: ':8080',
      healthProbeBindAddress: ':8081',
      renewInterval: 4_000,
      stepTimeout: 30_000,
      maxConcurrentReconciles: 16,
      logFormat: 'json',
      logLevel: 'info',
    });
  });

  const times = [
    ['500ms', 500],
    ['15s', 15_000],
    ['2m', 120_000],
  ] as const;
  for (const [text, ms] of times) {
    it(`read ${text} as ${ms} ms`, () => {
      expect(parseOptions(['--lease-duration', text]).leaseDuration).to.equal(ms);
    });
  }

  it('take namespaces separated by commas, empty ones left out', () => {
    expect(parseOptions(['--watch-namespaces', 'a,b,']).watchNamespaces).to.deep.equal(['a', 'b']);
  });

  it('take taints by their keys, none by default, and refuse what cannot be one', () => {
    expect(parseOptions([]).drainTaints).to.deep.equal([]);
    expect(
      parseOptions(['--drain-taints', 'karpenter.sh/disrupted,ToBeDeletedByClusterAutoscaler,']).drainTaints,
    ).to.deep.equal(['karpenter.sh/disrupted', 'ToBeDeletedByClusterAutoscaler']);
    expect(() => taintKeys('a b')).to.throw('a b is not the key of a taint');
    expect(() => taintKeys('karpenter.sh/disrupted=true')).to.throw('is not the key of a taint');
  });

  it('name the namespaces or the ConfigMap that does, and not both', () => {
    expect(parseOptions(['--namespaces-from', 'which']).namespacesFrom).to.equal('which');
    expect(wrongNamespaces({ watchNamespaces: ['a'], namespacesFrom: 'which' })).to.match(/exclude each other/);
    expect(wrongNamespaces({ watchNamespaces: ['a'] })).to.equal(undefined);
    expect(wrongNamespaces({ watchNamespaces: [], namespacesFrom: 'which' })).to.equal(undefined);
  });

  it('can be given as environment variables, and the command line wins', () => {
    process.env.MAREKVS_OPERATOR_LEASE_DURATION = '20s';
    process.env.POD_NAMESPACE = 'elsewhere';
    expect(parseOptions([])).to.deep.include({ leaseDuration: 20_000, namespace: 'elsewhere' });
    expect(parseOptions(['--lease-duration', '30s']).leaseDuration).to.equal(30_000);
  });
});
