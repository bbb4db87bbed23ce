// Does a label selector match? The rules of `metav1.LabelSelector`, as far as Pods and Services use them.

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly SelectorRequirement[];
}

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

type Labels = Readonly<Record<string, string>> | undefined;

/** An empty selector matches everything, a missing one nothing. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  return (
    matchesLabels(selector.matchLabels ?? {}, labels) &&
    (selector.matchExpressions ?? []).every((one) => matchesRequirement(one, labels))
  );
}

export function matchesLabels(wanted: Readonly<Record<string, string>>, labels: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => labels?.[key] === value);
}

/** @returns false for an operator that is not known: better unschedulable than wrongly placed */
export function matchesRequirement(requirement: SelectorRequirement, labels: Labels): boolean {
  const value = labels?.[requirement.key];
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
