// Hosts that an autoscaler taints without cordoning them, with an operator that was told which taints mean a drain:
// their members leave ahead of every eviction, with the shipped permissions.

import type { MarekvsCluster } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type Keys, writeKeys } from '../support/data.ts';
import { isReadyElsewhere, type PodSeen } from '../support/seen.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'tainted';
const TAINT = 'karpenter.sh/disrupted';
const IDS = [0, 1, 2];
const LIMIT_MS = 120_000;

describe('a host with a taint that means a drain', function () {
  this.timeout(2 * LIMIT_MS);
  const operator = { extraArgs: [`--drain-taints=ToBeDeletedByClusterAutoscaler,${TAINT}`] };
  const world = withWorld({ before, after }, { nodeCount: 5, operator });
  let kept: Keys;
  const hostOf = (id: number): string => world().testbed.kubelet.pod(`${NS}/demo-${id}`)?.nodeName ?? '';

  before(async function () {
    this.timeout(LIMIT_MS);
    const { kube, testbed } = world();
    await kube.createNamespace(NS);
    await kube.createCluster(NS, 'demo', plainSpec(IDS.length));
    await kube.healthy(NS, 'demo', IDS.length, LIMIT_MS);
    for (const id of IDS) await testbed.kubelet.tieVolume(NS, `data-demo-${id}`, undefined);
    kept = await writeKeys(testbed.kubelet, { namespace: NS, name: 'demo', ids: IDS }, 'kept');
  });

  it('has its member moved to another host by the operator, with every key', async () => {
    const { kubectl, watching } = world();
    const host = hostOf(1);
    // PreferNoSchedule is no drain, so only the other taint may have an effect.
    await kubectl('taint', 'node', hostOf(0), `${TAINT}:PreferNoSchedule`);
    await kubectl('taint', 'node', host, `${TAINT}:NoSchedule`);
    const hasLeft = (seen: PodSeen) => isReadyElsewhere(seen, host);
    await watching.pod(NS, 'demo-1', 'demo-1 is on another host', hasLeft, LIMIT_MS);
    const isOver = ({ status }: MarekvsCluster) => status?.lastOperation?.roll?.name === 'demo-1';
    const { status } = await watching.cluster(NS, 'demo', 'its move is over', isOver, LIMIT_MS);
    expect(status?.lastOperation).to.include({ outcome: 'Succeeded', reason: 'MovedOff' });
    expect(status?.lastOperation?.roll).to.include({ leaves: host });
    await kept.areOnHomes(IDS);
  });
});
