// Situations of a cluster whose size follows its load, beside those of explain-situations.ts. Messages are those of the
// planner (packages/planner/src/cluster/autoscaling.ts).

import type { MarekvsCluster, MarekvsClusterStatus } from '@marekvs/api';
import type { ExplainFacts } from '../src/explain/facts/finding.ts';
import type { Situation } from './explain-situations.ts';
import {
  claim,
  cluster,
  type FactsChange,
  facts,
  NAME,
  node,
  notReady,
  pendingChange,
  pod,
  READY,
  SINCE,
  SINCE_MS,
  unready,
} from './support/objects.ts';

const AUTOSCALE = { minNodes: 3, maxNodes: 8, targetOpsPerNode: 5000, targetDiskPercent: 70 };

interface Sized {
  readonly autoscale?: Partial<NonNullable<MarekvsCluster['spec']['autoscale']>>;
  readonly status?: Partial<MarekvsClusterStatus>;
  readonly rest?: FactsChange;
}

/** Decided five minutes ago. */
export function sized(
  decision: NonNullable<MarekvsClusterStatus['autoscale']>,
  { autoscale = {}, status = {}, rest = {} }: Sized = {},
): ExplainFacts {
  const spec = { autoscale: { ...AUTOSCALE, ...autoscale } };
  const own = { autoscale: { since: SINCE, nodes: 3, ...decision }, ...status };
  return facts({ cluster: cluster({ spec, status: own }), ...rest });
}

/** The event of a decision, with its time. */
function told(reason: string, note: string) {
  return {
    atMs: SINCE_MS,
    type: 'Warning',
    reason,
    action: 'Autoscale',
    note,
    kind: 'MarekvsCluster',
    name: NAME,
    count: 1,
  };
}

const JOINING: FactsChange = {
  nodes: [3, 4].map((id) => unready(id, 'MemberJoining', `member demo-${id} is joining`, 'Joining')),
  pods: [pod(3), pod(4)],
  volumes: [claim(3), claim(4)],
};
export const FOURTH: FactsChange = { nodes: [node(3)], pods: [pod(3)], volumes: [claim(3)] };
const HIGH = '22,000 ops/s at 5,000 a node: 5 nodes instead of 3';
const HOT =
  '43,000 ops/s at 5,000 a node would need more than 8 nodes; demo-1 serves 91 % of it: more nodes do not help a key that many ask for';
const UNKNOWN = 'the load of demo-1 is not known: 3 nodes stay';
const FULL = 'demo-2 is 61 % full, and none should exceed 70 %: 4 nodes instead of 3';
const CONFLICT = 'HorizontalPodAutoscaler web-size aims at it while spec.autoscale decides its size';

export const SIZING_SITUATIONS: readonly Situation[] = [
  {
    title: 'a size that follows the load has just begun to',
    facts: sized(
      { size: 3, reason: 'AutoscaleBegun', message: '3 nodes to begin with' },
      { autoscale: { scaleDownStabilizationSeconds: 600 } },
    ),
    rule: 'AutoscaleBegun',
    action: /kubectl mkv autoscale demo -n default/,
    kind: 'note',
  },
  {
    title: 'load has made it grow, and the new nodes join',
    facts: sized(
      { size: 5, reason: 'LoadAboveTarget', message: HIGH, opsPerSecond: 22_000, target: 5000 },
      {
        status: {
          desiredNodes: 5,
          conditions: [notReady('ScalingClusterUp', '3 of 5 nodes are ready; demo-3, demo-4 join')],
        },
        rest: JOINING,
      },
    ),
    rule: 'LoadAboveTarget',
    action: /kubectl mkv autoscale demo -n default/,
    kind: 'waiting',
  },
  {
    title: 'the load is low, and the window has to pass before one node goes',
    facts: sized(
      { size: 4, reason: 'LoadAboveTarget', message: '16,000 ops/s at 5,000 a node: 4 nodes instead of 3' },
      {
        status: { desiredNodes: 4, readyNodes: 4, replicas: 4, opsPerSecond: 8_900 },
        rest: FOURTH,
      },
    ),
    rule: 'LoadBelowTarget',
    action: /kubectl mkv autoscale demo -n default/,
    kind: 'waiting',
  },
  {
    title: 'load has made it smaller, and a node waits for its proof',
    facts: sized(
      {
        size: 3,
        reason: 'LoadBelowTarget',
        message: '8,000 ops/s are 2,700 on each of 3, below 60 % of 5,000: 3 nodes instead of 4',
      },
      { status: { desiredNodes: 3, readyNodes: 4, replicas: 4 }, rest: FOURTH },
    ),
    rule: 'LoadBelowTarget',
    action: /kubectl mkv autoscale demo -n default/,
    kind: 'waiting',
  },
  {
    title: 'more is asked for than maxNodes allows, and one member has most of it',
    facts: sized(
      { size: 3, reason: 'AtMaxNodes', message: HOT },
      { autoscale: { maxNodes: 3 }, rest: { events: [told('AtMaxNodes', HOT)] } },
    ),
    rule: 'AtMaxNodes',
    member: 'demo-1',
    action: /kubectl patch mkv demo -n default .*"maxNodes":4/,
  },
  {
    title: 'the load of one member is not known',
    facts: sized(
      { size: 3, reason: 'NoLoadSignal', message: UNKNOWN },
      { rest: { events: [told('NoLoadSignal', UNKNOWN)] } },
    ),
    rule: 'NoLoadSignal',
    member: 'demo-1',
    action: /kubectl logs demo-1 -n default/,
  },
  {
    title: 'autoscale was taken out, and the size it had decided is kept',
    facts: facts({
      cluster: cluster({
        spec: { nodes: 3 },
        status: {
          desiredNodes: 5,
          readyNodes: 5,
          autoscale: { size: 5, nodes: 3, reason: 'LoadAboveTarget', message: HIGH, since: SINCE },
          pendingChanges: [
            pendingChange({
              field: 'spec.nodes',
              asked: '3',
              effective: '5',
              reason: 'KeptSize',
              why: 'spec.autoscale had decided the size',
              wayOut: 'set spec.nodes to 5 to keep it, or confirm 3 with kubectl mkv scale',
            }),
          ],
        },
      }),
    }),
    rule: 'KeptSize',
    action: /kubectl mkv scale demo 5 -n default/,
  },
  {
    title: 'every node id has been used',
    facts: facts({
      cluster: cluster({ status: { conditions: [notReady('NodeIdsExhausted', '1 node cannot be made')] } }),
    }),
    rule: 'NodeIdsExhausted',
    action: /kubectl get mkvnode/,
  },
  {
    title: 'a HorizontalPodAutoscaler wants another size than spec.autoscale',
    facts: sized(
      { size: 3, reason: 'AtMinNodes', message: '3 nodes' },
      { rest: { events: [{ ...told('AutoscaleConflict', CONFLICT), action: 'Observe' }] } },
    ),
    rule: 'AutoscaleConflict',
    action: /kubectl get hpa -n default/,
  },
  {
    title: 'a disk has come near the target, and a node joins for it',
    facts: sized(
      { size: 4, reason: 'DiskAboveTarget', message: FULL, diskPercent: 61 },
      { status: { desiredNodes: 4, conditions: [READY] } },
    ),
    rule: 'DiskAboveTarget',
    member: 'demo-2',
    action: /kubectl get pvc -n default/,
    kind: 'waiting',
  },
  {
    title: 'minNodes was raised above the size',
    facts: sized(
      { size: 5, reason: 'BelowMinNodes', message: 'no fewer than 5 nodes are wanted: 5 nodes instead of 3' },
      { autoscale: { minNodes: 5 }, status: { desiredNodes: 5 }, rest: JOINING },
    ),
    rule: 'BelowMinNodes',
    action: /kubectl mkv autoscale demo -n default/,
    kind: 'waiting',
  },
  {
    title: 'maxNodes is smaller than replicationFactor allows',
    facts: sized(
      { size: 3, reason: 'AtMinNodes', message: '3 nodes' },
      {
        autoscale: { minNodes: 2, maxNodes: 2 },
        status: {
          pendingChanges: [
            pendingChange({ field: 'spec.autoscale.maxNodes', asked: '2', effective: '3', reason: 'BelowFloor' }),
          ],
        },
      },
    ),
    rule: 'BelowFloor',
    action: /kubectl patch mkv demo -n default .*"maxNodes":3/,
  },
  {
    title: 'a host got the label, and a member joins on it',
    facts: facts({
      cluster: cluster({
        spec: { hosts: { onePerHost: { nodeSelector: { pool: 'db' } } } },
        status: {
          desiredNodes: 5,
          autoscale: {
            since: SINCE,
            nodes: 3,
            size: 5,
            reason: 'SizedByHosts',
            message: '5 hosts have pool=db: 5 nodes',
          },
        },
      }),
      ...JOINING,
    }),
    rule: 'SizedByHosts',
    action: /kubectl get nodes -l pool=db/,
    kind: 'waiting',
  },
];
