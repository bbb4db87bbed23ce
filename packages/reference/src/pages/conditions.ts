// What each condition says. The reasons are on the page of errors.ts.

import type { ClusterConditionType, NodeConditionType } from '@marekvs/api';
import { code, page, table } from '../markdown.ts';

interface ConditionText {
  readonly whenTrue: string;
  readonly whenFalse: string;
}

const CLUSTER: Readonly<Record<ClusterConditionType, ConditionText>> = {
  Ready: {
    whenTrue: 'As many members as wanted are ready, all agree on the membership, and nothing is under way.',
    whenFalse: 'The reason and the message say what is in the way, the most serious first.',
  },
  Available: {
    whenTrue: 'Every key has a home that serves: fewer members are away than replicationFactor.',
    whenFalse: 'Keys may have no home that serves.',
  },
  FullyReplicated: {
    whenTrue:
      'When contents were last compared, every record of every member was seen on every other home of it. The members are the same since.',
    whenFalse:
      'Records are missing on a home, the message says how many of whom and where; or a member leaves and the others are not proven to have every record yet. Unknown: not compared since the members changed, or a member’s contents cannot be read.',
  },
  Rescaling: {
    whenTrue: 'Members are added, removed or repaired.',
    whenFalse: 'The number of nodes is the wanted one.',
  },
  RollingOut: {
    whenTrue: 'Members are restarted one by one to take up a new template.',
    whenFalse:
      'Every member has the template that is asked for (TemplateCurrent), members of other clusters are restarted first (RolloutInLine), or no further one is restarted until somebody acts; the reason says why.',
  },
  Reconciling: {
    whenTrue: 'The operator is at work and gets on (kstatus).',
    whenFalse: 'Nothing is under way, or nothing gets on without a person.',
  },
  Stalled: {
    whenTrue: 'A person has to act; the message names what (kstatus).',
    whenFalse: 'Nobody has to act.',
  },
  DataAtRisk: {
    whenTrue:
      'A home of some data is lost or goes without proof: what is left may be the last copy. It stays until contents were compared.',
    whenFalse: 'No volume is missing, nothing goes without proof, and contents were compared since the last loss.',
  },
  DataLost: {
    whenTrue:
      'All homes of the partitions in the message were lost before their records were seen elsewhere. It stays until somebody acknowledges it: `kubectl mkv acknowledge`.',
    whenFalse: 'No partition has lost all its homes, or it was acknowledged.',
  },
  Paused: {
    whenTrue: 'spec.paused: nothing is written to Pods, volumes and nodes.',
    whenFalse: 'The cluster is being reconciled.',
  },
  Hibernated: {
    whenTrue: 'spec.hibernated: no member runs, and none is started; nodes and volumes are kept.',
    whenFalse:
      'The members are to stop and have not, or are coming back; the reason and the message say how far it is. Absent otherwise.',
  },
  PendingChange: {
    whenTrue:
      'The spec asks for something that is not in force; `status.pendingChanges` has field, asked, effective, why and what ends it.',
    whenFalse: 'Everything the spec asks for is in force.',
  },
};

const NODE: Readonly<Record<NodeConditionType, ConditionText>> = {
  Ready: {
    whenTrue: 'The Pod is ready and the member is Active by its own word.',
    whenFalse: 'The reason says what is in the way.',
  },
  Joined: { whenTrue: 'Every other member shows it as Active.', whenFalse: 'Some do not, or did not say.' },
  UpToDate: {
    whenTrue: 'The Pod was made from the current template.',
    whenFalse: 'The Pod was made from an older template.',
  },
  VolumeReady: {
    whenTrue: 'The volume claim is bound and belongs to this node.',
    whenFalse: 'It is not bound, lost, or belongs to somebody else.',
  },
  VolumeUpToDate: {
    whenTrue: 'Never written: it is taken away when the volume is what is asked for.',
    whenFalse: 'The volume has not the size or the attributes that are asked for; the message says how far it is.',
  },
  SafeToRemove: {
    whenTrue: 'A fresh proof is stored that every copy is elsewhere.',
    whenFalse: 'Nothing is proven: it must not be removed by hand.',
  },
};

export function conditionsPage(): string {
  return page({
    title: 'Conditions',
    source: 'packages/reference/src/pages/conditions.ts and packages/api/src/conditions.ts',
    blocks: [
      'Each has `observedGeneration`, a reason of [the catalogue](../errors.md) and a message of one sentence. `lastTransitionTime` changes with the status alone. A condition that is missing is Unknown, never False. Unknown: the members did not answer, so nothing can be said.',
      '## MarekvsCluster',
      rows(CLUSTER),
      '## MarekvsNode',
      rows(NODE),
      '```sh\nkubectl wait mkv/<cluster> -n <namespace> --for=condition=Ready --timeout=5m\n```',
    ],
  });
}

function rows(texts: Readonly<Record<string, ConditionText>>): string {
  return table(
    ['condition', 'True', 'False'],
    Object.entries(texts).map(([type, { whenTrue, whenFalse }]) => [code(type), whenTrue, whenFalse]),
  );
}
