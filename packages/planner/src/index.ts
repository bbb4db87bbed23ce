export { ASKED_INTERVAL_MS, FOUND_INTERVAL_MS } from './adoption.ts';
export type { AdoptedData, Adoption } from './adoption-found.ts';
export { seenLoad, sizingInputs } from './autoscale/decision.ts';
export { decisionText } from './autoscale/decision-text.ts';
export { fillPercent } from './autoscale/disk.ts';
export {
  isWholeLoad,
  type Load,
  loadOf,
  type MemberLoad,
  RATE_WINDOW_MS,
  roundRate,
  STALE_RATE_MS,
  unevenText,
} from './autoscale/load.ts';
export { type Measuring, nextMeasuring } from './autoscale/measuring.ts';
export {
  decideSize,
  growsAtPercent,
  idealByLoad,
  loadBand,
  type SizingInputs,
  type SizingRules,
  type SizingVerdict,
  sizingRules,
} from './autoscale/rules.ts';
export type { AutoscaleSeen } from './autoscale/seen.ts';
export { CLAIM_PATIENCE_MS, claimTrouble, isWaitingForClaim, PROVISIONING_PATIENCE_MS } from './claim-trouble.ts';
export { type ClusterPlan, planCluster } from './cluster-plan.ts';
export type { ClusterStep, NodeOrigin } from './cluster-step.ts';
export type {
  Comparison,
  ComparisonFigures,
  ContentAnswer,
  ContentQuestion,
  CreateComparison,
} from './contents/comparison.ts';
export { coverageOf } from './contents/covers.ts';
export { createComparison } from './contents/create-comparison.ts';
export { Judged } from './contents/judged.ts';
export { progressText } from './contents/report-text.ts';
export {
  COMPARISON_PURPOSES,
  type ComparedMember,
  type ComparisonPurpose,
  type ComparisonReport,
  type ComparisonRequest,
  type DivergingRegisters,
  isSameComparison,
  type MissingRecords,
} from './contents/request.ts';
export type { Verification } from './contents/verification.ts';
export type { DataRecord } from './data-record.ts';
export { dataRecord, lossText, riskText } from './data-record.ts';
export { departureHold } from './departure-permit.ts';
export { removalProofProblem } from './departure-proof.ts';
export { FORMING_DEADLINE_MS, LONELY_MEMBER_MS } from './forming.ts';
export { type Hold, hold, namesOf, timeMs, timeText } from './hold.ts';
export { awayMembers } from './hosts/away-members.ts';
export { isReplacedOnDrain } from './hosts/drain-mark.ts';
export { CONFIRM_MS, type HostFinding, isAway } from './hosts/finding.ts';
export { leavingMembers } from './hosts/moving.ts';
export { areHostsFewer, labelText, planHostsSize } from './hosts/one-per-host.ts';
export type { SelectedHost, SelectedHosts } from './hosts/selected-host.ts';
export { type ZoneSpread, zoneSpread } from './hosts/zone-spread.ts';
export { hasLostVolume } from './members/lost-volume.ts';
export { agreeOnMembership, groupByView, isActiveMember, isBehindService } from './membership.ts';
export { GHOST_MEMBER_MS } from './new-nodes.ts';
export { type NodePhase, nodePhase, seenBy } from './node-phase.ts';
export { isVolumeToRecord, PASSWORD_INTERVAL_MS, planNode } from './node-plan.ts';
export {
  type NodeObservation,
  type NodePlan,
  type NodeStep,
  ownPod,
  type ParentState,
  STUCK_TERMINATING_MS,
} from './node-step.ts';
export type {
  ClusterObservation,
  ClusterRecord,
  HostState,
  MemberAnswer,
  NodeRecord,
  PodRecord,
  ResizePermit,
  ResizeSupport,
  RevisionRecord,
  ViewHistory,
  VolumeGrowth,
  VolumeRecord,
} from './observation.ts';
export { OUTAGE_CHECK_MS, outageHold } from './outage.ts';
export { ownedPartitions } from './owned-partitions.ts';
export {
  NO_PASSWORD,
  type PasswordSource,
  passwordSource,
  type SecretKeyRef,
  secretOfSource,
} from './password-source.ts';
export { isWantedByAll, membersWithOtherPassword, wantsPassword } from './passwords.ts';
export { isOperationPending } from './pending-operation.ts';
export { podTrouble, RETURN_PATIENCE_MS, startPatienceLeftMs, UNSCHEDULED_PATIENCE_MS } from './pod-trouble.ts';
export { releaseObstacle } from './releasing/obstacle.ts';
export type { ReleaseTurn } from './releasing/plan.ts';
export type { HandedChild, ReleaseSeen, ReleaseSet } from './releasing/seen.ts';
export { type Candidate, chooseCandidate, hostsToAsk, isStillWanted } from './removal/candidate.ts';
export {
  type DiskFigures,
  type DiskForecast,
  forecastDisks,
  highWaterPercent,
  predictedGains,
} from './removal/capacity.ts';
export type { Check } from './removal/checks.ts';
export {
  checkNames,
  type Evidence,
  type PostProofInput,
  type PreProofInput,
  postRemovalEvidence,
  preRemovalEvidence,
} from './removal/evidence.ts';
export {
  type MemberFacts,
  type MemberFigures,
  type MemberReading,
  nextFacts,
  type ObserverTrace,
} from './removal/member-facts.ts';
export {
  FIGURE_CHECK_NAMES,
  PREFLIGHT_CHECKS,
  type PreflightCheck,
  preflight,
  RETRY_DELAY_MS,
  retryAllowed,
} from './removal/preflight.ts';
export { PROOF_LIFETIME_MS, type ProofFacts, proofOf, proofProblem } from './removal/proof.ts';
export { blockedBy, goesByProof } from './removal/record.ts';
export { needsReplacement, removalBasis, survivorsOf } from './removal/replacement.ts';
export { presentTopology, topologyHash } from './removal/topology.ts';
export { mayStartNow, START_PATIENCE_MS } from './restart-order.ts';
export { isMeshShort } from './rolling/failure.ts';
export { type ComingTurn, comingTurns, isTurnPending, restingReason, stoppedHold } from './rolling/next-turn.ts';
export type { ComputeResources, ContainerResources, PodResources } from './rolling/resources.ts';
export { isAskedFor } from './rolling/resources.ts';
export { isHalfResized, isUpdated, runningRevision } from './rolling/revisions.ts';
export { isResizeWanted, resizeSupportOf, wayOfTurn } from './rolling/way-of-turn.ts';
export { sameValue } from './same-value.ts';
export { sharedFactor } from './shared-factor.ts';
export {
  chooseNodeIds,
  type DesiredSize,
  desiredSize,
  detachedVolumes,
  highestIdEverUsed,
  nextNodeIds,
  REUSE_PATIENCE_MS,
  type SizeRecord,
} from './sizing.ts';
export { isPastGrace, neededGraceSeconds } from './sleep/grace.ts';
export { isAsleep, isHibernation } from './sleep/hibernation.ts';
export { isSuspension } from './sleep/suspension.ts';
export { soonest } from './soonest.ts';
export { leadingLess, type ViewLine, viewKey } from './view-line.ts';
export { detachedVolumeStates, reusableForMs, volumeAge } from './volume-age.ts';
export { sizeOfNewVolume } from './volumes/auto-grow.ts';
export { changeText, claimChange, isLarger, volumeHold } from './volumes/claim-change.ts';
