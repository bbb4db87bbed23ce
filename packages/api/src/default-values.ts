// The default of every field that has one, in one place: the schemas and withDefaults() both take them from here.

/** Defaults of MarekvsCluster.spec (docs/design/contract.md#defaults). */
export const DEFAULTS = {
  nodes: 3,
  replicationFactor: 2,
  storageSize: '10Gi',
  autoGrowAtPercent: 80,
  autoGrowByPercent: 50,
  autoGrowCoolDownSeconds: 21_600,
  cpu: '500m',
  memory: '1Gi',
  reclaimPvcs: false,
  retention: 'Retain',
  hostnameSpreadWhenUnsatisfiable: 'ScheduleAnyway',
  gcGraceSeconds: 604_800,
  scaleDownStabilizationSeconds: 300,
  scaleUpCooldownSeconds: 60,
  maxUnavailable: 1,
  minAvailablePercent: 75,
  canaryNodes: 0,
  rollbackOnFailure: true,
  progressDeadlineSeconds: 600,
  updateType: 'RollingUpdate',
  removalDeadlineSeconds: 3600,
  verificationIntervalSeconds: 86_400,
  lostAfterSeconds: 600,
  moveOnDrain: true,
  paused: false,
  deletionProtection: false,
  /** Of MarekvsNode.spec. */
  serving: false,
  intent: 'Active',
} as const;
