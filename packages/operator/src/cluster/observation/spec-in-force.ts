// Answers: what does a cluster's spec mean now, with defaults, with the settings its members already run with, and as
// the stamp of new nodes? Pure.

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
import type { RevisionView } from '../../caches/views.ts';
import { type NodeStamp, nodeStamp, templateHash } from '../../objects/template.ts';
import { decidingSpec, joiningSpec, runningSettings, stampedSpec } from './shared-settings.ts';

export interface SpecInForce {
  /** The spec that decisions rest on. */
  readonly spec: EffectiveClusterSpec;
  readonly problems: readonly FieldProblem[];
  /** What members are to run. */
  readonly stamp: NodeStamp;
  /** The stamp of nodes that have not joined yet. */
  readonly joiner: NodeStamp;
  /** The stamp if everything the spec asks for were in force. */
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

/** The spec with defaults, and what is wrong with it. Read once per object, since a cached object never changes. */
const readSpec = oncePer(
  (spec: MarekvsCluster['spec']): Pick<SpecInForce, 'spec' | 'problems'> => ({
    spec: withDefaults(spec),
    problems: validateClusterSpec(spec),
  }),
);

// Members get another password without a restart, so a change of only its Secret must not end what is known of an
// update: that it has stopped, what it goes back to, that a person lets it go on. Its revisions are renamed. Pure.
type Kept = Pick<RevisionView, 'hash' | 'template'>;

/** The stored update and the rollout annotations, with revisions renamed to those with the Secret in force. */
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

/** The revision with the Secret in force; the given one when the other is neither wanted nor kept. */
function withSecretInForce(hash: string, stamp: NodeStamp, revisions: readonly Kept[]): string {
  const template = revisions.find((one) => one.hash === hash)?.template;
  const { authSecretRef } = stamp.template;
  if (template === undefined || passwordSource(template.authSecretRef) === passwordSource(authSecretRef)) return hash;
  const { authSecretRef: _before, ...rest } = template;
  const now = templateHash({ ...rest, ...(authSecretRef === undefined ? {} : { authSecretRef }) });
  return now === stamp.hash || revisions.some((one) => one.hash === now) ? now : hash;
}
