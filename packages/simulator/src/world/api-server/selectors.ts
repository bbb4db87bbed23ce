// Label selectors as in Kubernetes, including the two operators that only host selectors have. Pure.

export type Labels = Readonly<Record<string, string>> | undefined;

export interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** An empty selector matches everything. */
export function matches({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels?.[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => holds(labels?.[key], operator, values))
  );
}

function holds(value: string | undefined, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return Number(value) > Number(values[0]);
    case 'Lt':
      return Number(value) < Number(values[0]);
    default:
      throw new RangeError(`no operator ${operator}`);
  }
}

/** A label selector in the text form of lists and watches: `a=b,c notin (d,e)`. Undefined when it uses what is not
 *  simulated. Cached, since every event is compared with it. */
export function selectorOf(text: string): Selector | undefined {
  if (!selectors.has(text)) {
    if (selectors.size >= MAX_SELECTORS) selectors.clear();
    selectors.set(text, parseSelector(text));
  }
  return selectors.get(text);
}

const MAX_SELECTORS = 100;
const selectors = new Map<string, Selector | undefined>();

function parseSelector(text: string): Selector | undefined {
  const matchExpressions: { key: string; operator: string; values: readonly string[] }[] = [];
  for (const part of text.split(/,(?![^(]*\))/)) {
    if (part === '') continue;
    const [, key, values] = /^([\w./-]+)=([\w.-]*)$/.exec(part) ?? [];
    const [, setKey, set] = /^([\w./-]+) notin \(([\w.,-]+)\)$/.exec(part) ?? [];
    if (key !== undefined) matchExpressions.push({ key, operator: 'In', values: [values ?? ''] });
    else if (setKey !== undefined)
      matchExpressions.push({ key: setKey, operator: 'NotIn', values: (set ?? '').split(',') });
    else return undefined;
  }
  return { matchExpressions };
}
