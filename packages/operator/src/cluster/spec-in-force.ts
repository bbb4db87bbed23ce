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
import { type ClusterRecord, type NodeRecord, passwordSource } from '@marekvs/planner';
import type { RevisionView } from '../observation/views.ts';
import { type NodeStamp, nodeStamp, templateHash } from './template.ts';
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

// Answers: what is a stored revision called by now, where only the Secret of the password is another one? Members have
// that without a restart, so that what is known of an update does not end with it: that it has stopped, what it goes
// back to, that a person lets it go on. Pure.
type Kept = Pick<RevisionView, 'hash' | 'template'>;

/** What is stored and written of an update, by revisions with the Secret that is in force. */
export function updateInForce(
  { update, rollout }: Pick<ClusterRecord, 'update' | 'rollout'>,
  stamp: NodeStamp,
  revisions: readonly Kept[],
): Pick<ClusterRecord, 'update' | 'rollout'> {
  const now = (hash: string | undefined) =>
    hash === undefined ? undefined : withSecretInForce(hash, stamp, revisions);
  const approved = now(rollout.approved);
  const revision = now(update?.revision);
  const previous = now(update?.previous);
  return {
    rollout: approved === rollout.approved ? rollout : { ...rollout, approved },
    update:
      update === undefined || revision === undefined || (revision === update.revision && previous === update.previous)
        ? update
        : { ...update, revision, ...(previous === undefined ? {} : { previous }) },
  };
}

/** The same revision where that is not asked for, and nobody has kept it. */
function withSecretInForce(hash: string, stamp: NodeStamp, revisions: readonly Kept[]): string {
  const template = revisions.find((one) => one.hash === hash)?.template;
  const { authSecretRef } = stamp.template;
  if (template === undefined || passwordSource(template.authSecretRef) === passwordSource(authSecretRef)) return hash;
  const { authSecretRef: _before, ...rest } = template;
  const now = templateHash({ ...rest, ...(authSecretRef === undefined ? {} : { authSecretRef }) });
  return now === stamp.hash || revisions.some((one) => one.hash === now) ? now : hash;
}
