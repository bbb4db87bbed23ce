// The default of every field that has one, in one place: the schemas and withDefaults() both take them from here.

/** Defaults of MarekvsCluster.spec (docs/design/contract.md#defaults). */
export const DEFAULTS = {
  nodes: 3,
  replicationFactor: 2,
  storage: { size: '10Gi', autoGrow: { atPercent: 80, byPercent: 50, coolDownSeconds: 21_600 } },
  resources: { cpu: '500m', memory: '1Gi' },
  reclaimPvcs: false,
  retention: 'Retain',
  hostnameSpreadWhenUnsatisfiable: 'ScheduleAnyway',
  gcGraceSeconds: 604_800,
  autoscale: { scaleDownStabilizationSeconds: 300, scaleUpCooldownSeconds: 60 },
  update: {
    maxUnavailable: 1,
    minAvailablePercent: 75,
    canaryNodes: 0,
    rollbackOnFailure: true,
    progressDeadlineSeconds: 600,
    type: 'RollingUpdate',
  },
  removal: { deadlineSeconds: 3600 },
  verification: { intervalSeconds: 86_400 },
  hosts: { lostAfterSeconds: 600, moveOnDrain: true, replaceOnDrain: false },
  paused: false,
  hibernated: false,
  deletionProtection: false,
  /** Of MarekvsNode.spec. */
  serving: false,
  intent: 'Active',
} as const;
