// A HorizontalPodAutoscaler of kube-controller-manager moves a cluster over /scale, as KEDA does; beside
// spec.autoscale it is refused.
// Own API server: it hands a metrics API on to this process, and its controller manager runs HorizontalPodAutoscalers.
// Runs first: it takes a minute.

import type { AuditReader } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { clusterHandle } from '../support/cluster-handle.ts';
import { eventually } from '../support/eventually.ts';
import { type ExternalMetrics, startExternalMetrics } from '../support/external-metrics.ts';
import type { Ledger } from '../support/ledger.ts';
import { expectRemovals } from '../support/removal-claims.ts';
import type { RemovalLog } from '../support/removal-log.ts';
import { type ConditionSeen, type EventSeen, type Seen, says } from '../support/seen.ts';
import { withWorld } from '../support/world.ts';

const NS = 'hpa';
const METRIC = 'commands_per_second';
const PER_NODE = 1000;
const REFUSAL = 'spec.nodes is only the initial size while spec.autoscale is set';

/** The fields that this file reads. */
interface PodAutoscaler extends Seen {
  readonly status?: {
    readonly currentReplicas?: number;
    readonly desiredReplicas?: number;
    readonly conditions?: readonly ConditionSeen[];
  };
}

const AUTOSCALER = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: NS },
  spec: {
    scaleTargetRef: { apiVersion: 'marekvs.io/v1alpha1', kind: 'MarekvsCluster', name: 'demo' },
    minReplicas: 3,
    maxReplicas: 7,
    metrics: [
      {
        type: 'External',
        external: { metric: { name: METRIC }, target: { type: 'AverageValue', averageValue: String(PER_NODE) } },
      },
    ],
    behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
  },
};

describe('a HorizontalPodAutoscaler that aims at a cluster', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after }, { podAutoscalerSyncSeconds: 1 });
  const cluster = clusterHandle(world, NS);
  const kubectl = (...args: readonly string[]): Promise<string> => world().kubectl('-n', NS, ...args);
  const autoscaler = (what: string, isIt: (seen: PodAutoscaler) => boolean): Promise<PodAutoscaler> =>
    world().watching.one<PodAutoscaler>(
      what,
      `/apis/autoscaling/v2/namespaces/${NS}/horizontalpodautoscalers`,
      AUTOSCALER.metadata.name,
      isIt,
    );
  const condition = ({ status }: PodAutoscaler, type: string): ConditionSeen | undefined =>
    status?.conditions?.find((one) => one.type === type);
  const load = (nodes: number): void => metrics.set(nodes * PER_NODE);
  /** What the operator has asked about HorizontalPodAutoscalers since it started. */
  const looks = async (): Promise<readonly string[]> => {
    const { requests } = await audit.read();
    for (const { resource, verb } of requests) if (resource === 'horizontalpodautoscalers') looked.push(verb);
    return looked;
  };
  const looked: string[] = [];
  let audit: AuditReader;
  let metrics: ExternalMetrics;
  let log: RemovalLog;
  let ledger: Ledger;

  before(async function () {
    this.timeout(120_000);
    audit = await world().testbed.auditReader();
    await cluster.create(3);
    metrics = await startExternalMetrics(world().testbed, NS, METRIC);
    load(3);
    await world().testbed.apply([AUTOSCALER]);
  });
  beforeEach(async () => {
    log = await cluster.log();
  });
  afterEach(() => log?.stop());
  after(() => metrics?.close());

  it('leaves the cluster as it is while the metric fits its size', async () => {
    const seen = await autoscaler(
      'it has read the metric',
      (one) => condition(one, 'ScalingActive')?.status === 'True' && one.status?.currentReplicas === 3,
    );
    expect(seen.status).to.include({ desiredReplicas: 3 });
    expect(metrics.asked()).to.be.above(0);
    expect((await cluster.healthy(3)).spec.nodes).to.equal(3);
  });

  it('grows the cluster from 3 to 5 in one step', async () => {
    load(5);
    await cluster.says('spec.nodes is 5', ({ spec }) => spec.nodes === 5);
    await cluster.healthy(5);
  });

  it('shrinks the cluster to 4 by the same proof as any other removal, while clients write', async () => {
    ledger = await cluster.ledger();
    load(4);
    await log.untilEnded(1, 90_000);
    const { spec } = await cluster.healthy(4);
    expect(spec.nodes).to.equal(4);
    await expectRemovals(log, ['demo-4']);
    await ledger.check(await cluster.ids());
  });

  it('is reported as AutoscaleConflict once spec.autoscale is set, and cannot change the size any more', async () => {
    expect(await looks(), 'while the size is fixed').to.deep.equal([]);
    await cluster.edit({ autoscale: { minNodes: 4, maxNodes: 7, targetOpsPerNode: PER_NODE } });
    const said = await cluster.says(
      'AutoscaleConflict',
      (seen) => says(seen, 'Stalled', 'True', 'AutoscaleConflict') && seen.status?.autoscale?.size === 4,
    );
    expect(says(said, 'Ready', 'True', 'AllMembersReady')).to.equal(true);
    expect(said.status).to.include({ phase: 'Blocked', blockedBy: 'AutoscaleConflict', desiredNodes: 4 });
    await eventually('it has looked with the spec, and with the decision', async () => (await looks()).length >= 2);
    expect(new Set(await looks())).to.deep.equal(new Set(['list']));
    load(6);
    const refused = await autoscaler('it is refused', (one) => condition(one, 'AbleToScale')?.status === 'False');
    expect(condition(refused, 'AbleToScale')).to.deep.include({ reason: 'FailedUpdateScale' });
    expect(condition(refused, 'AbleToScale')?.message).to.include(REFUSAL);
    const { spec, status } = await world().kube.cluster(NS, 'demo');
    expect([spec.nodes, status?.desiredNodes, status?.autoscale?.size]).to.deep.equal([4, 4, 4]);
  });

  it('is refused in the same words as kubectl scale', async () => {
    const outcome = await kubectl('scale', 'mkv/demo', '--replicas=5').catch((error: { stderr?: string }) => error);
    expect(outcome).to.have.property('stderr').that.includes(REFUSAL);
  });

  it('is reported in one event, and no longer in the status when it is gone', async () => {
    await kubectl('delete', 'hpa', AUTOSCALER.metadata.name);
    await cluster.says('nobody else wants to decide the size', (seen) => says(seen, 'Stalled', 'False'));
    const isIt = ({ reason }: EventSeen): boolean => reason === 'AutoscaleConflict';
    const events = await world().watching.event(NS, 'it was said', isIt);
    expect(events.map(({ note }) => note)).to.have.length(1);
    expect(events[0]?.note).to.include('HorizontalPodAutoscaler web aims at this cluster');
    await cluster.healthy(4);
  });

  it('can change the size again once spec.autoscale is taken out, which by itself does not change it', async () => {
    load(4);
    await cluster.edit({ autoscale: null });
    const { status } = await cluster.healthy(4);
    expect(status?.desiredNodes).to.equal(4);
    await world().testbed.apply([AUTOSCALER]);
    load(5);
    await cluster.says('spec.nodes is 5', ({ spec }) => spec.nodes === 5);
    await cluster.healthy(5);
    expect(await cluster.ids()).to.have.length(5);
  });
});
