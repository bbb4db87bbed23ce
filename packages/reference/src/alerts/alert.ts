// An alert as data, before it becomes YAML and a paragraph of docs/reference/alerts.md.

export interface Alert {
  readonly name: string;
  /** critical: data or the operator itself is at stake, act now. warning: act today. info: know it. */
  readonly severity: 'critical' | 'warning' | 'info';
  readonly expr: string;
  /** How long it has to hold, such as `5m`; `0s` fires at once. */
  readonly for: string;
  /** One line, with the labels' values. */
  readonly summary: string;
  /** What it means, for whom, and how long it has lasted. */
  readonly description: string;
  /** For the paragraph: what is behind the alert, and what is not affected. */
  readonly meaning: string;
  /** For the paragraph: what to do, in order. */
  readonly steps: readonly string[];
  readonly commands: readonly string[];
  /** The label `reason` names a paragraph of docs/errors.md, which is more specific than one about all reasons. */
  readonly isByReason?: true;
}

/** The prefix of our metrics, short so that expressions stay readable. */
export const M = 'marekvs_operator_';

/** The leading `.` is the base as shipped, which an overlay may replace (config/components/monitoring/README.md). */
export function runbookUrl({ name, isByReason }: Alert): string {
  return isByReason === true
    ? './docs/errors.md#{{ $labels.reason | toLower }}'
    : `./docs/reference/alerts.md#${name.toLowerCase()}`;
}

/** `15s`, `5m`, `1h` in seconds. */
export function secondsOf(duration: string): number {
  const match = /^(\d+)(s|m|h)$/.exec(duration);
  if (match === null) throw new Error(`no duration: ${duration}`);
  return Number(match[1]) * { s: 1, m: 60, h: 3600 }[match[2] as 's' | 'm' | 'h'];
}
