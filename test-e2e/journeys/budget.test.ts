// What one cluster costs the API server until it is Healthy, when a Pod is lost, and after an outage of the server: the
// same measurements as `npm run bench:api`, held to their limits. What it costs at rest: quiet.test.ts.
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
/** Longer than any machine takes to start an API server: this is about the cost of an outage, not about its length. */
const LONG_LEASE = { extraArgs: ['--lease-duration=60s'] };
/** Fewer than one list per kind, since watches continue from where they were. */
const MOST_REQUESTS_AFTER_OUTAGE = 6;
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

describe('one cluster with real-timer members', function () {
  this.timeout(240_000);
  const testbed = withTestbed({ before, after }, { runner: 'process', operator: LONG_LEASE });
  const world = (): World => ({ testbed: testbed(), kube: createKube(testbed().kubeconfigs.admin) });

  it('forms within 32 writes, 48 requests and 15 s of its Pods, and says Healthy only when every member is ready', async () => {
    const forming = await measureForming(world(), 'idle');
    console.log(forming.writes);
    expect(forming.isHealthyTooEarly).to.equal(false);
    expectWithinLimits(forming.figures);
  });

  it('gets a deleted Pod back on the same volume within its budget', async () => {
    expectWithinLimits(await measurePodLoss(world(), 'idle'));
  });

  it('loses neither its operator nor a write when the API server dies for some seconds (F1)', async () => {
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
    // This is the length of the fault, not a wait for something. The start of the server takes another 3 s.
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
    // The log also has a write whose answer was lost when the server died.
    const sinceStart = requests.filter(({ receivedAtMs, code }) => receivedAtMs >= startedMs && code < 300);
    const writes = sinceStart.filter(({ verb, resource }) => WRITES.has(verb) && resource !== 'leases');
    // The edit above asks for one status with the new generation; a figure that moves may bring one more.
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
