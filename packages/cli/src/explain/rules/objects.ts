// What the objects show by themselves, whether or not an operator has reported anything: Pods, volumes, annotations,
// budgets, quotas. Pods are judged by the planner's own rules.

import { ANNOTATIONS, FINALIZERS, type MarekvsNode, ownerOfNode, pvcName } from '@marekvs/api';
import { nodeRecordOf, toNodeView, toPodView, toVolumeView } from '@marekvs/operator/projections';
import {
  claimTrouble,
  hasLostVolume,
  isWaitingForClaim,
  podTrouble,
  STUCK_TERMINATING_MS,
  timeMs,
  UNSCHEDULED_PATIENCE_MS,
} from '@marekvs/planner';
import type { PersistentVolumeClaim, Pod } from '@marekvs/runtime';
import type { ExplainFacts, Finding } from '../facts/finding.ts';
import { finding, only } from './build.ts';

export function whatObjectsShow(facts: ExplainFacts): readonly Finding[] {
  return [
    ...facts.parts.nodes.flatMap((node) => [
      ...podFindings(facts, node),
      ...volumeFindings(facts, node),
      ...annotationFindings(facts, node),
    ]),
    ...facts.parts.foreign.map((node) => foreignFinding(facts, node)),
    ...deletionFindings(facts),
    ...budgetFindings(facts),
    ...quotaFindings(facts),
  ];
}

function podFindings(facts: ExplainFacts, node: MarekvsNode): readonly Finding[] {
  const pod = facts.parts.pods?.find(({ metadata }) => metadata.name === node.metadata.name);
  if (pod === undefined) return [];
  const member = node.metadata.name;
  const source = `Pod ${member}`;
  const view = toPodView(pod);
  if (view.isTerminating) {
    const dueMs = view.terminationDueMs ?? facts.nowMs;
    if (facts.nowMs < dueMs + STUCK_TERMINATING_MS) return [];
    const message = `Pod ${member} on ${view.hostName ?? 'no host'} does not end: its host may be off, or a finalizer holds it`;
    return only(facts, 'PodStuckTerminating', { member, sinceMs: dueMs, message, source });
  }
  const claim = claimOf(facts, node);
  const volume = claim === undefined ? undefined : toVolumeView(claim);
  // `volumeFindings` reports the claim itself, with the notes of its events.
  if (isWaitingForClaim(volume, view)) return [];
  const record = nodeRecordOf(toNodeView(node), { pod: view, volume, answer: { kind: 'notAsked' } });
  const trouble = podTrouble(record, view, facts.nowMs);
  if (trouble === undefined) return [];
  return only(facts, trouble.reason, { member, sinceMs: troubleSince(pod), message: trouble.message, source });
}

/** When the Pod's trouble began: when it was not scheduled, its container ended, or the Pod started or was created. */
function troubleSince(pod: Pod): number | undefined {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False')
    return timeMs(scheduled.lastTransitionTime) ?? timeMs(pod.metadata.creationTimestamp);
  const ended = pod.status?.containerStatuses?.[0]?.lastState?.terminated?.finishedAt;
  return timeMs(ended) ?? timeMs(pod.status?.startTime) ?? timeMs(pod.metadata.creationTimestamp);
}

function volumeFindings(facts: ExplainFacts, node: MarekvsNode): readonly Finding[] {
  // A claim that may not be read is not lost.
  if (facts.parts.volumes === undefined) return [];
  const name = pvcName(node.spec.clusterName, node.spec.nodeId);
  const claim = claimOf(facts, node);
  const member = node.metadata.name;
  const source = `PersistentVolumeClaim ${name}`;
  const volume = claim === undefined ? undefined : toVolumeView(claim);
  const record = nodeRecordOf(toNodeView(node), { pod: undefined, volume, answer: { kind: 'notAsked' } });
  if (hasLostVolume(record)) {
    const message = `the volume ${member} was recorded with is gone: a new node takes its place, its id is not used again`;
    return only(facts, 'VolumeLost', { member, message, source });
  }
  if (volume === undefined || claim === undefined) return [];
  if (volume.isTerminating) {
    const message = `${name} is being deleted: it is gone as soon as its Pod ends`;
    return only(facts, 'VolumeStuckTerminating', {
      member,
      sinceMs: timeMs(claim.metadata.deletionTimestamp),
      message,
      source,
    });
  }
  if (volume.isBound || facts.nowMs - volume.createdAtMs < UNSCHEDULED_PATIENCE_MS) return [];
  const pod = facts.parts.pods?.find(({ metadata }) => metadata.name === member);
  const trouble = claimTrouble(volume, pod === undefined ? undefined : toPodView(pod), facts.nowMs);
  const why = facts.events.findLast((event) => event.name === name && event.type === 'Warning')?.note;
  const message = `${trouble?.message ?? `${name} is not bound`}${why === undefined ? '' : `: ${why}`}`;
  return only(facts, trouble?.reason ?? 'VolumePending', { member, sinceMs: volume.createdAtMs, message, source });
}

function claimOf({ parts }: ExplainFacts, { spec }: MarekvsNode): PersistentVolumeClaim | undefined {
  const name = pvcName(spec.clusterName, spec.nodeId);
  return parts.volumes?.find(({ metadata }) => metadata.name === name);
}

function annotationFindings(facts: ExplainFacts, { metadata }: MarekvsNode): readonly Finding[] {
  const { annotations = {}, uid, name: member } = metadata;
  const source = `annotation of MarekvsNode ${member}`;
  const force = annotations[ANNOTATIONS.forceRemove];
  const first = annotations[ANNOTATIONS.removeFirst];
  const findings: Finding[] = [];
  if (force !== undefined && !force.startsWith(`${uid}/`)) {
    const message = `${ANNOTATIONS.forceRemove} names another UID than that of ${member} (${uid}), so it is ignored`;
    findings.push(finding(facts, 'ForceIgnored', { member, message, source }));
  }
  if (first !== undefined && first !== 'true' && first !== 'false') {
    const message = `${ANNOTATIONS.removeFirst} is ${JSON.stringify(first)}, which means nothing: only true counts`;
    findings.push(finding(facts, 'AnnotationIgnored', { member, message, source }));
  }
  return findings;
}

/** One with the name of a member keeps it from the cluster, and may have been its own. Any other is only a copy. */
function foreignFinding(facts: ExplainFacts, node: MarekvsNode): Finding {
  const { name } = facts.parts.cluster.metadata;
  const member = node.metadata.name;
  const owner = ownerOfNode(node);
  const why =
    owner.kind === 'foreign' ? owner.why : owner.kind === 'none' ? 'it has no owner' : 'its owner has another UID';
  const message = `${member} names ${name} without being a node of it, and counts for nothing: ${why}`;
  const kind = node.spec.clusterName === name ? 'blocked' : 'note';
  return finding(facts, 'NodeForeign', { kind, member, message, source: `MarekvsNode ${member}` });
}

/** Members stop within seconds when told to, and a Pod has a minute. */
const DELETION_MS = 120_000;

/** A deleted cluster waits for its nodes' finalizers, which only an operator removes. */
function deletionFindings(facts: ExplainFacts): readonly Finding[] {
  const { cluster, nodes } = facts.parts;
  const deletedMs = timeMs(cluster.metadata.deletionTimestamp);
  if (deletedMs === undefined) return [];
  const withFinalizer = nodes.filter(
    ({ metadata }) => metadata.finalizers?.includes(FINALIZERS.memberSafeRemoval) === true,
  );
  const finalizers = cluster.metadata.finalizers?.join(', ') || 'none of its own';
  const message = `the cluster is being deleted; ${withFinalizer.length} nodes are still there (finalizers: ${finalizers})`;
  return only(facts, facts.nowMs - deletedMs < DELETION_MS ? 'Deleting' : 'StuckDeleting', {
    sinceMs: deletedMs,
    message,
    source: 'MarekvsCluster metadata',
  });
}

/** A budget that allows nothing is a finding only when it blocks somebody: a drained host with a member on it. */
function budgetFindings(facts: ExplainFacts): readonly Finding[] {
  const budget = facts.budgets.find(({ metadata }) => metadata.name === facts.parts.cluster.metadata.name);
  if (budget === undefined || budget.status?.disruptionsAllowed !== 0) return [];
  const { currentHealthy, desiredHealthy } = budget.status;
  return (facts.parts.pods ?? []).flatMap((pod) => {
    const host = pod.spec?.nodeName;
    if (host === undefined || facts.drainingHosts?.includes(host) !== true) return [];
    const member = pod.metadata.name;
    const message = `host ${host} is being drained, and PodDisruptionBudget ${budget.metadata.name} allows no eviction: ${currentHealthy} members are healthy and ${desiredHealthy} must be`;
    return only(facts, 'DisruptionBudget', { member, message, source: `PodDisruptionBudget ${budget.metadata.name}` });
  });
}

/** A quota is named only when the operator was refused because of it, and with its figures. */
function quotaFindings(facts: ExplainFacts): readonly Finding[] {
  const isRefused = facts.parts.nodes.some(
    ({ status }) =>
      status?.conditions?.some(({ type, reason }) => type === 'Ready' && reason === 'QuotaExceeded') === true,
  );
  if (!isRefused) return [];
  return facts.quotas.flatMap(({ name, hard, used }) => {
    const full = Object.keys(hard).filter((resource) => used[resource] === hard[resource]);
    if (full.length === 0) return [];
    const figures = full.map((resource) => `${resource} ${used[resource]} of ${hard[resource]}`).join(', ');
    return only(facts, 'QuotaExceeded', {
      message: `quota ${name} is used up: ${figures}`,
      source: `ResourceQuota ${name}`,
    });
  });
}
