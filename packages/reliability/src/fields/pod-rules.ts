// Why a real API server would refuse a Pod as the operator may create it: the rules of labels, tolerations, affinity
// and spread. Pure.

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Requirement[];
}

interface Term {
  readonly topologyKey: string;
  readonly labelSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

interface NodeTerm {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}

interface PodTerms {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly Term[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly { readonly podAffinityTerm: Term }[];
}

export interface PodShape {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly priorityClassName?: string;
  readonly tolerations?: readonly {
    readonly key?: string;
    readonly operator?: string;
    readonly value?: string;
    readonly effect?: string;
    readonly tolerationSeconds?: number;
  }[];
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms: readonly NodeTerm[] };
      readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly { readonly preference: NodeTerm }[];
    };
    readonly podAffinity?: PodTerms;
    readonly podAntiAffinity?: PodTerms;
  };
  readonly topologySpreadConstraints?: readonly (Term & {
    readonly whenUnsatisfiable: string;
    readonly minDomains?: number;
  })[];
}

const NAME = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const DOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** `spec.tolerations[0].operator: …`, in no particular order. */
export function podProblems(pod: PodShape): readonly string[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = pod.affinity ?? {};
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const preferred = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const terms = [podAffinity, podAntiAffinity].flatMap((kind) => [
    ...(kind?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(kind?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return [
    ...labels('metadata.labels', pod.labels),
    ...keys('metadata.annotations', Object.keys(pod.annotations)),
    ...labels('spec.nodeSelector', pod.nodeSelector ?? {}),
    ...(pod.tolerations ?? []).flatMap((one) => [...toleration(one)]),
    ...[...required, ...preferred.map(({ preference }) => preference)].flatMap((one) => [...nodeTerm(one)]),
    ...terms.flatMap((one) => [...term('spec.affinity', one)]),
    ...spread(pod.topologySpreadConstraints ?? []),
  ];
}

function isKey(key: string): boolean {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 1 ? undefined : parts[0];
  const isPrefixed = prefix === undefined || (parts.length === 2 && prefix.length <= 253 && DOMAIN.test(prefix));
  return isPrefixed && name.length <= 63 && NAME.test(name);
}

function keys(path: string, given: readonly string[]): readonly string[] {
  return given
    .filter((key) => !isKey(key))
    .map((key) => `${path}: Invalid value: "${key}": name part must consist of alphanumeric characters`);
}

function labels(path: string, map: Readonly<Record<string, string>>): readonly string[] {
  const values = Object.values(map).filter((value) => value !== '' && (value.length > 63 || !NAME.test(value)));
  return [
    ...keys(path, Object.keys(map)),
    ...values.map(
      (value) =>
        `${path}: Invalid value: "${value}": a valid label must be empty or consist of alphanumeric characters`,
    ),
  ];
}

function* toleration(one: NonNullable<PodShape['tolerations']>[number]): Iterable<string> {
  const { key = '', operator = 'Equal', value = '', effect, tolerationSeconds } = one;
  if (key !== '') yield* keys('spec.tolerations', [key]);
  if (key === '' && operator !== 'Exists')
    yield 'spec.tolerations.operator: Invalid value: operator must be Exists when `key` is empty';
  if (operator === 'Exists' && value !== '')
    yield "spec.tolerations.operator: Invalid value: value must be empty when `operator` is 'Exists'";
  if (operator === 'Equal' && value !== '' && !NAME.test(value)) yield 'spec.tolerations.value: Invalid value';
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    yield "spec.tolerations.effect: Invalid value: effect must be 'NoExecute' when `tolerationSeconds` is set";
}

function* nodeTerm({ matchExpressions = [], matchFields = [] }: NodeTerm): Iterable<string> {
  for (const one of matchExpressions) yield* requirement('nodeAffinity.matchExpressions', one);
  for (const { key, operator, values = [] } of matchFields) {
    if (operator !== 'In' && operator !== 'NotIn')
      yield `nodeAffinity.matchFields.operator: Invalid value: "${operator}"`;
    else if (values.length !== 1) yield 'nodeAffinity.matchFields.values: Required value: must be only one value';
    for (const value of values)
      if (!DOMAIN.test(value)) yield `nodeAffinity.matchFields.values: Invalid value: "${value}"`;
    if (key !== 'metadata.name')
      yield `nodeAffinity.matchFields.key: Invalid value: "${key}": not a valid field selector key`;
  }
}

function* requirement(path: string, { key, operator, values = [] }: Requirement): Iterable<string> {
  yield* keys(`${path}.key`, [key]);
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
    yield `${path}.values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`;
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
    yield `${path}.values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`;
  if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1)
      yield `${path}.values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`;
    else if (!/^-?\d+$/.test(values[0] ?? ''))
      yield `${path}.values: Invalid value: "${values[0]}": for Gt and Lt the value must be an integer`;
  }
  for (const value of values)
    if (value !== '' && (value.length > 63 || !NAME.test(value))) yield `${path}.values: Invalid value: "${value}"`;
}

function* selector(path: string, { matchLabels = {}, matchExpressions = [] }: LabelSelector): Iterable<string> {
  yield* labels(`${path}.matchLabels`, matchLabels);
  for (const one of matchExpressions) yield* requirement(`${path}.matchExpressions`, one);
}

function* term(path: string, one: Term): Iterable<string> {
  const {
    topologyKey,
    labelSelector,
    namespaceSelector,
    namespaces = [],
    matchLabelKeys = [],
    mismatchLabelKeys = [],
  } = one;
  yield* keys(`${path}.topologyKey`, [topologyKey]);
  if (labelSelector !== undefined) yield* selector(`${path}.labelSelector`, labelSelector);
  if (namespaceSelector !== undefined) yield* selector(`${path}.namespaceSelector`, namespaceSelector);
  for (const name of namespaces)
    if (name.includes('.') || !DOMAIN.test(name)) yield `${path}.namespaces: Invalid value: "${name}"`;
  const both = [...matchLabelKeys, ...mismatchLabelKeys];
  yield* keys(`${path}.matchLabelKeys`, both);
  if (both.length > 0 && labelSelector === undefined)
    yield `${path}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`;
  const named = selectorKeys(labelSelector);
  for (const key of matchLabelKeys) {
    if (named.includes(key))
      yield `${path}.matchLabelKeys: Invalid value: "${key}": exists in both matchLabelKeys and labelSelector`;
    if (mismatchLabelKeys.includes(key))
      yield `${path}.matchLabelKeys: Invalid value: "${key}": exists in both matchLabelKeys and mismatchLabelKeys`;
  }
}

function selectorKeys(given: LabelSelector | undefined): readonly string[] {
  return [...Object.keys(given?.matchLabels ?? {}), ...(given?.matchExpressions ?? []).map(({ key }) => key)];
}

function* spread(constraints: NonNullable<PodShape['topologySpreadConstraints']>): Iterable<string> {
  const seen = new Set<string>();
  for (const one of constraints) {
    const { topologyKey, whenUnsatisfiable, minDomains } = one;
    yield* term('spec.topologySpreadConstraints', one);
    if (minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule')
      yield 'spec.topologySpreadConstraints.minDomains: Invalid value: can only use minDomains if whenUnsatisfiable=DoNotSchedule';
    const id = `{${topologyKey}, ${whenUnsatisfiable}}`;
    if (seen.has(id)) yield `spec.topologySpreadConstraints: Duplicate value: "${id}"`;
    seen.add(id);
  }
}
