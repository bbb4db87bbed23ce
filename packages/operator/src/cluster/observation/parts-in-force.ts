// Answers: which parts of a cluster's spec are in force, as its Pods, volumes and members show, and what is wrong with
// its password? Pure.

import {
  type AuthInForce,
  type InForce,
  type MarekvsCluster,
  type NodeInForce,
  type PendingChange,
  pendingChanges,
  REASONS,
} from '@marekvs/api';
import {
  type ClusterObservation,
  type ClusterPlan,
  desiredSize,
  type Hold,
  hasLostVolume,
  hold,
  membersWithOtherPassword,
  type NodeRecord,
  namesOf,
  passwordSource,
  runningRevision,
  volumeHold,
} from '@marekvs/planner';
import type { NodeView } from '../../caches/views.ts';
import { waitsInLine } from '../../operations/turn-places.ts';
import type { SecretState } from '../../secrets/secrets-asked.ts';

/** What is gathered for it besides the observation. */
export interface SeenInForce {
  /** The template of a Pod that has everything the spec asks for. */
  readonly template: InForce['template'];
  readonly nodes: readonly NodeInForce[];
  /** State of the Secret that the spec names; undefined when it names none. */
  readonly secret: SecretState | undefined;
}

/** What each node that stays runs with; empty before the cluster is formed. */
export function nodesInForce(
  { cluster, nowMs }: Pick<ClusterObservation, 'cluster' | 'nowMs'>,
  nodes: readonly { readonly record: NodeRecord; readonly view: NodeView | undefined }[],
): readonly NodeInForce[] {
  if (!cluster.isFormed) return [];
  return nodes.flatMap(({ record, view }) => {
    if (view === undefined || record.isDeleting || hasLostVolume(record)) return [];
    const { template } = view.object.spec;
    const { volume } = record;
    const hold = volumeHold(record, nowMs);
    // The template of a Pod that was made from an older one is not known here.
    return [
      {
        name: record.name,
        template: runningRevision(record) === record.templateHash ? template : undefined,
        storageSize: volume?.capacity,
        attributesClass: volume?.attributes.current,
        volumeWaits: hold === undefined ? undefined : waitsOf(hold),
      },
    ];
  });
}

/** Everything the spec asks for that is not in force. */
export function pendingOf(
  { spec }: MarekvsCluster,
  observation: ClusterObservation,
  plan: ClusterPlan,
  seen: SeenInForce,
): readonly PendingChange[] {
  const { cluster, nodes } = observation;
  // An invalid spec is not acted on at all, and is reported as such.
  if (cluster.problems.length > 0) return [];
  return pendingChanges({
    spec,
    template: seen.template,
    nodes: seen.nodes,
    auth: authInForce(observation, seen),
    desiredNodes: plan.desiredNodes,
    isSizeKept: desiredSize(cluster).isKept,
    presentNodes: nodes.filter((node) => !hasLostVolume(node)).length,
    rolling: rollingOf(observation, plan),
  });
}

/** Normally members take their turns; whatever keeps them from it has its own message. */
function rollingOf(observation: ClusterObservation, plan: ClusterPlan): InForce['rolling'] {
  const { resting, removal } = plan;
  if (waitsInLine(observation, plan))
    return {
      reason: 'RolloutInLine',
      why: 'members of a few clusters are restarted at a time, and others were first',
      wayOut: 'wait for its place',
      needsPerson: false,
    };
  if (removal.operation?.phase === 'Resizing')
    return {
      reason: 'RollingOut',
      why: 'members get it one at a time where they run, and are not restarted',
      wayOut: 'wait for their turns',
      needsPerson: false,
    };
  if (removal.operation?.type === 'Suspend')
    return {
      reason: 'Suspended',
      why: `${removal.operation.roll?.name} is off its volume for repair by hand, and nobody is restarted meanwhile`,
      wayOut: 'kubectl mkv resume-member',
      needsPerson: true,
    };
  if (resting === undefined || removal.operation?.roll !== undefined)
    return {
      reason: 'RollingOut',
      why: 'members are restarted one at a time to take it up',
      wayOut: 'wait for their turns',
      needsPerson: false,
    };
  return { ...waitsOf(resting), needsPerson: true };
}

function waitsOf({ reason, message, needsPerson }: Hold): NonNullable<NodeInForce['volumeWaits']> {
  return { reason, why: message, wayOut: REASONS[reason].remedy, needsPerson };
}

/** Members take another password within seconds. A member that requires none for longer has to be reported to a
 *  person. */
const GIVING_PATIENCE_MS = 60_000;

/** Problems with the password. Nothing waits for them, but clients are affected. */
export function authHolds(
  cluster: MarekvsCluster,
  observation: ClusterObservation,
  seen: SeenInForce,
): readonly Hold[] {
  const { secret, template } = seen;
  const { openNodes } = authInForce(observation, seen);
  if (isBeingGiven(cluster, observation, secret)) return [];
  const guarded = serving(observation).filter(isGuarded);
  const open = serving(observation).filter((node) => !isGuarded(node));
  const unusable = secretHold(observation, template.authSecretRef, secret);
  const missing = unusable === undefined ? [] : [unusable];
  if (guarded.length > 0 && open.length > 0) return [...missing, hold('AuthMixed', mixedText(guarded, open), true)];
  if (openNodes.length === 0) return missing;
  const text = `${openNodes.join(', ')} answer without a password although spec.auth asks for one`;
  return [...missing, hold('AuthNotInForce', text, true)];
}

/** Members are being given the password, or will be once the Secret has been read, and that has not taken long. */
function isBeingGiven(
  { spec, status }: MarekvsCluster,
  { cluster: { password }, nowMs }: ClusterObservation,
  secret: SecretState | undefined,
): boolean {
  const isHopeful = password?.isUsable === true || secret === 'unknown';
  if (!isHopeful || spec.paused === true) return false;
  const since = status?.pendingChanges?.find(({ field }) => field === 'spec.auth')?.since;
  return since === undefined || nowMs - Date.parse(since) < GIVING_PATIENCE_MS;
}

/** Why members cannot require the password of the spec, or the operator cannot know it; undefined otherwise. */
function secretHold(
  { cluster }: ClusterObservation,
  ref: InForce['template']['authSecretRef'],
  secret: SecretState | undefined,
): Hold | undefined {
  if (ref === undefined) return undefined;
  const grant = `kubectl mkv auth grant ${cluster.name} -n ${cluster.namespace}`;
  switch (secret) {
    case 'missing':
      return hold('SecretMissing', `spec.auth names Secret ${ref.name} with key ${ref.key}, which is not there`, true);
    case 'invalid':
      return hold(
        'PasswordInvalid',
        `key ${ref.key} of Secret ${ref.name} has a NUL byte, is no UTF-8, or is too long`,
        true,
      );
    case 'forbidden':
      return hold('SecretNotReadable', `Secret ${ref.name} of spec.auth may not be read: ${grant} --apply`, true);
    default:
      return undefined;
  }
}

function authInForce(observation: ClusterObservation, { template, secret }: SeenInForce): AuthInForce {
  const { authSecretRef } = template;
  const members = serving(observation);
  const open = authSecretRef === undefined ? [] : members.filter((node) => !isGuarded(node));
  const behind = observation.cluster.isFormed
    ? membersWithOtherPassword(members, passwordSource(authSecretRef)).filter((node) => !open.includes(node))
    : [];
  return {
    secret: authSecretRef === undefined ? 'present' : (secret ?? 'unknown'),
    openNodes: open.map(({ name }) => name),
    oldNodes: behind.map(({ name }) => name),
  };
}

/** Members of a formed cluster that have answered, and so have shown whether they require a password. */
function serving({ cluster, nodes }: ClusterObservation): readonly NodeRecord[] {
  return cluster.isFormed ? nodes.filter(({ answer, serving }) => serving && answer.kind === 'serving') : [];
}

function isGuarded({ answer }: NodeRecord): boolean {
  return answer.kind === 'serving' && answer.isGuarded === true;
}

function mixedText(guarded: readonly NodeRecord[], open: readonly NodeRecord[]): string {
  return `only ${namesOf(guarded)} of ${guarded.length + open.length} members want a password: ${namesOf(open)} answer without one`;
}
