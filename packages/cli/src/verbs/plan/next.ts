// Answers: what would the operator do next, as far as can be seen from here? The real planner, run on the observation.
// Pure.

import { nodeName, type OperationPhase } from '@marekvs/api';
import {
  type ClusterObservation,
  type ClusterStep,
  type ComingTurn,
  chooseCandidate,
  comingTurns,
  FIGURE_CHECK_NAMES,
  type Hold,
  hold,
  leavingMembers,
  type PreflightCheck,
  planCluster,
  preflight,
  restingReason,
  retryAllowed,
} from '@marekvs/planner';
import type { SeenFromHere } from '../../cluster/observation.ts';

export interface NextSteps {
  /** What it would do at once, one sentence each. */
  readonly steps: readonly string[];
  /** What keeps it from doing more. */
  readonly holds: readonly Hold[];
  readonly removal: RemovalOutlook | undefined;
  /** Members that get another template, in the order of their turns; undefined when there are none. */
  readonly turns: TurnsOutlook | undefined;
  /** Members that are moved to another host. */
  readonly moves: readonly MoveOutlook[];
  readonly unseen: readonly string[];
}

export interface TurnsOutlook {
  readonly revision: string;
  readonly members: readonly { readonly node: string; readonly way: ComingTurn['way'] }[];
  /** What keeps the next turn from beginning. */
  readonly waits: Hold | undefined;
}

/** The node that leaves next, or is leaving. */
export interface RemovalOutlook {
  readonly node: string;
  readonly why: string;
  readonly basis: string;
  /** The phase of the operation under way; undefined before one has begun. */
  readonly phase: OperationPhase | undefined;
  /** Checks that could be made from here, in their order; the last one may not have passed. */
  readonly checks: readonly PreflightCheck[];
  /** Names of the checks that only the operator can make. */
  readonly unseenChecks: readonly string[];
  /** What stands in its way, as far as it is known. */
  readonly waits: Hold | undefined;
  /** What comes after the present phase. */
  readonly comes: string;
}

/** @param reported what the operator's status says is in the way */
export function nextSteps(
  { observation: o, unseen, hasLists }: SeenFromHere,
  reported: readonly Hold[] = [],
): NextSteps {
  const plan = planCluster(o);
  const { operation } = o.cluster;
  const mayPlan = o.cluster.problems.length === 0 && !o.cluster.spec.paused;
  const removal = operation === undefined ? (mayPlan ? removalOutlook(o, plan.desiredNodes) : undefined) : underWay(o);
  // Without figures the planner waits for them. What the operator really waits for is in the removal's outlook.
  const isBlind = ({ reason, message }: Hold) =>
    message === plan.removal.waits?.message || (reason === 'NotObserved' && !hasLists);
  const own = plan.holds.filter((hold) => !isBlind(hold));
  return {
    steps: plan.steps.map((step) => stepText(step.kind, step, o.cluster.name)),
    holds: [...own, ...reported.filter(({ reason }) => !own.some((hold) => hold.reason === reason))],
    removal,
    turns: turnsOutlook(o),
    moves: mayPlan ? movesOutlook(o) : [],
    unseen,
  };
}

function turnsOutlook(o: SeenFromHere['observation']): TurnsOutlook | undefined {
  const { problems, templateHash: revision, spec } = o.cluster;
  if (problems.length > 0 || spec.update.type === 'OnDelete') return undefined;
  const members = comingTurns(o).map(({ node, way }) => ({ node: node.name, way }));
  return members.length === 0 ? undefined : { revision, members, waits: restingReason(o) };
}

function removalOutlook(o: SeenFromHere['observation'], desired: number): RemovalOutlook | undefined {
  const { candidate } = chooseCandidate(o, desired);
  if (candidate === undefined) return undefined;
  const { checks, missing } = preflight(o, candidate);
  const seen = checks.filter(({ name }) => !FIGURE_CHECK_NAMES.includes(name));
  const isBlind = missing === undefined || seen.length < checks.length;
  return {
    node: candidate.node.name,
    why: candidate.chosen,
    basis: candidate.basis,
    phase: undefined,
    checks: seen,
    unseenChecks: FIGURE_CHECK_NAMES,
    waits: retryAllowed(o) ?? (isBlind ? undefined : missing),
    comes: COMES.Claimed,
  };
}

function underWay({ cluster: { operation, spec } }: SeenFromHere['observation']): RemovalOutlook | undefined {
  if (operation === undefined) return undefined;
  const { target, roll, chosen, basis, phase, blocked } = operation;
  const waits = blocked === undefined ? undefined : hold(blocked.reason as Hold['reason'], blocked.message);
  return {
    node: (target ?? roll)?.name ?? 'a node',
    why: chosen ?? '',
    basis: basis ?? 'Proof',
    phase,
    checks: [],
    unseenChecks: [],
    waits: spec.paused ? hold('Paused', 'spec.paused is true') : waits,
    comes: (target === undefined ? STAYING[phase] : undefined) ?? COMES[phase],
  };
}

/** What the operator does next in each phase. */
const COMES: Readonly<Record<OperationPhase, string>> = {
  Claimed: 'it is taken out of the client Service and told to leave; its clients move to the other members',
  Isolating:
    'when no member names it to clients any more, these have had time to move, and the others have what it has, its door is closed',
  Sealing: 'when all others show it behind its closed door, the proof that every copy is elsewhere is gathered',
  Proving: 'when every check of the proof has passed, its MarekvsNode is deleted: the point of no return',
  Deleting: 'its MarekvsNode is deleted with the proof that was stored',
  Departing: 'when its Pod has ended and every other member has dropped it, the others are proven to be complete',
  Settling: 'when the others are proven to be complete, its volume is kept or deleted by spec.volumeRetention',
  Reclaiming: 'its volume is deleted, and the operation is closed',
  Closed: 'the next node that has to go is looked for',
  Cancelling: 'when its restarted member is Active in every view, the operation is closed as cancelled',
  Restarting: 'when its restarted member is Active in every view and meshed with all, it serves clients again',
  CatchingUp: 'when every record of the others is on it, the next member has its turn',
  RollingBack: 'when it is one of the others again with the template it had, the update stays stopped',
  Resizing:
    'when its host says that its Pod has the other resources, the next member has its turn; nobody is restarted',
  Stopping: 'when the Pods have ended, nothing runs on the volumes until a person says so',
  Suspended: 'when a person resumes it, its Pod is made again on its volume',
  Hibernated: 'when a person wakes the cluster, all members start together',
  Waking: 'when all members serve and have every record, everything else goes on',
};

/** The same for a member that stays: its process only ends for a while. */
const STAYING: Readonly<Partial<Record<OperationPhase, string>>> = {
  Isolating: 'when no client is sent to it any more, and clients have had time to move, it is compared with the others',
  Proving: 'when the others have what it has, its process is ended',
};

type StepKind = ClusterStep['kind'];
type Steps = { readonly [K in StepKind]: Extract<ClusterStep, { readonly kind: K }> };

const STEP_TEXTS: { readonly [K in StepKind]: (step: Steps[K], cluster: string) => string } = {
  createNode: (step, cluster) => `create MarekvsNode ${nodeName(cluster, step.id)} (${step.why})`,
  setServing: (step) =>
    `${step.serving ? 'put' : 'take'} ${step.node.name} ${step.serving ? 'behind' : 'out of'} the client Service`,
  setSeeds: (step) => `restart ${step.node.name} empty with the seeds ${step.seeds.join(', ')}`,
  markHostLost: (step) => `replace ${step.node.name}: its host ${step.host} is lost, and its volume with it`,
  unmarkHostLost: (step) => `keep ${step.node.name}: its member answers again`,
  markHostDrained: (step) =>
    `replace ${step.node.name}: its host ${step.host} is being drained, and its volume can be on no other`,
  unmarkHostDrained: (step) =>
    `keep ${step.node.name}: nobody wants it to be replaced for its host ${step.host} any more`,
  stampNode: (step) => `give the next Pod of ${step.node.name} revision ${step.revision}`,
  stampPassword: (step) =>
    `start the next Pod of ${step.node.name} with the password that is in force, and leave its present Pod as it is`,
  forgetPasswords: (step) => `take the note of earlier Secrets off ${step.node.name}`,
  restartNode: (step) => `restart ${step.node.name} on its volume with revision ${step.revision}`,
  resizeNode: (step) =>
    `let the running Pod of ${step.node.name} have the resources of revision ${step.revision}, without a restart`,
  stopNode: (step) => `end the Pod of ${step.node.name}, and make none`,
  startNode: (step) => `make the Pod of ${step.node.name} again`,
  resumeNode: (step) => `make the Pod of ${step.node.name} again`,
  endRestart: (step) =>
    `put ${step.node.name} ${step.serving ? 'behind' : 'out of'} the client Service and take its mark off`,
  storeRevision: (step) => `store template ${step.hash}`,
  dropRevision: (step) => `delete ControllerRevision ${step.revision.name}, which nobody needs any more`,
  isolate: (step) => `take ${step.node.name} out of the client Service and tell it to leave`,
  sealNode: (step) => `restart ${step.node.name} on its volume with its door closed to clients`,
  reinstate: (step) => `take ${step.node.name} back: behind the client Service and Active`,
  setStorage: (step) =>
    step.size === undefined
      ? `give the volume of ${step.node.name} VolumeAttributesClass ${step.attributesClass}`
      : `let the volume of ${step.node.name} grow to ${step.size}`,
  deleteNode: (step) => `delete MarekvsNode ${step.node.name}: the point of no return`,
  deleteVolume: (step) => `delete volume ${step.volume.name}`,
  ownVolume: (step) => `${step.isOwned ? 'let' : 'no longer let'} volume ${step.volume.name} go with the cluster`,
  protectNode: (step) => `${step.isProtected ? 'protect' : 'unprotect'} MarekvsNode ${step.node.name}`,
  protectVolume: (step) => `${step.isProtected ? 'protect' : 'unprotect'} volume ${step.volume.name}`,
  handChild: (step) => `switch ${step.child.kind} ${step.child.name} to the selector of a StatefulSet`,
  dropNode: (step) => `delete MarekvsNode ${step.node.name}, whose Pod a StatefulSet has`,
  rememberId: (step) => `note on volume ${step.volume.name} that ids up to ${step.id} were used`,
};

function stepText<K extends StepKind>(kind: K, step: Steps[K], cluster: string): string {
  return STEP_TEXTS[kind](step, cluster);
}

/** A member that would be moved to another host. One that cannot be moved is replaced or stays, which the steps and
 *  holds tell. */
interface MoveOutlook {
  readonly node: string;
  /** The host it leaves. */
  readonly host: string;
  /** A relative clause about the host. */
  readonly why: string;
}

/** In the order of their moves, without the member that is being moved now. */
function movesOutlook(o: ClusterObservation): readonly MoveOutlook[] {
  const { operation } = o.cluster;
  return leavingMembers(o)
    .filter(({ uid }) => o.hostFindings.get(uid)?.volume === 'movable' && uid !== operation?.roll?.uid)
    .flatMap(({ name, pod }) => {
      const host = pod?.hostName;
      if (host === undefined) return [];
      return [
        { node: name, host, why: o.drainedHosts.has(host) ? 'which is being drained' : 'which is not its alone' },
      ];
    });
}
