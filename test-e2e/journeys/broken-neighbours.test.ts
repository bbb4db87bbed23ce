// What is broken in one namespace is named there, and costs a healthy cluster in another namespace no request.

import type { V1ResourceQuota } from '@kubernetes/client-node';
import type { MarekvsCluster, MarekvsNode } from '@marekvs/api';
import { withTestbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { BAD_IMAGE, CROSSED_BOUNDS, createStoredBefore, NO_HOST } from '../support/broken-clusters.ts';
import { eventually } from '../support/eventually.ts';
import { round } from '../support/figures.ts';
import { createKube, type Kube, ownPath } from '../support/kube.ts';
import { scrape } from '../support/operator-metrics.ts';
import { plainSpec } from '../support/specs.ts';

const ROUNDS = 3;
/** How many more requests a healthy cluster may cost beside broken ones: a status is written in one step or in two. */
const SLACK_REQUESTS = 6;
/** Requests for twelve broken clusters while two healthy ones are created: retries, whose pauses grow. */
const MOST_FOR_BROKEN = 120;

describe('twelve broken clusters', () => {
  const testbed = withTestbed({ before, after }, { operator: true, runner: 'hosted', speed: 10 });
  let kube: Kube;
  const alone: Cost[] = [];
  const beside: Cost[] = [];
  let before12: QueueWaits;
  let settled: QueueWaits;

  before(async function () {
    this.timeout(120_000);
    kube = createKube(testbed().kubeconfigs.admin);
    for (const name of ['fast', 'broken', 'quota']) await kube.createNamespace(name);
    for (let index = 0; index < ROUNDS; index += 1) alone.push(await costOfCluster(`alone-${index}`));
    const stored = ['stored-0', 'stored-1', 'stored-2'];
    await createStoredBefore(
      testbed(),
      kube,
      stored.map((name) => ({ namespace: 'broken', name, spec: CROSSED_BOUNDS })),
    );
    await denyPods();
    // Every change of a CRD ends the watches of its kind, so the operator has to see this cluster first.
    await kube.createCluster('broken', 'no-host-0', NO_HOST);
    await says('broken', 'no-host-0', 'PodUnschedulable', /./);
    // The first round runs while they are being created, the others while they stay broken.
    const broken = [0, 1, 2].flatMap((index) => [
      kube.createCluster('broken', `image-${index}`, BAD_IMAGE),
      ...(index === 0 ? [] : [kube.createCluster('broken', `no-host-${index}`, NO_HOST)]),
      kube.createCluster('quota', `denied-${index}`, plainSpec(2, { replicationFactor: 1 })),
    ]);
    beside.push(await costOfCluster('beside-0'));
    await Promise.all(broken);
    before12 = await queueWaits();
    for (let index = 1; index < ROUNDS; index += 1) beside.push(await costOfCluster(`beside-${index}`));
    settled = await queueWaits();
  });

  // The times are only printed: on a busy machine they say more of the machine than of the operator.
  it('cost a healthy cluster beside them no request', () => {
    for (const [what, costs] of Object.entries({ alone, 'beside 12 broken': beside })) {
      const list = (of: (cost: Cost) => number) => costs.map((cost) => round(of(cost), 2)).join(', ');
      console.log(
        `      ${what}: all Pods created after ${list((t) => t.podsSeconds)} s, Healthy after ${list((t) => t.healthySeconds)} s, ${list((t) => t.requests)} requests`,
      );
    }
    // The cheapest round counts: late Pods cost one more status, and a member that comes up alone and is made again
    // costs many more.
    const least = (costs: readonly Cost[]) => Math.min(...costs.map(({ requests }) => requests));
    expect(least(beside)).to.be.at.most(least(alone) + SLACK_REQUESTS);
  });

  it('cost few requests themselves while they stay broken', () => {
    const passes = settled.count - before12.count;
    const meanSeconds = (settled.sum - before12.sum) / passes;
    const forBroken = beside.slice(1).reduce((sum, cost) => sum + cost.elsewhere, 0);
    console.log(
      `      ${passes} passes, ${forBroken} requests for the broken: longest wait ${round(settled.longest * 1000)} ms, mean ${round(meanSeconds * 1000, 2)} ms`,
    );
    expect(passes).to.be.at.least(10);
    expect(forBroken).to.be.at.most(MOST_FOR_BROKEN);
  });

  it('name an image that cannot be pulled', async () => {
    for (const name of ['image-0', 'image-1', 'image-2'])
      await says('broken', name, 'ImagePullFailed', /image-\d-0.*:missing/);
  });

  it('name Pods that no host can take', async () => {
    for (const name of ['no-host-0', 'no-host-1', 'no-host-2'])
      await says('broken', name, 'PodUnschedulable', /no-host-\d-0.*nodes are available/);
  });

  it('are Stalled with InvalidSpec and left alone when newer rules refuse the stored spec', async () => {
    for (const name of ['stored-0', 'stored-1', 'stored-2']) {
      const { status } = await says('broken', name, 'InvalidSpec', /spec\.autoscale\.minNodes.*maxNodes/);
      expect(status?.conditions?.find(({ type }) => type === 'Stalled')).to.include({
        status: 'True',
        reason: 'InvalidSpec',
      });
    }
    const names = (await kube.nodes('broken')).map(({ spec }) => spec.clusterName);
    expect(names.filter((name) => name.startsWith('stored-'))).to.deep.equal([]);
  });

  it('that break the newer rules cannot be created any more', async () => {
    const refusal = await kube
      .createCluster('broken', 'stored-3', CROSSED_BOUNDS)
      .catch((error: unknown) => String(error));
    expect(refusal).to.match(/minNodes/);
  });

  it('name the quota that denies their Pods and finish once it is raised (F53)', async () => {
    for (const name of ['denied-0', 'denied-1', 'denied-2'])
      await says('quota', name, 'QuotaExceeded', /exceeded quota: no-pods/);
    await kube.until<MarekvsNode>(
      'every node names the quota',
      ownPath('marekvsnodes', 'quota'),
      (nodes) => nodes.length === 6 && nodes.every((node) => reasonOf(node) === 'QuotaExceeded'),
    );
    await kube.core.deleteNamespacedResourceQuota({ namespace: 'quota', name: 'no-pods' });
    for (const name of ['denied-0', 'denied-1', 'denied-2']) await kube.healthy('quota', name, 2);
  });

  /** Creates a cluster, waits until it is Healthy, and removes it again. */
  async function costOfCluster(name: string): Promise<Cost> {
    const audit = await testbed().auditReader();
    const startedMs = Date.now();
    await kube.createCluster('fast', name, plainSpec(3));
    await kube.healthy('fast', name, 3);
    const healthySeconds = (Date.now() - startedMs) / 1000;
    const { requests } = await audit.read();
    const made = requests.filter((one) => one.verb === 'create' && one.resource === 'pods' && one.namespace === 'fast');
    // On a busy machine a member may come up alone and be made again: what counts is the first Pod of each.
    const pods = [...Map.groupBy(made, ({ name: pod }) => pod).values()].flatMap(([first]) => first ?? []);
    expect(pods).to.have.length(3);
    await kube.deleteCluster('fast', name);
    // Its processes must not disturb the next measurement.
    await eventually(`${name} is gone`, async () => {
      const { items } = await kube.core.listNamespacedPod({ namespace: 'fast' });
      return items.length === 0;
    });
    return {
      podsSeconds: (Math.max(...pods.map((one) => one.receivedAtMs)) - startedMs) / 1000,
      healthySeconds,
      requests: requests.filter((one) => one.namespace === 'fast').length,
      elsewhere: requests.filter(({ namespace }) => namespace === 'broken' || namespace === 'quota').length,
    };
  }

  async function queueWaits(): Promise<QueueWaits> {
    const metrics = await scrape(testbed().operator);
    const longest = ['marekvscluster', 'marekvsnode'].map((controller) =>
      metrics.sum('marekvs_operator_queue_wait_max_seconds', { controller }),
    );
    return {
      longest: Math.max(...longest),
      sum: metrics.sum('marekvs_operator_queue_wait_seconds_sum'),
      count: metrics.sum('marekvs_operator_queue_wait_seconds_count'),
    };
  }

  /** Denies all Pods of the namespace by a quota; resolves when the quota is in force. */
  async function denyPods(): Promise<void> {
    const body = { metadata: { name: 'no-pods' }, spec: { hard: { pods: '0' } } };
    await kube.core.createNamespacedResourceQuota({ namespace: 'quota', body });
    await kube.until<V1ResourceQuota>('the quota is in force', '/api/v1/namespaces/quota/resourcequotas', (quotas) =>
      quotas.some(({ status }) => status?.hard?.pods === '0'),
    );
  }

  function says(namespace: string, name: string, reason: string, message: RegExp): Promise<MarekvsCluster> {
    return kube.clusterUntil(
      namespace,
      name,
      `${namespace}/${name} says ${reason} ${message}`,
      (cluster) => {
        const ready = cluster.status?.conditions?.find(({ type }) => type === 'Ready');
        return reasonOf(cluster) === reason && message.test(ready?.message ?? '');
      },
      30_000,
    );
  }
});

interface Cost {
  /** From the apply to the creation of the last Pod, which takes only the operator and the API server. */
  readonly podsSeconds: number;
  /** From the apply to Healthy, which takes the members and the kubelet, too. */
  readonly healthySeconds: number;
  /** Requests of the operator for this cluster until it was Healthy. */
  readonly requests: number;
  /** Requests of the operator for broken clusters in the same time. */
  readonly elsewhere: number;
}

interface QueueWaits {
  /** Since the last scrape. */
  readonly longest: number;
  readonly sum: number;
  readonly count: number;
}

function reasonOf(object: MarekvsCluster | MarekvsNode): string | undefined {
  const conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[] =
    object.status?.conditions ?? [];
  return conditions.find(({ type, status }) => type === 'Ready' && status === 'False')?.reason;
}
