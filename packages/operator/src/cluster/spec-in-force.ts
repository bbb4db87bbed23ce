// Answers: what does a cluster's spec come to now, with defaults, with what its members already run with, and as the
// stamp of new nodes? Pure.

import {
  type EffectiveClusterSpec,
  type FieldProblem,
  type MarekvsCluster,
  type NodeTemplate,
  oncePer,
  validateClusterSpec,
  withDefaults,
} from '@marekvs/api';
import type { NodeRecord } from '@marekvs/planner';
import { type NodeStamp, nodeStamp } from './template.ts';
import { decidingSpec, joiningSpec, runningSettings, stampedSpec } from './uniform.ts';

export interface SpecInForce {
  /** What decisions rest on. */
  readonly spec: EffectiveClusterSpec;
  readonly problems: readonly FieldProblem[];
  /** What members are to run. */
  readonly stamp: NodeStamp;
  /** What nodes that have not joined yet are made from. */
  readonly joiner: NodeStamp;
  /** What they would be made from if everything the spec asks for were in force. */
  readonly asked: NodeStamp;
}

export function specInForce(
  cluster: MarekvsCluster,
  nodes: readonly { readonly record: NodeRecord; readonly template: NodeTemplate | undefined }[],
): SpecInForce {
  const { spec, problems } = readSpec(cluster.spec);
  const { formed, operation } = cluster.status ?? {};
  const running = runningSettings(spec, formed !== undefined, nodes, operation?.roll !== undefined);
  const stamped = stampedSpec(spec, running);
  return {
    spec: decidingSpec(spec, running),
    problems,
    stamp: nodeStamp(cluster, stamped),
    joiner: nodeStamp(cluster, joiningSpec(stamped, running)),
    asked: nodeStamp(cluster, spec),
  };
}

/** What a spec means and what is wrong with it. A cached object never changes: it is read once, not in every pass. */
const readSpec = oncePer(
  (spec: MarekvsCluster['spec']): Pick<SpecInForce, 'spec' | 'problems'> => ({
    spec: withDefaults(spec),
    problems: validateClusterSpec(spec),
  }),
);
