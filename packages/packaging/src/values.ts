// The values of the chart: what each means, what it may be, and where in config/ its default stands. The one list from which
// values.yaml, its schema, the table of the README and the templates are made.

import type { Path } from './yaml-text.ts';

export interface Value {
  /** `image.tag`; at most two levels. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the value, without its description. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Where the default stands: as a whole, or behind a prefix of the text there. */
  readonly source?: { readonly file: string; readonly at: Path; readonly prefix?: string };
  /** Where config/ says nothing. */
  readonly fallback?: unknown;
}

export const DEPLOYMENT = 'config/manager/deployment.yaml';
export const NETWORK_POLICY = 'config/network-policy/operator.yaml';
/** Written into `watchNamespaces`: the namespace the chart is installed into. */
export const OWN_NAMESPACE = '{{ .Release.Namespace }}';

const POD: Path = ['spec', 'template', 'spec'];
const CONTAINER: Path = [...POD, 'containers', 0];
const boolean = { type: 'boolean' } as const;
const map = { type: 'object', additionalProperties: { type: 'string' } } as const;
const objects = { type: 'array', items: { type: 'object' } } as const;

/** A value that switches the objects of one folder on; its default is whether config/default has them. */
export interface Toggle {
  readonly name: string;
  readonly folder: string;
  readonly description: string;
}

export const TOGGLES: readonly Toggle[] = [
  {
    name: 'crds',
    folder: 'config/crds',
    description: 'Install the two kinds and upgrade them with the chart. Off where an administrator does that.',
  },
  {
    name: 'userRoles',
    folder: 'config/user-roles',
    description:
      'Add clusters to the built-in roles view, edit and admin, so that teams can use what is installed here.',
  },
  {
    name: 'deletionProtection',
    folder: 'config/deletion-protection',
    description:
      'The admission policies behind spec.deletionProtection of a cluster; without them it refuses nothing. Reaches beyond a namespace.',
  },
  {
    name: 'flowControl',
    folder: 'config/flow-control',
    description: 'How a busy API server treats the operator: its lease is served first. Reaches beyond a namespace.',
  },
  {
    name: 'networkPolicy',
    folder: 'config/network-policy',
    description: 'What the operator may dial and who may dial it.',
  },
  {
    name: 'monitoring',
    folder: 'config/monitoring',
    description: 'What a Prometheus operator needs to find the metrics, and the alerts. Needs its kinds.',
  },
];

export const VALUES: readonly Value[] = [
  {
    name: 'image.repository',
    description: 'The image of the operator, with its registry.',
    schema: { type: 'string', minLength: 1 },
    source: { file: DEPLOYMENT, at: [...CONTAINER, 'image'] },
  },
  {
    name: 'image.tag',
    description: 'Its tag. Default: the version of the chart.',
    schema: { type: 'string' },
    fallback: '',
  },
  {
    name: 'image.digest',
    description: 'Its digest, as sha256:...; then the tag says nothing.',
    schema: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
    fallback: '',
  },
  {
    name: 'image.pullPolicy',
    description: 'When the image is pulled.',
    schema: { enum: ['Always', 'IfNotPresent', 'Never'] },
    source: { file: DEPLOYMENT, at: [...CONTAINER, 'imagePullPolicy'] },
  },
  {
    name: 'imagePullSecrets',
    description: 'Secrets the image is pulled with, as [{name: ...}].',
    schema: objects,
    fallback: [],
  },
  {
    name: 'replicas',
    description: 'One leads, the others wait with warm caches.',
    schema: { type: 'integer', minimum: 0 },
    source: { file: DEPLOYMENT, at: ['spec', 'replicas'] },
  },
  {
    name: 'watchNamespaces',
    description:
      'The namespaces the operator looks after. None: all of them, by a ClusterRole. Otherwise a Role in each, and no permission ' +
      `elsewhere. "${OWN_NAMESPACE}" stands for the one the chart is installed into.`,
    schema: {
      type: 'array',
      uniqueItems: true,
      items: { type: 'string', pattern: '^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?|\\{\\{ \\.Release\\.Namespace \\}\\})$' },
    },
    fallback: [],
  },
  {
    name: 'log.format',
    description: 'json for machines, text for a terminal.',
    schema: { enum: ['json', 'text'] },
    source: { file: DEPLOYMENT, at: [...CONTAINER, 'args', 2], prefix: '--log-format=' },
  },
  {
    name: 'log.level',
    description: 'The least severe line that is logged.',
    schema: { enum: ['debug', 'info', 'warn', 'error'] },
    source: { file: DEPLOYMENT, at: [...CONTAINER, 'args', 3], prefix: '--log-level=' },
  },
  {
    name: 'extraArgs',
    description: 'Further flags of the operator, such as --lease-duration=30s; marekvs-operator --help lists them.',
    schema: { type: 'array', items: { type: 'string', pattern: '^--' } },
    fallback: [],
  },
  { name: 'extraEnv', description: 'Further environment variables of its container.', schema: objects, fallback: [] },
  {
    name: 'resources',
    description: 'What one replica asks for and may use.',
    schema: { type: 'object' },
    source: { file: DEPLOYMENT, at: [...CONTAINER, 'resources'] },
  },
  { name: 'podAnnotations', description: 'Further annotations of its Pods.', schema: map, fallback: {} },
  { name: 'podLabels', description: 'Further labels of its Pods.', schema: map, fallback: {} },
  {
    name: 'serviceAccountAnnotations',
    description: 'Annotations of its service account.',
    schema: map,
    fallback: {},
  },
  { name: 'priorityClassName', description: 'PriorityClass of its Pods.', schema: { type: 'string' }, fallback: '' },
  { name: 'nodeSelector', description: 'Labels a host must have.', schema: map, fallback: {} },
  { name: 'tolerations', description: 'Taints its Pods tolerate.', schema: objects, fallback: [] },
  { name: 'affinity', description: 'Kubernetes affinity of its Pods.', schema: { type: 'object' }, fallback: {} },
  {
    name: 'topologySpreadConstraints',
    description: 'How its Pods are spread.',
    schema: objects,
    source: { file: DEPLOYMENT, at: [...POD, 'topologySpreadConstraints'] },
  },
  {
    name: 'crds.keep',
    description: 'Leave the two kinds when the chart is uninstalled. Off, every cluster goes with them.',
    schema: boolean,
    fallback: true,
  },
  {
    name: 'networkPolicy.metricsFrom',
    description: 'Who may read the metrics, as `from` of a NetworkPolicy.',
    schema: objects,
    source: { file: NETWORK_POLICY, at: ['spec', 'ingress', 0, 'from'] },
  },
  {
    name: 'networkPolicy.apiServer',
    description: 'The way to the API server, as one rule of `egress`; give `to` where its addresses are known.',
    schema: { type: 'object', properties: { to: objects, ports: objects }, additionalProperties: false },
    source: { file: NETWORK_POLICY, at: ['spec', 'egress', 0] },
  },
];
