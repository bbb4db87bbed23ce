import { expect } from 'chai';
import { describe, it } from 'mocha';
import { renderHosts, resolveClusterName } from '../src/kubelet/network/cluster-dns.ts';
import { pod, service } from './builders.ts';

const headless = service('demo-headless');
const pods = [
  { pod: pod({ name: 'demo-1' }), ip: '127.9.0.2', isReady: false },
  { pod: pod({ name: 'demo-0' }), ip: '127.9.0.1', isReady: true },
  { pod: pod({ name: 'x', labels: { app: 'other' } }), ip: '127.9.0.3', isReady: true },
  { pod: pod({ name: 'demo-0', namespace: 'other' }), ip: '127.9.0.4', isReady: true },
];

describe('cluster DNS of the testbed', () => {
  for (const name of [
    'demo-headless',
    'demo-headless.default',
    'demo-headless.default.svc',
    'demo-headless.default.svc.cluster.local.',
  ]) {
    it(`resolves ${name} to the Pods of that Service and namespace`, () => {
      expect(resolveClusterName(name, 'default', [headless], pods)).to.deep.equal(['127.9.0.1', '127.9.0.2']);
    });
  }

  it('does not know a Service of another namespace by its short name', () => {
    expect(resolveClusterName('demo-headless', 'other', [headless], pods)).to.equal(undefined);
  });

  it('leaves Pods out that are not ready when the Service does not publish them', () => {
    expect(
      resolveClusterName('demo', 'default', [service('demo', { publishNotReadyAddresses: false })], pods),
    ).to.deep.equal(['127.9.0.1']);
  });

  it('resolves one Pod behind the Service that is its subdomain', () => {
    const named = {
      pod: pod({ name: 'demo-5', spec: { subdomain: 'demo-headless' } }),
      ip: '127.9.0.9',
      isReady: true,
    };
    expect(
      resolveClusterName('demo-5.demo-headless.default.svc', 'default', [headless], [...pods, named]),
    ).to.deep.equal(['127.9.0.9']);
  });

  it('writes one line per address with every form of the name', () => {
    expect(renderHosts([headless], pods)).to.equal(
      [
        '127.9.0.1 demo-headless.default.svc.cluster.local demo-headless.default.svc demo-headless.default',
        '127.9.0.2 demo-headless.default.svc.cluster.local demo-headless.default.svc demo-headless.default',
        '',
      ].join('\n'),
    );
  });
});
