// A Pod into which an injector has put a container of its own is read like one without it.

import type { Pod } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { memberFirst } from '../src/caches/member-first.ts';
import { toPodView } from '../src/caches/pod-view.ts';

const MEMBER = {
  name: 'marekvs',
  image: 'marekvs:1',
  env: [
    { name: 'MAREKVS_RESP_ADDR', value: '127.0.0.1:6379' },
    { name: 'MAREKVS_REPLICAS_N', value: '3' },
    { name: 'MAREKVS_REQUIREPASS', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
  ],
  resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '1Gi' } },
};
const PROXY = { name: 'istio-proxy', image: 'proxy:1', env: [{ name: 'MAREKVS_REPLICAS_N', value: '9' }] };
const statusOf = (name: string, restartCount: number) => ({ name, restartCount, ready: true, image: '', imageID: '' });

function pod(containers: readonly object[], containerStatuses: readonly object[]): Pod {
  const metadata = { namespace: 'default', name: 'demo-0', uid: 'u', resourceVersion: '5' };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers }, status: { containerStatuses } } as never;
}

describe('a Pod with a container that somebody has injected', () => {
  const alone = toPodView(pod([MEMBER], [statusOf('marekvs', 2)]));
  for (const [where, containers, statuses] of [
    ['before the member', [PROXY, MEMBER], [statusOf('istio-proxy', 7), statusOf('marekvs', 2)]],
    ['after the member', [MEMBER, PROXY], [statusOf('marekvs', 2), statusOf('istio-proxy', 7)]],
    [
      'after the member, and before it in the status',
      [MEMBER, PROXY],
      [statusOf('istio-proxy', 7), statusOf('marekvs', 2)],
    ],
  ] as const)
    it(`${where} is read as one without it`, () => {
      expect(toPodView(pod(containers, statuses))).to.deep.equal(alone);
      expect(alone).to.include({ isSealed: true, restartCount: 2, replicationFactor: 3 });
    });

  it('whose container has a name of another operator is read as it is', () => {
    const theirs = pod([{ ...MEMBER, name: 'server' }], [statusOf('server', 2)]);
    expect(memberFirst(theirs)).to.equal(theirs);
    expect(toPodView(theirs)).to.deep.equal(alone);
  });
});
