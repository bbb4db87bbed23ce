// The table of objects that must be accepted or refused. Only data: a unit test runs it against ajv and the static
// rules, a journey against a real API server. Both must see the same verdict.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { CLIENT_CASES } from './client-cases.ts';

export type PlainObject = Readonly<Record<string, unknown>>;

export interface ObjectCase {
  readonly title: string;
  readonly object: PlainObject;
  /** The stored object; the case is the update from it to `object`. Same name and kind. */
  readonly old?: PlainObject;
  readonly valid: boolean;
  /** For an invalid object: the field that the refusal must name. */
  readonly field?: string;
  /** For an invalid object: the right value that the refusal must name. */
  readonly message?: RegExp;
  /** The refusal comes from strict field validation: without it the field is dropped. */
  readonly strict?: true;
}

const IMAGE = 'ghcr.io/yannick/marekvs:latest';

/** A valid MarekvsCluster with these spec fields. */
export function cluster(spec: PlainObject = {}, name = 'demo'): PlainObject {
  return {
    apiVersion: 'marekvs.io/v1alpha1',
    kind: 'MarekvsCluster',
    metadata: { name },
    spec: { image: IMAGE, ...spec },
  };
}

/** A valid MarekvsNode with these spec fields, named after them. */
export function node(spec: PlainObject = {}, name?: string): PlainObject {
  const full: PlainObject = {
    clusterName: 'demo',
    nodeId: 0,
    template: template(),
    storage: { size: '10Gi' },
    ...spec,
  };
  return {
    apiVersion: 'marekvs.io/v1alpha1',
    kind: 'MarekvsNode',
    metadata: { name: name ?? `${String(full.clusterName)}-${String(full.nodeId)}` },
    spec: full,
  };
}

/** A valid node template with these fields. */
export function template(fields: PlainObject = {}): PlainObject {
  return {
    image: IMAGE,
    resources: { cpu: '500m', memory: '1Gi' },
    replicationFactor: 2,
    gcGraceSeconds: 604_800,
    clusterIdentity: 'default.demo.01234567',
    ...fields,
  };
}

const RAN = { podUID: 'pod-uid-0', generation: 1_767_225_600, image: IMAGE, hostName: 'host-0' };
const SAMPLE = load(readFileSync(join(import.meta.dirname, 'samples', 'example-cluster.yaml'), 'utf8')) as PlainObject;
const AUTOSCALE = { minNodes: 3, maxNodes: 8, targetOpsPerNode: 5000 };
const NODE_AFFINITY = {
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }],
  },
};

const FOLLOWING = { MAREKVS_REPLICAOF: 'redis:6379', RUST_LOG: 'info' };
const UPSTREAM = cluster({ extraEnv: FOLLOWING });

const accepted = (title: string, object: PlainObject, old?: PlainObject): ObjectCase => ({
  title,
  object,
  valid: true,
  ...(old ? { old } : {}),
});

const refused = (
  title: string,
  object: PlainObject,
  field: string,
  message: RegExp,
  more: { readonly old?: PlainObject; readonly strict?: true } = {},
): ObjectCase => ({ title, object, valid: false, field, message, ...more });

const many = (count: number, entry: (index: number) => readonly [string, string]) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => entry(index)));

const CLUSTERS_ACCEPTED: readonly ObjectCase[] = [
  accepted('the example of the existing operator, verbatim', SAMPLE),
  accepted('nothing but an image', cluster()),
  accepted('one node, which is below the floor and clamped', cluster({ nodes: 1 })),
  accepted('the largest size', cluster({ nodes: 1000 })),
  accepted('replicationFactor 1', cluster({ replicationFactor: 1 })),
  accepted('replicationFactor 16', cluster({ replicationFactor: 16 })),
  accepted('more homes than nodes', cluster({ nodes: 3, replicationFactor: 5 })),
  accepted('resources as texts', cluster({ resources: { cpu: '250m', memory: '512Mi' } })),
  accepted('resources as whole numbers', cluster({ resources: { cpu: 2, memory: 1_073_741_824 } })),
  accepted('a fraction of a core as text', cluster({ resources: { cpu: '0.5' } })),
  accepted('storage in exponent form', cluster({ storage: { size: '1e10' } })),
  accepted('storage with an exponent of three digits', cluster({ storage: { size: '1e-003' } })),
  accepted('storage with a fraction and a class', cluster({ storage: { size: '1.5Ti', className: 'local-nvme' } })),
  accepted('autoscaling by load', cluster({ autoscale: AUTOSCALE })),
  accepted('autoscaling by disk', cluster({ autoscale: { minNodes: 3, maxNodes: 8, targetDiskPercent: 70 } })),
  accepted('autoscaling with equal bounds', cluster({ autoscale: { ...AUTOSCALE, maxNodes: 3 } })),
  accepted('a fractional load target', cluster({ autoscale: { ...AUTOSCALE, targetOpsPerNode: 0.5 } })),
  accepted('reclaimPvcs', cluster({ reclaimPvcs: true })),
  accepted(
    'reclaimPvcs and a retention that agrees with it',
    cluster({ reclaimPvcs: true, volumeRetention: { whenScaled: 'Delete', whenDeleted: 'Retain' } }),
  ),
  accepted(
    'reclaimPvcs and a retention that says nothing about it',
    cluster({ reclaimPvcs: true, volumeRetention: { whenDeleted: 'Delete' } }),
  ),
  accepted(
    'reclaimPvcs as its default beside a Delete',
    cluster({ reclaimPvcs: false, volumeRetention: { whenScaled: 'Delete' } }),
  ),
  accepted('volumeRetention', cluster({ volumeRetention: { whenScaled: 'Delete', whenDeleted: 'Retain' } })),
  accepted('settings the operator does not own', cluster({ extraEnv: { RUST_LOG: 'debug', MAREKVS_SHARDS: '4' } })),
  accepted('a label of hosts that has no value', cluster({ nodeSelector: { 'node-role.kubernetes.io/store': '' } })),
  accepted('an empty setting', cluster({ extraEnv: { EMPTY: '' } })),
  accepted('no settings', cluster({ extraEnv: {} })),
  accepted('as many settings as allowed', cluster({ extraEnv: many(64, (index) => [`KEY_${index}`, 'x']) })),
  accepted(
    'nodeSelector and tolerations',
    cluster({ nodeSelector: { disk: 'ssd' }, tolerations: [{ operator: 'Exists' }] }),
  ),
  accepted('spread over hosts by force', cluster({ hostnameSpreadWhenUnsatisfiable: 'DoNotSchedule' })),
  accepted('affinity', cluster({ affinity: { nodeAffinity: NODE_AFFINITY } })),
  accepted(
    'spread over zones',
    cluster({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
    }),
  ),
  accepted('a priority class', cluster({ priorityClassName: 'high' })),
  accepted(
    'Pod labels and annotations',
    cluster({ podMetadata: { labels: { team: 'a' }, annotations: { note: 'b c' } } }),
  ),
  accepted('a password', cluster({ auth: { secretRef: { name: 'demo-auth', key: 'password' } } })),
  accepted('pull settings', cluster({ imagePullPolicy: 'IfNotPresent', imagePullSecrets: [{ name: 'pull' }] })),
  accepted('the shortest memory of deleted keys', cluster({ gcGraceSeconds: 3600 })),
  accepted('an update policy', cluster({ update: { maxUnavailable: 2, canaryNodes: 1, type: 'OnDelete' } })),
  accepted('a removal policy', cluster({ removal: { deadlineSeconds: 305 } })),
  accepted('no time for clients to move', cluster({ removal: { deadlineSeconds: 300, clientGraceSeconds: 0 } })),
  accepted(
    'the most time for clients to move',
    cluster({ removal: { deadlineSeconds: 900, clientGraceSeconds: 600 } }),
  ),
  accepted('a comparison every hour', cluster({ verification: { intervalSeconds: 3_600 } })),
  accepted('no comparison at rest', cluster({ verification: { intervalSeconds: 0 } })),
  accepted('paused and protected', cluster({ paused: true, deletionProtection: true })),
  accepted('the longest name', cluster({}, 'a'.repeat(52))),
  accepted('a name with digits and dashes', cluster({}, 'team-1-cache')),
  accepted('growing', cluster({ nodes: 5 }), cluster({ nodes: 3 })),
  accepted('shrinking, which is the business of the reconcile', cluster({ nodes: 3 }), cluster({ nodes: 5 })),
  accepted(
    'other bounds and targets while it is sized by load',
    cluster({ nodes: 4, autoscale: { minNodes: 4, maxNodes: 9, targetDiskPercent: 70 } }),
    cluster({ nodes: 4, autoscale: AUTOSCALE }),
  ),
  accepted(
    'the initial size written out that was left out, while it is sized by load',
    cluster({ nodes: 3, autoscale: AUTOSCALE }),
    cluster({ autoscale: AUTOSCALE }),
  ),
  accepted(
    'another size in the edit that has it sized by load',
    cluster({ nodes: 5, autoscale: AUTOSCALE }),
    cluster({ nodes: 4 }),
  ),
  accepted(
    'another size in the edit that has it sized by load no more',
    cluster({ nodes: 5 }),
    cluster({ nodes: 4, autoscale: AUTOSCALE }),
  ),
  accepted('larger storage', cluster({ storage: { size: '20Gi' } }), cluster({ storage: { size: '10Gi' } })),
  accepted('equal storage in other words', cluster({ storage: { size: '10240Mi' } }), cluster()),
  accepted(
    'the same class again',
    cluster({ storage: { className: 'a' }, nodes: 4 }),
    cluster({ storage: { className: 'a' } }),
  ),
];

const CLUSTERS_REFUSED: readonly ObjectCase[] = [
  refused('no image', { ...cluster(), spec: {} }, 'spec.image', /required/i),
  refused('an empty image', cluster({ image: '' }), 'spec.image', /at least 1|fewer than 1/),
  refused('an endless image', cluster({ image: 'x'.repeat(513) }), 'spec.image', /512/),
  refused(
    'no spec',
    { apiVersion: 'marekvs.io/v1alpha1', kind: 'MarekvsCluster', metadata: { name: 'demo' } },
    'spec',
    /required/i,
  ),
  refused('no nodes at all', cluster({ nodes: 0 }), 'spec.nodes', /\b1\b/),
  refused('fewer than no nodes', cluster({ nodes: -1 }), 'spec.nodes', /\b1\b/),
  refused('more nodes than gossip carries', cluster({ nodes: 1001 }), 'spec.nodes', /1000/),
  refused('nodes as text', cluster({ nodes: '3' }), 'spec.nodes', /integer/),
  refused('half a node', cluster({ nodes: 3.5 }), 'spec.nodes', /integer/),
  refused('replicationFactor 0', cluster({ replicationFactor: 0 }), 'spec.replicationFactor', /\b1\b/),
  refused('replicationFactor 17', cluster({ replicationFactor: 17 }), 'spec.replicationFactor', /16/),
  refused('storage that is no quantity', cluster({ storage: { size: '10 GB' } }), 'spec.storage.size', /such as 10Gi/),
  refused('storage of an unknown unit', cluster({ storage: { size: '10GiB' } }), 'spec.storage.size', /such as 10Gi/),
  refused('no storage', cluster({ storage: { size: '0' } }), 'spec.storage.size', /greater than 0/),
  refused('negative storage', cluster({ storage: { size: '-1Gi' } }), 'spec.storage.size', /greater than 0/),
  refused(
    'memory that is no quantity',
    cluster({ resources: { memory: 'lots' } }),
    'spec.resources.memory',
    /such as 1Gi/,
  ),
  refused('no cpu', cluster({ resources: { cpu: 0 } }), 'spec.resources.cpu', /greater than 0/),
  refused('cpu as a truth value', cluster({ resources: { cpu: true } }), 'spec.resources.cpu', /integer|quantity/),
  refused(
    'autoscale bounds crossed',
    cluster({ autoscale: { ...AUTOSCALE, minNodes: 9 } }),
    'spec.autoscale.minNodes',
    /maxNodes/,
  ),
  refused(
    'autoscale without bounds',
    cluster({ autoscale: { targetOpsPerNode: 1 } }),
    'spec.autoscale.minNodes',
    /required/i,
  ),
  refused(
    'autoscale without a target',
    cluster({ autoscale: { minNodes: 3, maxNodes: 8 } }),
    'spec.autoscale',
    /targetOpsPerNode/,
  ),
  refused(
    'a load target of 0',
    cluster({ autoscale: { ...AUTOSCALE, targetOpsPerNode: 0 } }),
    'spec.autoscale.targetOpsPerNode',
    /greater than 0/,
  ),
  refused(
    'a load target below 0',
    cluster({ autoscale: { ...AUTOSCALE, targetOpsPerNode: -1 } }),
    'spec.autoscale.targetOpsPerNode',
    /greater than 0/,
  ),
  refused(
    'a disk target of 0',
    cluster({ autoscale: { minNodes: 3, maxNodes: 8, targetDiskPercent: 0 } }),
    'spec.autoscale.targetDiskPercent',
    /\b1\b/,
  ),
  refused(
    'autoscale down to nothing',
    cluster({ autoscale: { ...AUTOSCALE, minNodes: 0 } }),
    'spec.autoscale.minNodes',
    /\b1\b/,
  ),
  refused(
    'autoscale beyond what gossip carries',
    cluster({ autoscale: { ...AUTOSCALE, maxNodes: 1001 } }),
    'spec.autoscale.maxNodes',
    /1000/,
  ),
  refused(
    'a full disk as target',
    cluster({ autoscale: { ...AUTOSCALE, targetDiskPercent: 100 } }),
    'spec.autoscale.targetDiskPercent',
    /95/,
  ),
  refused(
    'a negative cooldown',
    cluster({ autoscale: { ...AUTOSCALE, scaleUpCooldownSeconds: -1 } }),
    'spec.autoscale.scaleUpCooldownSeconds',
    /\b0\b/,
  ),
  refused(
    'an unknown retention',
    cluster({ volumeRetention: { whenScaled: 'Keep' } }),
    'spec.volumeRetention.whenScaled',
    /Retain|allowed values/,
  ),
  refused(
    'volumes that are deleted and kept',
    cluster({ reclaimPvcs: true, volumeRetention: { whenScaled: 'Retain' } }),
    'spec.reclaimPvcs',
    /whenScaled is Retain: remove reclaimPvcs/,
  ),
  refused(
    'the node id as a setting',
    cluster({ extraEnv: { MAREKVS_NODE_ID: '1' } }),
    'spec.extraEnv',
    /must not set names the operator owns.*MAREKVS_NODE_ID/,
  ),
  refused(
    'the password as a setting',
    cluster({ extraEnv: { MAREKVS_REQUIREPASS: 'x' } }),
    'spec.extraEnv',
    /must not set names the operator owns/,
  ),
  refused(
    'the host name as a setting',
    cluster({ extraEnv: { HOSTNAME: 'demo-7' } }),
    'spec.extraEnv',
    /must not set names the operator owns/,
  ),
  refused(
    'a setting that starts with a digit',
    cluster({ extraEnv: { '1ST': 'x' } }),
    'spec.extraEnv',
    /not start with a digit/,
  ),
  refused(
    'a size with an exponent that would keep the API server busy for minutes',
    cluster({ storage: { size: '1e-99999999999' } }),
    'spec.storage.size',
    /must be a quantity greater than 0/,
  ),
  refused(
    'a limit of growth with such an exponent',
    cluster({ storage: { autoGrow: { max: '1E+99999999999' } } }),
    'spec.storage.autoGrow.max',
    /must be a quantity greater than 0/,
  ),
  refused(
    'an image with a line break at its end, as a template may make it',
    cluster({ image: `${IMAGE}\n` }),
    'spec.image',
    /must name an image.*without blanks around it/,
  ),
  refused(
    'a label of hosts that no host can have',
    cluster({ nodeSelector: { disk: 'fast ssd' } }),
    'spec.nodeSelector',
    /values must be empty or letters, digits/,
  ),
  refused('a setting that is a dot', cluster({ extraEnv: { '.': 'x' } }), 'spec.extraEnv', /or be '\.'/),
  refused(
    'a setting that begins with two dots',
    cluster({ extraEnv: { '..A': 'x' } }),
    'spec.extraEnv',
    /not start with a digit or '\.\.'/,
  ),
  refused('a setting with a space', cluster({ extraEnv: { 'A B': 'x' } }), 'spec.extraEnv', /letters, digits/),
  refused('a setting that is a number', cluster({ extraEnv: { A: 1 } }), 'spec.extraEnv.A', /string/),
  refused(
    'too many settings',
    cluster({ extraEnv: many(65, (index) => [`KEY_${index}`, 'x']) }),
    'spec.extraEnv',
    /64/,
  ),
  refused(
    'our own Pod label',
    cluster({ podMetadata: { labels: { 'marekvs.io/serving': 'true' } } }),
    'spec.podMetadata.labels',
    /must not set keys/,
  ),
  refused(
    'the label of the selector',
    cluster({ podMetadata: { labels: { 'app.kubernetes.io/managed-by': 'me' } } }),
    'spec.podMetadata.labels',
    /must not set keys/,
  ),
  refused(
    'a Pod label value with a space',
    cluster({ podMetadata: { labels: { team: 'a b' } } }),
    'spec.podMetadata.labels',
    /such as team-a/,
  ),
  refused(
    'our own annotation',
    cluster({ podMetadata: { annotations: { 'marekvs.io/template-hash': 'x' } } }),
    'spec.podMetadata.annotations',
    /must not set keys/,
  ),
  refused(
    'a password without its key',
    cluster({ auth: { secretRef: { name: 'a' } } }),
    'spec.auth.secretRef.key',
    /required/i,
  ),
  refused(
    'an unknown pull policy',
    cluster({ imagePullPolicy: 'Sometimes' }),
    'spec.imagePullPolicy',
    /Always|allowed values/,
  ),
  refused(
    'an unknown spread policy',
    cluster({ hostnameSpreadWhenUnsatisfiable: 'Maybe' }),
    'spec.hostnameSpreadWhenUnsatisfiable',
    /DoNotSchedule|allowed values/,
  ),
  refused(
    'a toleration of an unknown effect',
    cluster({ tolerations: [{ effect: 'Never' }] }),
    'spec.tolerations[0].effect',
    /NoSchedule|allowed values/,
  ),
  refused(
    'a spread rule without key',
    cluster({ topologySpreadConstraints: [{ maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] }),
    'spec.topologySpreadConstraints[0].topologyKey',
    /required/i,
  ),
  refused('no memory of deleted keys', cluster({ gcGraceSeconds: 0 }), 'spec.gcGraceSeconds', /\b1\b/),
  refused(
    'too short a memory of deleted keys',
    cluster({ gcGraceSeconds: 3599 }),
    'spec.gcGraceSeconds',
    /at least 3600/,
  ),
  refused(
    'a memory of deleted keys that an edit makes too short',
    cluster({ gcGraceSeconds: 3599 }),
    'spec.gcGraceSeconds',
    /at least 3600/,
    { old: cluster({ gcGraceSeconds: 3600 }) },
  ),
  accepted('a node of a cluster with too short a memory', node({ template: template({ gcGraceSeconds: 600 }) })),
  refused('an upstream to replay', UPSTREAM, 'spec.extraEnv', /lists and counters would come out several times/),
  refused('an upstream that an edit adds', UPSTREAM, 'spec.extraEnv', /must not set MAREKVS_REPLICAOF/, {
    old: cluster({ extraEnv: { RUST_LOG: 'info' } }),
  }),
  accepted('a node of a cluster that follows an upstream', node({ template: template({ env: { ...FOLLOWING } }) })),
  refused(
    'no member may be down, so nothing could roll',
    cluster({ update: { maxUnavailable: 0 } }),
    'spec.update.maxUnavailable',
    /\b1\b/,
  ),
  refused(
    'more than all available',
    cluster({ update: { minAvailablePercent: 101 } }),
    'spec.update.minAvailablePercent',
    /100/,
  ),
  refused(
    'an unknown update type',
    cluster({ update: { type: 'Recreate' } }),
    'spec.update.type',
    /RollingUpdate|allowed values/,
  ),
  refused(
    'more time for clients than there is',
    cluster({ removal: { clientGraceSeconds: 601 } }),
    'spec.removal.clientGraceSeconds',
    /600/,
  ),
  refused(
    'less than no time for clients',
    cluster({ removal: { clientGraceSeconds: -1 } }),
    'spec.removal.clientGraceSeconds',
    /\b0\b/,
  ),
  refused(
    'a removal that would be over before its clients have moved',
    cluster({ removal: { deadlineSeconds: 899, clientGraceSeconds: 600 } }),
    'spec.removal.deadlineSeconds',
    /at least spec.removal.clientGraceSeconds .* \+ 300/,
  ),
  refused(
    'a removal that is shorter than the usual time for clients',
    cluster({ removal: { deadlineSeconds: 304 } }),
    'spec.removal.deadlineSeconds',
    /\+ 300/,
  ),
  refused(
    'a longer grace beside a deadline that was stored before there was one',
    cluster({ removal: { deadlineSeconds: 60, clientGraceSeconds: 6 } }),
    'spec.removal.deadlineSeconds',
    /at least spec.removal.clientGraceSeconds/,
    { old: cluster({ removal: { deadlineSeconds: 60 } }) },
  ),
  accepted(
    'a shorter deadline that was stored before there was a grace, beside another edit',
    cluster({ nodes: 5, removal: { deadlineSeconds: 60 } }),
    cluster({ nodes: 3, removal: { deadlineSeconds: 60 } }),
  ),
  accepted(
    'a deadline that an edit makes long enough',
    cluster({ removal: { deadlineSeconds: 305 } }),
    cluster({ removal: { deadlineSeconds: 60 } }),
  ),
  refused('a proof to choose', cluster({ removal: { proof: 'Strict' } }), 'spec.removal.proof', /unknown field/, {
    strict: true,
  }),
  refused(
    'a comparison before the last one',
    cluster({ verification: { intervalSeconds: -1 } }),
    'spec.verification.intervalSeconds',
    /\b0\b/,
  ),
  refused('paused as text', cluster({ paused: 'yes' }), 'spec.paused', /boolean/),
  refused('a name that leaves no room', cluster({}, 'a'.repeat(53)), 'metadata.name', /52/),
  refused('a name that starts with a digit', cluster({}, '1demo'), 'metadata.name', /start with a letter/),
  refused('a name with a dot', cluster({}, 'demo.a'), 'metadata.name', /lower-case letters/),
  refused("the name of another cluster's headless Service", cluster({}, 'demo-headless'), 'metadata.name', /-headless/),
  refused('a field nobody knows', cluster({ replicas: 3 }), 'spec.replicas', /unknown field/, { strict: true }),
  refused('a nested field nobody knows', cluster({ storage: { sise: '1Gi' } }), 'spec.storage.sise', /unknown field/, {
    strict: true,
  }),
  refused(
    'a shorter memory of deletions while all sleep',
    cluster({ hibernated: true, gcGraceSeconds: 86_400 }),
    'spec.gcGraceSeconds',
    /must not be lowered while spec.hibernated is true/,
    { old: cluster({ hibernated: true }) },
  ),
  refused(
    'a shorter memory of deletions in the edit that wakes them',
    cluster({ hibernated: false }),
    'spec.gcGraceSeconds',
    /must not be lowered/,
    { old: cluster({ hibernated: true, gcGraceSeconds: 1_209_600 }) },
  ),
  accepted(
    'a longer memory of deletions while all sleep',
    cluster({ hibernated: true, gcGraceSeconds: 1_209_600 }),
    cluster({ hibernated: true }),
  ),
  accepted(
    'a sleep together with other wishes',
    cluster({ hibernated: true, nodes: 5, gcGraceSeconds: 86_400 }),
    cluster(),
  ),
  refused(
    'another size while it is sized by load',
    cluster({ nodes: 5, autoscale: AUTOSCALE }),
    'spec.nodes',
    /only the initial size while spec.autoscale is set/,
    { old: cluster({ nodes: 4, autoscale: AUTOSCALE }) },
  ),
  refused(
    'another size beside other bounds',
    cluster({ nodes: 5, autoscale: { ...AUTOSCALE, minNodes: 5 } }),
    'spec.nodes',
    /only the initial size/,
    { old: cluster({ nodes: 4, autoscale: AUTOSCALE }) },
  ),
  refused(
    'the size left out that was another one than the default, while it is sized by load',
    cluster({ autoscale: AUTOSCALE }),
    'spec.nodes',
    /only the initial size/,
    { old: cluster({ nodes: 5, autoscale: AUTOSCALE }) },
  ),
  refused('smaller storage', cluster({ storage: { size: '9Gi' } }), 'spec.storage.size', /must not shrink/, {
    old: cluster(),
  }),
  refused(
    'storage that shrinks by a unit',
    cluster({ storage: { size: '10G' } }),
    'spec.storage.size',
    /must not shrink/,
    { old: cluster({ storage: { size: '10Gi' } }) },
  ),
  refused(
    'a limit of growth below the size',
    cluster({ storage: { size: '10Gi', autoGrow: { max: '9Gi' } } }),
    'spec.storage.autoGrow.max',
    /must not be smaller than spec.storage.size/,
  ),
  refused('another class', cluster({ storage: { className: 'b' } }), 'spec.storage.className', /immutable/, {
    old: cluster({ storage: { className: 'a' } }),
  }),
  refused(
    'a class where there was none',
    cluster({ storage: { className: 'b' } }),
    'spec.storage.className',
    /immutable/,
    { old: cluster() },
  ),
  refused('no class where there was one', cluster(), 'spec.storage.className', /immutable/, {
    old: cluster({ storage: { className: 'a' } }),
  }),
];

const NODES: readonly ObjectCase[] = [
  accepted('a node as the cluster controller stamps it', node()),
  accepted('the last node id', node({ nodeId: 65_534 })),
  accepted('a node of a cluster whose name ends in a number', node({ clusterName: 'demo-1', nodeId: 2 })),
  accepted('a node of the longest cluster name', node({ clusterName: 'a'.repeat(52), nodeId: 65_534 })),
  accepted('a leaving node', node({ serving: false, intent: 'Leaving' }), node({ serving: true, intent: 'Active' })),
  accepted('a node whose door is to be closed', node({ serving: false, intent: 'Sealed', ran: RAN })),
  accepted('what a Pod ran whose process is not known', node({ ran: { podUID: 'a', image: IMAGE } })),
  accepted('explicit seeds', node({ seeds: ['10.0.0.7:7946'] })),
  accepted(
    'a node with everything stamped',
    node({
      template: template({
        env: { RUST_LOG: 'info' },
        authSecretRef: { name: 'a', key: 'b' },
        scheduling: { nodeSelector: { disk: 'ssd' }, affinity: { nodeAffinity: NODE_AFFINITY } },
        podMetadata: { labels: { team: 'a' } },
      }),
    }),
  ),
  accepted('a node whose volume grows', node({ storage: { size: '11Gi' } }), node()),
  accepted('a new template', node({ template: template({ image: 'marekvs:2' }) }), node()),
  refused('the id that means unknown', node({ nodeId: 65_535 }), 'spec.nodeId', /65534/),
  refused('a negative id', node({ nodeId: -1 }, 'demo-1'), 'spec.nodeId', /\b0\b/),
  refused('a name of another id', node({ nodeId: 1 }, 'demo-2'), 'metadata.name', /clusterName/),
  refused('a name of another cluster', node({ nodeId: 1 }, 'other-1'), 'metadata.name', /clusterName/),
  refused('an id with a leading zero', node({ nodeId: 1 }, 'demo-01'), 'metadata.name', /clusterName/),
  refused('a name with one number too many', node({ nodeId: 2 }, 'demo-1-2'), 'metadata.name', /clusterName/),
  refused('a name without id', node({ nodeId: 0 }, 'demo'), 'metadata.name', /clusterName/),
  refused('no cluster', node({ clusterName: undefined }, 'demo-0'), 'spec.clusterName', /required/i),
  refused('no template', node({ template: undefined }), 'spec.template', /required/i),
  refused('a node whose id changes', node({ nodeId: 1 }, 'demo-0'), 'spec.nodeId', /immutable/, { old: node() }),
  refused(
    'a node that changes its cluster',
    node({ clusterName: 'other' }, 'demo-0'),
    'spec.clusterName',
    /immutable/,
    { old: node() },
  ),
  refused('a node whose volume shrinks', node({ storage: { size: '1Gi' } }), 'spec.storage.size', /must not shrink/, {
    old: node(),
  }),
  refused(
    'a node that changes its class',
    node({ storage: { size: '10Gi', className: 'b' } }),
    'spec.storage.className',
    /immutable/,
    { old: node() },
  ),
  refused('a closed door of no Pod', node({ ran: { image: IMAGE } }), 'spec.ran.podUID', /required/i),
  refused('a closed door of no image', node({ ran: { podUID: 'a' } }), 'spec.ran.image', /required/i),
  refused(
    'a process that began before 1970',
    node({ ran: { ...RAN, generation: -1 } }),
    'spec.ran.generation',
    /\b0\b/,
  ),
  refused('an unknown intent', node({ intent: 'Gone' }), 'spec.intent', /Leaving|allowed values/),
  refused(
    'a node whose volume grows to a size with an exponent that would keep the API server busy for minutes',
    node({ storage: { size: '1e99999999999' } }),
    'spec.storage.size',
    /must be a quantity greater than 0/,
    { old: node() },
  ),
  refused(
    'a setting of a template that begins with two dots',
    node({ template: template({ env: { '..': 'x' } }) }),
    'spec.template.env',
    /not start with a digit or '\.\.'/,
  ),
  refused(
    'an owned setting in a template',
    node({ template: template({ env: { MAREKVS_SEEDS: 'x' } }) }),
    'spec.template.env',
    /must not set names/,
  ),
  refused(
    'an owned label in a template',
    node({ template: template({ podMetadata: { labels: { 'marekvs.io/node-id': '1' } } }) }),
    'spec.template.podMetadata.labels',
    /must not set keys/,
  ),
];

const CLIENTS = CLIENT_CASES.map(({ title, from, field, message = /$^/, strict }): ObjectCase => {
  const object = cluster({ clients: { from } });
  if (field === undefined) return accepted(title, object);
  return refused(title, object, `spec.clients.from${field}`, message, strict === undefined ? {} : { strict });
});

export const OBJECT_CASES: readonly ObjectCase[] = [...CLUSTERS_ACCEPTED, ...CLUSTERS_REFUSED, ...CLIENTS, ...NODES];
