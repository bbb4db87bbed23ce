export { decisionText } from './autoscale/decision-text.ts';
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
export { seenLoad, sizingInputs } from './cluster/autoscaling.ts';
export { type ClusterPlan, planCluster } from './cluster/cluster-plan.ts';
export type {
  Comparison,
  ComparisonFigures,
  ContentAnswer,
  ContentQuestion,
  CreateComparison,
} from './contents/comparison.ts';
export { createComparison } from './contents/create-comparison.ts';
export { Judged } from './contents/judged.ts';
export { coverageOf } from './contents/records/record-coverage.ts';
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
export { CHECKS, type Check, type CheckName, checksFor, type Purpose } from './evidence/checks.ts';
export {
  type Evidence,
  type PostProofInput,
  type PreProofInput,
  postRemovalEvidence,
  preRemovalEvidence,
} from './evidence/evidence.ts';
export {
  FIGURE_CHECK_NAMES,
  type PreflightCheck,
  preflight,
  RETRY_DELAY_MS,
  retryAllowed,
} from './evidence/preflight/preflight.ts';
export { PROOF_LIFETIME_MS, type ProofFacts, proofOf, proofProblem } from './evidence/proof.ts';
export { progressText } from './evidence/report-text.ts';
export type { DataRecord } from './evidence/verification/data-record.ts';
export { dataRecord, lossText, riskText } from './evidence/verification/data-record.ts';
export type { Verification } from './evidence/verification/verification.ts';
export { ASKED_INTERVAL_MS, FOUND_INTERVAL_MS } from './forming/adoption.ts';
export { FORMING_DEADLINE_MS, LONELY_MEMBER_MS } from './forming/forming.ts';
export { awayMembers } from './hosts/away-members.ts';
export { leavingMembers } from './hosts/leaving-members.ts';
export { type ZoneSpread, zoneSpread } from './hosts/zone-spread.ts';
export {
  CLAIM_PATIENCE_MS,
  claimTrouble,
  isWaitingForClaim,
  PROVISIONING_PATIENCE_MS,
} from './members/claim-trouble.ts';
export { isReplacedOnDrain } from './members/drain-mark.ts';
export { hasLostVolume, isActiveMember, isBehindService, permitFor } from './members/member-state.ts';
export { agreeOnMembership, groupByView } from './members/membership.ts';
export { ownedPartitions } from './members/owned-partitions.ts';
export { isWantedByAll, membersWithOtherPassword, wantsPassword } from './members/passwords.ts';
export { podTrouble, RETURN_PATIENCE_MS, startPatienceLeftMs, UNSCHEDULED_PATIENCE_MS } from './members/pod-trouble.ts';
export { needsReplacement, removalBasis, survivorsOf } from './members/replacement.ts';
export { sharedFactor } from './members/shared-factor.ts';
export { presentTopology, topologyHash } from './members/topology.ts';
export { detachedVolumeStates, reusableForMs, volumeAge } from './members/volume-age.ts';
export { departureHold } from './node/departure-permit.ts';
export { removalProofProblem } from './node/departure-proof.ts';
export { isVolumeToRecord, PASSWORD_INTERVAL_MS, planNode } from './node/node-plan.ts';
export {
  type NodeObservation,
  type NodePlan,
  type NodeStep,
  ownPod,
  type ParentState,
  STUCK_TERMINATING_MS,
} from './node/node-step.ts';
export { OUTAGE_CHECK_MS, outageHold } from './node/outage.ts';
export { type NodePhase, nodePhase, seenBy } from './node/phase.ts';
export { START_PATIENCE_MS, waitToStart } from './node/restart-order.ts';
export type { AdoptedData, Adoption } from './observation/adoption-found.ts';
export type { ClusterRecord, RevisionRecord } from './observation/cluster-record.ts';
export { CONFIRM_MS, type HostFinding, isAway } from './observation/host-finding.ts';
export type { MemberAnswer } from './observation/member-answer.ts';
export {
  type MemberFacts,
  type MemberFigures,
  type MemberReading,
  nextFacts,
  type ObserverTrace,
} from './observation/member-facts.ts';
export type { NodeRecord, PodRecord, ResizePermit } from './observation/node-record.ts';
export type { ClusterObservation, HostState, ResizeSupport, ViewHistory } from './observation/observation.ts';
export type { HandedChild, ReleaseSeen, ReleaseSet } from './observation/release-seen.ts';
export type { SelectedHost, SelectedHosts } from './observation/selected-hosts.ts';
export type { VolumeGrowth, VolumeRecord } from './observation/volume-record.ts';
export { blockedBy, goesByProof } from './operations/record.ts';
export {
  type ComingTurn,
  comingTurns,
  isTurnPending,
  restingReason,
  stoppedHold,
} from './operations/rolling/next-turn.ts';
export { isMeshShort } from './operations/rolling/turn-failure.ts';
export { isResizeWanted, resizeSupportOf, wayOfTurn } from './operations/rolling/way-of-turn.ts';
export { isOperationPending, STARTERS } from './operations/rows/starters.ts';
export { isPastGrace, neededGraceSeconds } from './operations/sleep/grace.ts';
export { isAsleep, isHibernation } from './operations/sleep/hibernation.ts';
export { releaseObstacle } from './releasing/obstacle.ts';
export type { ReleaseTurn } from './releasing/plan.ts';
export { type Candidate, chooseCandidate, hostsToAsk, isStillWanted } from './size/candidate.ts';
export { GHOST_MEMBER_MS } from './size/new-nodes.ts';
export { areHostsFewer, labelText, planHostsSize } from './size/one-per-host.ts';
export {
  chooseNodeIds,
  type DesiredSize,
  desiredSize,
  detachedVolumes,
  highestIdEverUsed,
  nextNodeIds,
  REUSE_PATIENCE_MS,
  type SizeRecord,
} from './size/sizing.ts';
export type { ClusterStep, NodeOrigin } from './steps/cluster-step.ts';
export { soonest } from './steps/soonest.ts';
export { isHalfResized, isUpdated, runningRevision } from './templates/revisions.ts';
export type { ComputeResources, ContainerResources, PodResources } from './values/compute-resources.ts';
export { isAskedFor } from './values/compute-resources.ts';
export { type Hold, hold, namesOf, timeMs, timeText } from './values/hold.ts';
export {
  NO_PASSWORD,
  type PasswordSource,
  passwordSource,
  type SecretKeyRef,
  secretOfSource,
} from './values/password-source.ts';
export { sameValue } from './values/same-value.ts';
export { leadingLess, type ViewLine, viewKey } from './values/view-line.ts';
export { sizeOfNewVolume } from './volumes/auto-grow.ts';
export { changeText, claimChange, isLarger, volumeHold } from './volumes/claim-change.ts';
export { fillPercent } from './volumes/disk-fill.ts';
export {
  type DiskFigures,
  type DiskForecast,
  forecastDisks,
  highWaterPercent,
  predictedGains,
} from './volumes/disk-forecast.ts';
