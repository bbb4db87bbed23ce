// Answers: what do FullyReplicated, DataAtRisk and DataLost say: are all records on all their homes, and what
// is lost or about to be? Pure.

import { type ClusterCondition, findCondition, stageOf } from '@marekvs/api';
import {
  type ClusterObservation,
  type ClusterPlan,
  type DataRecord,
  type Hold,
  hasLostVolume,
  hold,
  lossText,
  type NodeRecord,
  namesOf,
  riskText,
} from '@marekvs/planner';
import { no, unknown, type Verdict, yes } from '../../pass/condition-verdicts.ts';
import type { ConditionInput } from './health.ts';

const NOT_COMPARED = unknown('NotCompared', 'the members have changed and are compared once they agree');

/** Rests on contents that were compared record by record. The members' own gauge counts members, not copies. */
export function fullyReplicated(
  { cluster }: ClusterObservation,
  plan: ClusterPlan,
  previous: readonly ClusterCondition[],
): Verdict {
  const stage = stageOf(plan.removal.operation);
  if (stage === 'stopped')
    return yes('RecordsCovered', 'every record was seen on all its homes before the members were stopped');
  if (stage === 'away') return NOT_COMPARED;
  if (stage === 'deleting' || stage === 'after')
    return no('RecordsMissing', 'a member leaves, and the others are not proven to have every record again yet');
  const { verification } = plan;
  switch (verification?.state) {
    case 'Covered':
      return yes('RecordsCovered', verification.message ?? 'every record is on all its homes');
    case 'Missing':
      return no('RecordsMissing', verification.message ?? 'records are missing');
    case 'Unreadable':
      return unknown('ContentsUnreadable', verification.message ?? 'contents cannot be read');
    default: {
      // The same members are compared again on request: the last answer stays until there is a new one.
      const isSameTopology = verification !== undefined && verification.topology === cluster.verification?.topology;
      const known = isSameTopology ? findCondition(previous, 'FullyReplicated') : undefined;
      if (known === undefined || known.status === 'Unknown') return NOT_COMPARED;
      return { status: known.status, reason: known.reason, message: known.message };
    }
  }
}

export function dataAtRisk({ observation, plan, data }: ConditionInput): Verdict {
  const total = plan.holds.find((hold) => hold.reason === 'TotalLoss');
  if (total !== undefined) return yes('TotalLoss', total.message);
  const { operation } = plan.removal;
  if (operation?.basis === 'Dead' || operation?.basis === 'Forced')
    return yes(
      operation.basis === 'Dead' ? 'MemberDead' : 'Forced',
      `${operation.target?.name} goes without proof: what only it holds is lost, or stays on its volume`,
    );
  const terminating = observation.nodes.filter((node) => !hasLostVolume(node) && node.volume?.isTerminating === true);
  if (terminating.length > 0)
    return yes(
      'VolumeStuckTerminating',
      `the volume of ${namesOf(terminating)} is being deleted: it is gone as soon as its Pod ends`,
    );
  const stranded = observation.nodes.filter(({ hostLost }) => hostLost !== undefined);
  if (stranded.length > 0)
    return yes(
      'HostLost',
      `the volume of ${namesOf(stranded)} is on a lost host: what only it held is there, and not known to be elsewhere`,
    );
  // The volume of a node that goes by proof may disappear before its node: its copies are elsewhere.
  const isProven = (node: NodeRecord) => operation?.target?.uid === node.uid && operation.proof?.pre !== undefined;
  const lost = observation.nodes.filter((node) => hasLostVolume(node) && !isProven(node));
  const { homes, lostNodeIds = [] } = data;
  if (lost.length === 0) {
    if (homes === undefined || lostNodeIds.length === 0) return no('AsExpected', 'no volume is missing');
    return yes('VolumeLost', riskText(homes, lostNodeIds, observation.cluster.name));
  }
  if (lost.every(({ answer }) => answer.kind === 'serving'))
    return yes(
      'VolumeLost',
      `the volume of ${namesOf(lost)} is gone, and what only it held is in a running process: leave its Pod and host alone until it is replaced`,
    );
  return yes('VolumeLost', `the volume of ${namesOf(lost)} is gone: what only it held is lost`);
}

export function dataLost({ data, observation }: ConditionInput): Verdict {
  const hold = dataHold(data, observation);
  return hold === undefined ? no('AsExpected', 'no partition has lost all its homes') : yes(hold.reason, hold.message);
}

/** Has to be read by a person, but blocks nothing; undefined when no data is lost. */
export function dataHold({ losses = [], homes }: DataRecord, { cluster }: ClusterObservation): Hold | undefined {
  if (losses.length === 0) return undefined;
  const factor = homes?.replicationFactor ?? cluster.spec.replicationFactor;
  const texts = losses.map((loss) => lossText(loss, cluster.name, factor));
  return hold('DataLost', `${texts.join('; ')}: what was written there is gone unless a backup has it`, true);
}
