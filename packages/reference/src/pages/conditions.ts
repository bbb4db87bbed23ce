// What each condition says. The reasons are on the page of errors.ts.

import type { ClusterConditionType, NodeConditionType } from '@marekvs/api';
import { code, page, table } from '../text/markdown.ts';

interface ConditionText {
  readonly whenTrue: string;
  readonly whenFalse: string;
}

const CLUSTER: Readonly<Record<ClusterConditionType, ConditionText>> = {
  Ready: {
    whenTrue: 'The desired number of members is ready, all agree on the membership, and nothing is under way.',
    whenFalse: 'The reason and the message say what is in the way, the most serious obstacle first.',
  },
  Available: {
    whenTrue: 'Every key has a home that serves: fewer members are away than replicationFactor.',
    whenFalse: 'Keys may have no home that serves.',
  },
  FullyReplicated: {
    whenTrue:
      'When contents were last compared, every record of every member was found on all its other homes, and the members have not changed since.',
    whenFalse:
      'Records are missing on a home, and the message says how many, of which member and where; or a member is leaving and the others are not yet proven to have every record. Unknown: not compared since the members changed, or the contents of a member cannot be read.',
  },
  Rescaling: {
    whenTrue: 'Members are being added, removed or repaired.',
    whenFalse: 'The number of nodes is the desired one.',
  },
  RollingOut: {
    whenTrue: 'Members are being restarted one by one to get a new template.',
    whenFalse:
      'Every member has the current template (TemplateCurrent), members of other clusters are restarted first (RolloutInLine), or no further member is restarted until somebody acts; the reason says why.',
  },
  Reconciling: {
    whenTrue: 'The operator is at work and making progress (kstatus).',
    whenFalse: 'Nothing is under way, or there is no progress without a person.',
  },
  Stalled: {
    whenTrue: 'A person has to act; the message says on what (kstatus).',
    whenFalse: 'Nobody has to act.',
  },
  DataAtRisk: {
    whenTrue:
      'A home of some data is lost, or is being removed without proof: what is left may be the last copy. It stays until contents have been compared.',
    whenFalse:
      'No volume is missing, nothing is being removed without proof, and contents have been compared since the last loss.',
  },
  DataLost: {
    whenTrue:
      'All homes of the partitions in the message were lost before their records were found elsewhere. It stays until somebody acknowledges it: `kubectl mkv acknowledge`.',
    whenFalse: 'No partition has lost all its homes, or the loss was acknowledged.',
  },
  Paused: {
    whenTrue: 'spec.paused: nothing is written to Pods, volumes and nodes.',
    whenFalse: 'The cluster is being reconciled.',
  },
  Hibernated: {
    whenTrue: 'spec.hibernated: no member runs, and none is started; nodes and volumes are kept.',
    whenFalse:
      'The members are to be stopped but are not yet, or are coming back; the reason and the message say how far it is. Absent otherwise.',
  },
  PendingChange: {
    whenTrue:
      'The spec asks for something that is not in force; `status.pendingChanges` has the field, what is asked for, what is in force, why, and what would change that.',
    whenFalse: 'Everything the spec asks for is in force.',
  },
};

const NODE: Readonly<Record<NodeConditionType, ConditionText>> = {
  Ready: {
    whenTrue: 'The Pod is ready, and the member reports itself as Active.',
    whenFalse: 'The reason says what is in the way.',
  },
  Joined: { whenTrue: 'Every other member sees it as Active.', whenFalse: 'Some do not, or did not answer.' },
  UpToDate: {
    whenTrue: 'The Pod was made from the current template.',
    whenFalse: 'The Pod was made from an older template.',
  },
  VolumeReady: {
    whenTrue: 'The volume claim is bound and belongs to this node.',
    whenFalse: 'It is not bound, is lost, or belongs to somebody else.',
  },
  VolumeUpToDate: {
    whenTrue: 'Never written: the condition is removed once the volume is as asked for.',
    whenFalse: 'The volume does not have the requested size or attributes yet; the message says how far it is.',
  },
  SafeToRemove: {
    whenTrue: 'A fresh proof is stored that every copy is also elsewhere.',
    whenFalse: 'Nothing is proven: do not remove the node by hand.',
  },
};

export function conditionsPage(): string {
  return page({
    title: 'Conditions',
    source: 'packages/reference/src/pages/conditions.ts and packages/api/src/reasons/conditions.ts',
    blocks: [
      'Each has `observedGeneration`, a reason from [the catalogue](../errors.md) and a message of one sentence. `lastTransitionTime` changes only with the status. A missing condition means Unknown, never False. Unknown: the members did not answer, so nothing can be said.',
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
