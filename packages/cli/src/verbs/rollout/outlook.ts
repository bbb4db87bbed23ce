// Answers: how far is the rolling update of a cluster, what does it wait for, and what does a person's request change?
// Pure.

import { ANNOTATIONS, findCondition, kindOf, type MarekvsCluster, reasonRow } from '@marekvs/api';
import { type Change, refused } from '../../changing/change.ts';

export type Update = NonNullable<NonNullable<MarekvsCluster['status']>['update']>;

/** `unseen`: the operator has not acted on the latest request yet. `held`: a person has stopped the update. `blocked`:
 *  something else needs a person. */
export type RolloutOutlook =
  | { readonly kind: 'unseen' | 'underWay'; readonly why: string }
  | { readonly kind: 'inForce'; readonly why: string }
  | {
      readonly kind: 'held' | 'stopped' | 'blocked';
      readonly reason: string;
      readonly why: string;
      /** Commands, the most useful first. */
      readonly next: readonly string[];
    };

export function rolloutOutlook(cluster: MarekvsCluster): RolloutOutlook {
  const { status, metadata, spec } = cluster;
  const rolling = findCondition(status?.conditions, 'RollingOut');
  const update = status?.update;
  if (update === undefined || rolling === undefined || status?.observedGeneration !== metadata.generation)
    return { kind: 'unseen', why: 'the operator has not observed this spec yet' };
  const unheeded = unheededApproval(cluster, update, rolling.reason);
  if (unheeded !== undefined) return { kind: 'unseen', why: `the operator has not taken up the ${unheeded} yet` };
  const { stopped } = update;
  if (stopped !== undefined) {
    const why = `${stopped.node} did not come up with revision ${update.revision}: ${stopped.message}${wayBack(cluster)}`;
    return { kind: 'stopped', reason: stopped.reason, why, next: commands(cluster, 'undo', 'retry') };
  }
  const isTurn = kindOf(status.operation) === 'turn';
  const isEverywhere = update.updated === update.total && !isTurn;
  if (isEverywhere && status.formed !== undefined)
    return { kind: 'inForce', why: `every member has revision ${update.revision}` };
  if (spec.paused === true) {
    const next = [`kubectl mkv resume ${metadata.name} -n ${metadata.namespace}`];
    return { kind: 'held', reason: 'Paused', why: 'spec.paused is true: nobody is restarted', next };
  }
  if (reasonRow(rolling.reason)?.isUpdateHeld === true && !isTurn)
    return { kind: 'held', reason: rolling.reason, why: rolling.message, next: nextCommands(cluster, rolling.reason) };
  if (spec.hibernated === true) {
    const next = [`kubectl mkv wake ${metadata.name} -n ${metadata.namespace}`];
    return { kind: 'held', reason: 'Hibernated', why: 'spec.hibernated is true: nobody is restarted', next };
  }
  const stalled = findCondition(status.conditions, 'Stalled');
  if (stalled?.status === 'True') {
    const next = [`kubectl mkv explain ${metadata.name} -n ${metadata.namespace}`];
    return { kind: 'blocked', reason: stalled.reason, why: stalled.message, next };
  }
  return { kind: 'underWay', why: status.formed === undefined ? 'the cluster is being formed' : rolling.message };
}

/** What a person has asked for since the last pass of the operator. */
function unheededApproval({ metadata }: MarekvsCluster, update: Update, reason: string): string | undefined {
  const { annotations = {} } = metadata;
  const retry = annotations[ANNOTATIONS.rolloutRetry];
  if (update.stopped !== undefined && retry !== undefined && retry !== update.retried) return 'other try';
  if (reason === 'RolloutPaused' && annotations[ANNOTATIONS.rolloutPaused] !== 'true') return 'end of the pause';
  const isApproved = annotations[ANNOTATIONS.rolloutApproved] === update.revision;
  return reason === 'RolloutAwaitsApproval' && isApproved ? 'approval' : undefined;
}

function wayBack({ status }: MarekvsCluster): string {
  return status?.operation?.phase === 'RollingBack' ? '; it goes back to the template it had' : '';
}

function nextCommands(cluster: MarekvsCluster, reason: string): readonly string[] {
  switch (reason) {
    case 'RolloutPaused':
      return commands(cluster, 'resume');
    case 'RolloutAwaitsApproval':
      return commands(cluster, 'approve', 'undo');
    default:
      return [`kubectl delete pod <node> -n ${cluster.metadata.namespace}`];
  }
}

function commands({ metadata: { namespace, name } }: MarekvsCluster, ...verbs: readonly string[]): readonly string[] {
  return verbs.map((verb) => `kubectl mkv rollout ${verb} ${name} -n ${namespace}`);
}

/** What a verb does: nothing, because it is already so or has no effect now; or a write of these annotations. */
export type RolloutChange = Change<{ readonly annotations: Readonly<Record<string, string | null>> }>;

/** @param wanted the revision a person has reviewed; undefined: the one that waits */
export function approval(cluster: MarekvsCluster, wanted: string | undefined): RolloutChange {
  const { metadata, status } = cluster;
  const { name } = metadata;
  const outlook = rolloutOutlook(cluster);
  const revision = status?.update?.revision;
  if (revision !== undefined && metadata.annotations?.[ANNOTATIONS.rolloutApproved] === revision)
    return { kind: 'same', text: `revision ${revision} of ${name} is approved already` };
  if (outlook.kind !== 'held' || outlook.reason !== 'RolloutAwaitsApproval' || revision === undefined)
    return refused(`nothing of ${name} waits for an approval: ${outlook.why}`, statusCommand(cluster));
  if (wanted !== undefined && wanted !== revision)
    return refused(
      `revision ${revision} of ${name} waits for an approval, not ${wanted}`,
      `look at it: kubectl mkv rollout history ${name} -n ${metadata.namespace}`,
    );
  return {
    kind: 'change',
    annotations: { [ANNOTATIONS.rolloutApproved]: revision },
    did: `${name}: revision ${revision} may go on to the other members`,
    next: follow(cluster),
  };
}

export function pausing(cluster: MarekvsCluster, isPaused: boolean): RolloutChange {
  const { metadata, status } = cluster;
  const { namespace, name } = metadata;
  const isSo = metadata.annotations?.[ANNOTATIONS.rolloutPaused] === 'true';
  if (isSo === isPaused)
    return { kind: 'same', text: `the update of ${name} is ${isPaused ? 'paused already' : 'not paused'}` };
  const turn = kindOf(status?.operation) === 'turn' ? status?.operation?.roll?.name : undefined;
  const finished = turn === undefined ? '' : `; the turn of ${turn} is finished first`;
  return isPaused
    ? {
        kind: 'change',
        annotations: { [ANNOTATIONS.rolloutPaused]: 'true' },
        did: `${name}: no further member is restarted for a changed template${finished}`,
        next: `kubectl mkv rollout resume ${name} -n ${namespace}`,
      }
    : {
        kind: 'change',
        annotations: { [ANNOTATIONS.rolloutPaused]: null },
        did: `${name}: the update is no longer paused`,
        next: follow(cluster),
      };
}

/** @param at the present time: a value that no earlier retry has used */
export function anotherTry(cluster: MarekvsCluster, at: string): RolloutChange {
  const { name } = cluster.metadata;
  const outlook = rolloutOutlook(cluster);
  const stopped = cluster.status?.update?.stopped;
  if (outlook.kind === 'unseen' && stopped !== undefined) return { kind: 'same', text: `${name}: ${outlook.why}` };
  if (outlook.kind !== 'stopped' || stopped === undefined)
    return refused(`the update of ${name} has not stopped: ${outlook.why}`, statusCommand(cluster));
  return {
    kind: 'change',
    annotations: { [ANNOTATIONS.rolloutRetry]: at },
    did: `${name}: ${stopped.node}, where the update stopped, is tried again with the same template`,
    next: follow(cluster),
  };
}

function follow({ metadata: { namespace, name } }: MarekvsCluster): string {
  return `kubectl mkv rollout status ${name} -n ${namespace} --watch`;
}

function statusCommand({ metadata: { namespace, name } }: MarekvsCluster): string {
  return `kubectl mkv rollout status ${name} -n ${namespace}`;
}
