// The numbers the schemas, the CEL rules and validation share. Size limits on texts, lists and maps are there because
// the API server refuses a CEL rule whose worst case it cannot bound.

export interface Range {
  readonly min: number;
  readonly max: number;
}

const YEAR_SECONDS = 31_536_000;

/** Bounds of integer fields of MarekvsCluster.spec, by path below `spec`. */
export const INTEGER_RANGES = {
  // Gossip carries about 1,000 members in one datagram (docs/design/server.md#bounds).
  nodes: { min: 1, max: 1000 },
  replicationFactor: { min: 1, max: 16 },
  gcGraceSeconds: { min: 1, max: 10 * YEAR_SECONDS },
  'autoscale.minNodes': { min: 1, max: 1000 },
  'autoscale.maxNodes': { min: 1, max: 1000 },
  'autoscale.scaleDownStabilizationSeconds': { min: 0, max: YEAR_SECONDS },
  'autoscale.scaleUpCooldownSeconds': { min: 0, max: YEAR_SECONDS },
  'autoscale.targetDiskPercent': { min: 1, max: 95 },
  // From 90 % on a member may stop writes (docs/design/server.md#disk).
  'storage.autoGrow.atPercent': { min: 1, max: 90 },
  'storage.autoGrow.byPercent': { min: 1, max: 1000 },
  'storage.autoGrow.coolDownSeconds': { min: 0, max: YEAR_SECONDS },
  'update.maxUnavailable': { min: 1, max: 1000 },
  'update.minAvailablePercent': { min: 0, max: 100 },
  'update.canaryNodes': { min: 0, max: 1000 },
  'update.progressDeadlineSeconds': { min: 1, max: YEAR_SECONDS },
  'removal.deadlineSeconds': { min: 1, max: YEAR_SECONDS },
  'removal.clientGraceSeconds': { min: 0, max: 600 },
  'verification.intervalSeconds': { min: 0, max: YEAR_SECONDS },
  'hosts.lostAfterSeconds': { min: 0, max: YEAR_SECONDS },
  'hosts.onePerHost.minNodes': { min: 1, max: 1000 },
  'hosts.onePerHost.maxNodes': { min: 1, max: 1000 },
} as const satisfies Readonly<Record<string, Range>>;

/** Smallest gcGraceSeconds of a new or changed spec: that of the server, and of a StatefulSet that is taken over. A
 *  smaller one that was stored before this rule stays in force, so INTEGER_RANGES, which nodes share, allows it. */
export const MIN_GC_GRACE_SECONDS = 3600;

/** Values of enumerated fields of MarekvsCluster.spec, by path below `spec`. */
export const ENUM_VALUES = {
  imagePullPolicy: ['Always', 'IfNotPresent', 'Never'],
  hostnameSpreadWhenUnsatisfiable: ['DoNotSchedule', 'ScheduleAnyway'],
  'volumeRetention.whenScaled': ['Retain', 'Delete'],
  'volumeRetention.whenDeleted': ['Retain', 'Delete'],
  'update.type': ['RollingUpdate', 'OnDelete'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Largest lengths and counts. */
export const MAX = {
  image: 512,
  quantity: 64,
  name: 253,
  /** Of names that we make: the claim of the longest cluster name (52) and the largest id has 63. */
  ownName: 63,
  labelValue: 63,
  envEntries: 64,
  envName: 128,
  envValue: 8192,
  annotationValue: 16_384,
  mapEntries: 64,
  listEntries: 32,
  seeds: 64,
  message: 1024,
  /** Members that a status can list: more than spec.nodes can ask for, because those that replace others join before
   *  these leave. */
  members: 1024,
  detachedVolumes: 1000,
  /** Of status.pendingChanges: the number of entries, and the length of each of their texts. */
  pendingChanges: 20,
  pendingText: 200,
  /** Of a template: 16 hex digits. */
  revision: 20,
  /** Losses of data that are listed one by one. */
  losses: 8,
  /** Nodes that are named for each loss. */
  lossNodes: 64,
  /** Of a comparison of contents: members that are listed, and for each the homes that lack records. */
  comparedMembers: 100,
  lackingHomes: 8,
  /** Of spec.clients.from: peers, and labels, requirements, values and exceptions of each. */
  peers: 16,
  /** `255.255.255.255/32` */
  ipv4Network: 18,
} as const;

/** Name of an environment variable. Not every version of the Kubernetes API accepts more, and none of the older ones
 *  takes `.` or a name that begins with `..`, which is checked separately. */
export const ENV_NAME_PATTERN = '^[-._a-zA-Z][-._a-zA-Z0-9]*$';

/** Value of a label; its length is checked separately. */
export const LABEL_VALUE_PATTERN = '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$';

/** Key of a label: a name, or a DNS name, `/` and a name. */
export const LABEL_KEY_PATTERN =
  '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$';

const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';

/** An IPv4 address and the length of its network's prefix. Members listen on IPv4 only. */
export const IPV4_NETWORK_PATTERN = `^(${OCTET}[.]){3}${OCTET}/(3[0-2]|[12]?[0-9])$`;

/** Variables that the operator sets itself in every Pod (docs/design/contract.md#the-pod). `HOSTNAME` is among them
 *  because the server derives a node id from it when it finds no explicit one (docs/design/server.md#settings): another
 *  value there is a wrong identity. */
export const OWNED_ENV: readonly string[] = [
  'HOSTNAME',
  'MAREKVS_NODE_ID',
  'MAREKVS_ADVERTISE_IP',
  'MAREKVS_SEEDS',
  'MAREKVS_CLUSTER',
  'MAREKVS_REPLICAS_N',
  'MAREKVS_GC_GRACE_SECS',
  'MAREKVS_DATA_DIR',
  'MAREKVS_REQUIREPASS',
  'MAREKVS_RESP_ADDR',
  'MAREKVS_MESH_ADDR',
  'MAREKVS_GOSSIP_ADDR',
  'MAREKVS_METRICS_ADDR',
  'MAREKVS_JOIN_TIMEOUT_SECS',
];

/** Variables that a new or changed `spec.extraEnv` may not have, although the operator does not set them. What was
 *  stored before stays in force, also in the templates of nodes, and is reported (`FollowsUpstream`). With this one
 *  every member replays the same upstream by itself, so what is not idempotent happens once per member. Every other
 *  variable of the server that could start a second writer or a listener is among OWNED_ENV
 *  (docs/decisions/refused-settings.md). */
export const REFUSED_ENV: readonly string[] = ['MAREKVS_REPLICAOF'];

/** The least that `removal.deadlineSeconds` leaves a removal beside `removal.clientGraceSeconds`. */
export const REMOVAL_SECONDS = 300;

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
    canaryNodes: 0,
    rollbackOnFailure: true,
    progressDeadlineSeconds: 600,
    type: 'RollingUpdate',
  },
  removal: { deadlineSeconds: 3600, clientGraceSeconds: 5 },
  verification: { intervalSeconds: 86_400 },
  hosts: { lostAfterSeconds: 600, moveOnDrain: true, replaceOnDrain: false },
  paused: false,
  hibernated: false,
  deletionProtection: false,
  /** Of MarekvsNode.spec. */
  serving: false,
  intent: 'Active',
} as const;
