export { type ClusterPlan, type ClusterStep, GHOST_MEMBER_MS, type NodeOrigin, planCluster } from './cluster-plan.ts';
export { FORMING_DEADLINE_MS, LONELY_MEMBER_MS } from './forming.ts';
export { agreeOnMembership, groupByView, type Membership, type UnknownMembership, viewKey } from './membership.ts';
export { type NodePhase, nodePhase, seenBy } from './node-phase.ts';
export {
  type NodeObservation,
  type NodePlan,
  type NodeStep,
  type ParentState,
  planNode,
  STUCK_TERMINATING_MS,
} from './node-plan.ts';
export type {
  ClusterObservation,
  ClusterRecord,
  Hold,
  MemberAnswer,
  NodeRecord,
  PodRecord,
  ViewHistory,
  ViewLine,
  VolumeRecord,
} from './observation.ts';
export { ownedPartitions } from './owned-partitions.ts';
export { podTrouble, RETURN_PATIENCE_MS, UNSCHEDULED_PATIENCE_MS } from './pod-trouble.ts';
export type { AuditKind, AuditMember, AuditReport, AuditRequest } from './removal/audit.ts';
export { type Baseline, healthyBaseline } from './removal/baseline.ts';
export { canaryKey, canaryPartitions, canaryValue, homesForReading, MAX_CANARIES } from './removal/canaries.ts';
export type { Check, CheckName } from './removal/checks.ts';
export {
  type Evidence,
  type PostProofInput,
  type PreProofInput,
  type ProofRules,
  type ProofTier,
  postRemovalEvidence,
  preRemovalEvidence,
} from './removal/evidence.ts';
export { type IsolationInput, isolationChecks } from './removal/isolation.ts';
export { PROOF_LIFETIME_MS, type ProofAbout, type ProofFacts, proofOf, proofProblem } from './removal/proof.ts';
export { idleRounds, quietRounds, requiredRounds, settledRounds } from './removal/rounds.ts';
export type { MemberHistory, MemberSample } from './removal/sample.ts';
export { presentTopology, type Topology, topologyHash } from './removal/topology.ts';
export { mayStartNow, START_PATIENCE_MS, type Turn } from './restart-order.ts';
export {
  type DesiredSize,
  desiredSize,
  detachedVolumes,
  hasLostVolume,
  highestIdEverUsed,
  nextNodeIds,
} from './sizing.ts';
