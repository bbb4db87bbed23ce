// What one cluster costs the API server until it is Healthy, again for a lost Pod, and after an outage of the server
// itself: the same measurements as `npm run bench:api`, held to their limits. What it costs afterwards: quiet.test.ts.
// Runs alone: members that start late because something else has the CPU take up to a minute longer to form
// (docs/design/server.md#forming).

import { setTimeout as delay } from 'node:timers/promises';
import { CoordinationV1Api } from '@kubernetes/client-node';
import { OPERATOR_NAMESPACE } from '@marekvs/api';
import { withTestbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { measureForming, measurePodLoss, type World } from '../bench/single-cluster.ts';
import { eventually } from '../support/eventually.ts';
import { createKube, type Kube } from '../support/kube.ts';
import { expectWithinLimits } from '../support/limits.ts';
import { settle } from '../support/settled.ts';

const DEAD_FOR_MS = 2_500;
/** Longer than any machine takes to start an API server: what an outage costs is asked, not how long one may last. */
const LONG_LEASE = { extraArgs: ['--lease-duration=60s'] };
/** Not one list per kind even: watches go on where they were. */
const MOST_REQUESTS_AFTER_OUTAGE = 6;
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

describe('the API budget of one cluster with real-timer members', function () {
  this.timeout(240_000);
  const testbed = withTestbed({ before, after }, { runner: 'process', operator: LONG_LEASE });
  const world = (): World => ({ testbed: testbed(), kube: createKube(testbed().kubeconfigs.admin) });

  it('forms the sample within 31 writes, 45 requests and 15 s of its Pods, and says Healthy only when every member is ready', async () => {
    const forming = await measureForming(world(), 'idle');
    console.log(forming.writes);
    expect(forming.isHealthyTooEarly).to.equal(false);
    expectWithinLimits(forming.figures);
  });

  it('brings a deleted Pod back on the same volume', async () => {
    expectWithinLimits(await measurePodLoss(world(), 'idle'));
  });

  it('an API server that dies for some seconds costs neither the lease nor a write (F1)', async () => {
    const { testbed, kube } = world();
    await settle(kube, 'idle');
    const audit = await testbed.auditReader();
    const { pid } = testbed.operator;
    const leaseBefore = await readLease(kube);
    const logged = (await testbed.operator.logs()).length;
    const killedMs = performance.now();
    testbed.controlPlane.signalApiServer('SIGKILL');
    await eventually('the operator has noticed', async () =>
      (await testbed.operator.logs()).slice(logged).includes('API server does not answer'),
    );
    // Not a wait for something: the length of the fault. A server's start takes another 3 s.
    await delay(Math.max(0, killedMs + DEAD_FOR_MS - performance.now()));
    const startedMs = Date.now();
    await testbed.controlPlane.restartApiServer();
    console.log(`      API server away for ${((performance.now() - killedMs) / 1000).toFixed(1)} s`);
    await kube.patchCluster('idle', 'demo', { spec: { removal: { deadlineSeconds: 3601 } } });
    await kube.healthy('idle', 'demo', 3);
    expect(testbed.operator.exit()).to.equal(undefined);
    expect(testbed.operator.pid).to.equal(pid);
    const lease = await readLease(kube);
    expect([lease.spec?.holderIdentity, lease.spec?.leaseTransitions]).to.deep.equal([
      leaseBefore.spec?.holderIdentity,
      leaseBefore.spec?.leaseTransitions,
    ]);
    const { requests, withoutWatchesAndLeases } = await audit.read();
    // A write whose answer the server took with it when it died is in the log as well.
    const sinceStart = requests.filter(({ receivedAtMs, code }) => receivedAtMs >= startedMs && code < 300);
    const writes = sinceStart.filter(({ verb, resource }) => WRITES.has(verb) && resource !== 'leases');
    // The one write we asked for is the status that has seen the new generation; a figure that moves may bring one
    // more.
    const made = writes.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
    expect([...new Set(made)], made.join('; ')).to.deep.equal(['update marekvsclusters/status demo']);
    expect(made, made.join('; ')).to.have.length.within(1, 2);
    console.log(`      requests afterwards, without watches and leases: ${withoutWatchesAndLeases}`);
    expect(withoutWatchesAndLeases).to.be.at.most(MOST_REQUESTS_AFTER_OUTAGE);
  });
});

function readLease({ config }: Kube) {
  const leases = config.makeApiClient(CoordinationV1Api);
  return leases.readNamespacedLease({ namespace: OPERATOR_NAMESPACE, name: 'marekvs-operator' });
}
