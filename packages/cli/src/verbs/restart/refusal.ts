// Answers: may this member be restarted now? Every other member has to be up, and none may be joining or leaving: a
// second member that is away may have the only other copy of some records. Pure.

import { findCondition, type MarekvsCluster, type MarekvsNode, type Operation } from '@marekvs/api';

export interface RestartRefusal {
  readonly why: string;
  readonly next: string;
  /** Whether `--force` overrides it. */
  readonly canBeForced: boolean;
}

export function restartRefusal(
  cluster: MarekvsCluster,
  nodes: readonly MarekvsNode[],
  node: MarekvsNode,
): RestartRefusal | undefined {
  const { namespace, name } = cluster.metadata;
  const own = node.metadata.name;
  const explained = `kubectl mkv explain ${name} -n ${namespace}`;
  if (cluster.spec.paused === true)
    return {
      why: `${name} is paused, so its Pod would not be made again`,
      next: `kubectl mkv resume ${name} -n ${namespace}`,
      canBeForced: false,
    };
  if (node.metadata.deletionTimestamp !== undefined)
    return { why: `${own} is leaving`, next: `kubectl mkv proof ${own} -n ${namespace}`, canBeForced: false };
  if (node.spec.stopped !== undefined)
    return {
      why: `${own} is stopped (${node.spec.stopped}), and has no Pod that could be restarted`,
      next: explained,
      canBeForced: false,
    };
  const operation = cluster.status?.operation;
  if (operation !== undefined)
    return {
      why: `${underWay(operation)} (phase ${operation.phase})`,
      next: `wait for it: kubectl mkv status ${name} -n ${namespace} --watch; or --force`,
      canBeForced: true,
    };
  const down = nodes.filter((other) => other.metadata.uid !== node.metadata.uid && !isUp(other));
  if (down.length === 0) return undefined;
  const names = down.map(({ metadata }) => metadata.name).join(', ');
  const isOne = down.length === 1;
  return {
    why: `${names} ${isOne ? 'is' : 'are'} not up, and ${own} may have the only copy of what ${isOne ? 'it has' : 'they have'}`,
    next: `${explained}; or --force`,
    canBeForced: true,
  };
}

/** Only a removal has a target. An update and a suspension have a turn; a hibernation concerns all members. */
function underWay({ type, target, roll }: Operation): string {
  if (target !== undefined) return `${target.name} is being removed`;
  return `${type} of ${roll?.name ?? 'all members'} is under way`;
}

function isUp({ metadata, status }: MarekvsNode): boolean {
  const isReady = findCondition(status?.conditions, 'Ready')?.status === 'True';
  return metadata.deletionTimestamp === undefined && status?.phase === 'Active' && isReady;
}
