// What it costs to watch all hosts, as --drain-taints does: nothing at rest, however often hosts report. Not alone:
// requests are counted in this testbed's own audit log.
// Runs first: it watches for a minute that nothing happens.
// Own API server: no other journey has made it busy.

import { withTestbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { measureQuiet } from '../bench/single-cluster.ts';
import { createKube } from '../support/kube.ts';
import { createKubectl } from '../support/kubectl.ts';
import { expectWithinLimits } from '../support/limits.ts';
import { createPatching } from '../support/patching.ts';
import { isReadyElsewhere, type PodSeen } from '../support/seen.ts';
import { settle } from '../support/settled.ts';
import { sampleSpec } from '../support/specs.ts';
import { createWatching } from '../support/watching.ts';

const QUIET_SECONDS = 60;
const TAINT = 'karpenter.sh/disrupted';
const NAMESPACES = ['idle', 'busy'];
const LIMIT_MS = 120_000;

describe('an operator that watches the taints of all hosts', function () {
  this.timeout(4 * LIMIT_MS);
  const operator = { extraArgs: [`--drain-taints=${TAINT}`] };
  const testbed = withTestbed({ before, after }, { runner: 'hosted', nodeCount: 4, operator });
  const kube = () => createKube(testbed().kubeconfigs.admin);
  const hostOf = (key: string): string => testbed().kubelet.pod(key)?.nodeName ?? '';

  before(async function () {
    this.timeout(LIMIT_MS);
    for (const namespace of NAMESPACES) {
      await kube().createNamespace(namespace);
      await kube().createCluster(namespace, 'demo', sampleSpec());
    }
    for (const namespace of NAMESPACES) {
      await kube().healthy(namespace, 'demo', 3);
      await settle(kube(), namespace);
      for (const id of [0, 1, 2]) await testbed().kubelet.tieVolume(namespace, `data-demo-${id}`, undefined);
    }
  });

  /** Changes the objects without a change of the hosts, as kubelets and clouds do all day. */
  async function report(rounds: number): Promise<number> {
    const { items } = await kube().core.listNode();
    const patching = createPatching(kube().core);
    for (let round = 0; round < rounds; round += 1) {
      const body = { metadata: { annotations: { 'example.com/reported': String(round) } } };
      for (const { metadata } of items) await patching.host(metadata?.name ?? '', body);
    }
    return rounds * items.length;
  }

  it(`asks nothing of the API server for an idle cluster in ${QUIET_SECONDS} s, while all hosts report`, async () => {
    const reported = async (): Promise<void> => {
      expect(await report(5)).to.be.above(15);
    };
    expectWithinLimits(
      await measureQuiet({ testbed: testbed(), kube: kube() }, 'idle', 'busy', QUIET_SECONDS, reported),
    );
  });

  it('still notices a taint after that, and moves the member off', async () => {
    const host = hostOf('idle/demo-1');
    await createKubectl(testbed())('taint', 'node', host, `${TAINT}:NoSchedule`);
    const hasLeft = (seen: PodSeen) => isReadyElsewhere(seen, host);
    const watching = createWatching(kube().config);
    await watching.pod('idle', 'demo-1', 'demo-1 is on another host', hasLeft, LIMIT_MS);
  });
});
