// The writer with a ledger, on which the verdicts of other journeys rest. A ledger that never complains would prove
// nothing, so it has to notice what is taken away behind its back.

import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { membersOf } from '../support/data.ts';
import { eventually } from '../support/eventually.ts';
import { startLedger } from '../support/ledger.ts';
import { patientStore } from '../support/patient-store.ts';
import { isPodReady } from '../support/seen.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'ledger';
const NAME = 'demo';
const IDS = [0, 1, 2];
const CLUSTER = { namespace: NS, name: NAME };

describe('a ledger', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after });

  before(async function () {
    this.timeout(90_000);
    const { kube } = world();
    await kube.createNamespace(NS);
    await kube.createCluster(NS, NAME, plainSpec(3));
    await kube.healthy(NS, NAME, 3);
  });

  it('keeps writing while a member is restarted, and finds every acknowledged write on every home', async () => {
    const { kube, watching } = world();
    const ledger = await startLedger(world(), CLUSTER);
    const old = await watching.pod(NS, 'demo-1', 'demo-1', () => true);
    await kube.core.deleteNamespacedPod({ namespace: NS, name: 'demo-1' });
    await watching.pod(
      NS,
      'demo-1',
      'demo-1 is back',
      (pod) => pod.metadata.uid !== old.metadata.uid && isPodReady(pod),
    );
    await kube.healthy(NS, NAME, 3);
    const atHealthy = ledger.acknowledged();
    await eventually('writes go on', () => ledger.acknowledged() > atHealthy);
    process.stdout.write(`      ${await ledger.stop()}\n`);
    await ledger.check(IDS);
    expect(ledger.acknowledged()).to.be.at.least(200);
  });

  it('names the write that was deleted behind its back, and the one that went back to an older value', async () => {
    const { testbed } = world();
    const ledger = await startLedger(world(), { ...CLUSTER, prefix: 'b-' });
    await ledger.stop();
    await ledger.check(IDS);
    const [host = ''] = membersOf(testbed.kubelet, NS, NAME).values();
    await using session = await patientStore.session({ host });
    await session.commands([
      ['DEL', 'b-once-0-1'],
      ['SET', 'b-hot-0-0-0', '0'],
    ]);
    // The other home gets it a moment later.
    const problem = await eventually('two writes are named as lost on both homes', async () => {
      const named = await ledger.check(IDS, 500).then(() => 'nothing', String);
      return (
        /^LostWritesError: 2 acknowledged writes are on no home, 4 of \d+ copies are missing or old: /.test(named) &&
        named
      );
    });
    expect(problem).to.match(/b-once-0-1@\d has nothing, 1 was acknowledged at \d\d:/);
    expect(problem).to.match(/b-hot-0-0-0@\d has 0, \d+ was acknowledged at \d\d:/);
  });
});
