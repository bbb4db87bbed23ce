// The command line of the operator, and its environment variables.

import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { parseOptions } from '../src/index.ts';
import { ordinalOf, taintKeys, wrongNamespaces, wrongShare } from '../src/process/options.ts';

const ENVIRONMENT = ['MAREKVS_OPERATOR_LEASE_DURATION', 'MAREKVS_OPERATOR_WATCH_NAMESPACES', 'POD_NAMESPACE'] as const;

describe('the options of the operator', () => {
  const before = new Map(ENVIRONMENT.map((name) => [name, process.env[name]]));
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it('have a default each, except kubeconfig and context', () => {
    for (const name of ENVIRONMENT) delete process.env[name];
    const options = parseOptions([]);
    expect(options).to.deep.equal({
      namespace: 'marekvs-system',
      watchNamespaces: [],
      drainTaints: [],
      metricsBindAddress: ':8080',
      healthProbeBindAddress: ':8081',
      leaseDuration: 15_000,
      renewInterval: 4_000,
      stepTimeout: 30_000,
      maxConcurrentReconciles: 16,
      logFormat: 'json',
      logLevel: 'info',
      mode: 'single',
      podName: 'marekvs-operator',
      podUid: '',
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

  it('accept namespaces separated by commas, without empty ones', () => {
    expect(parseOptions(['--watch-namespaces', 'a,b,']).watchNamespaces).to.deep.equal(['a', 'b']);
  });

  it('accept taints by their keys, none by default, and refuse an invalid key', () => {
    expect(parseOptions([]).drainTaints).to.deep.equal([]);
    expect(
      parseOptions(['--drain-taints', 'karpenter.sh/disrupted,ToBeDeletedByClusterAutoscaler,']).drainTaints,
    ).to.deep.equal(['karpenter.sh/disrupted', 'ToBeDeletedByClusterAutoscaler']);
    expect(() => taintKeys('a b')).to.throw('a b is not the key of a taint');
    expect(() => taintKeys('karpenter.sh/disrupted=true')).to.throw('is not the key of a taint');
  });

  it('take the number of a replica from the name that a StatefulSet gave it, unless it is set', () => {
    expect(ordinalOf({ podName: 'marekvs-operator-2' })).to.equal(2);
    expect(ordinalOf({ podName: 'marekvs-operator-2', ordinal: 1 })).to.equal(1);
    expect(ordinalOf({ podName: 'marekvs-operator-7c9f-x2x4z' })).to.equal(undefined);
  });

  const shares: readonly (readonly [string, Parameters<typeof wrongShare>[0], string | undefined])[] = [
    ['single, whatever else is said', { mode: 'single', podName: 'a-99', replicas: 1 }, undefined],
    ['ring, by the name of the Pod', { mode: 'ring', podName: 'operator-15' }, undefined],
    ['the last of three', { mode: 'static', podName: 'operator-2', replicas: 3 }, undefined],
    [
      'a Pod of a Deployment',
      { mode: 'ring', podName: 'operator-abc' },
      '--mode=ring needs --ordinal, or a Pod of a StatefulSet',
    ],
    ['a seventeenth', { mode: 'ring', podName: 'operator-16' }, '--ordinal 16: at most 16 replicas share'],
    ['static without a count', { mode: 'static', podName: 'operator-0' }, '--mode=static needs --replicas'],
    [
      'a count that was lowered while the replica lives',
      { mode: 'static', podName: 'operator-3', replicas: 3 },
      '--ordinal 3: with --replicas 3 the highest is 2',
    ],
  ];
  for (const [title, given, wrong] of shares)
    it(`${wrong === undefined ? 'accept' : 'refuse, with what is missing,'} ${title}`, () => {
      expect(wrongShare(given)).to.equal(wrong);
    });

  it('accept the namespaces or the name of their ConfigMap, and not both', () => {
    expect(parseOptions(['--namespaces-from', 'which']).namespacesFrom).to.equal('which');
    expect(wrongNamespaces({ watchNamespaces: ['a'], namespacesFrom: 'which' })).to.match(/exclude each other/);
    expect(wrongNamespaces({ watchNamespaces: ['a'] })).to.equal(undefined);
    expect(wrongNamespaces({ watchNamespaces: [], namespacesFrom: 'which' })).to.equal(undefined);
  });

  it('may be set as environment variables, and the command line takes precedence', () => {
    process.env.MAREKVS_OPERATOR_LEASE_DURATION = '20s';
    process.env.POD_NAMESPACE = 'elsewhere';
    expect(parseOptions([])).to.deep.include({ leaseDuration: 20_000, namespace: 'elsewhere' });
    expect(parseOptions(['--lease-duration', '30s']).leaseDuration).to.equal(30_000);
  });
});
