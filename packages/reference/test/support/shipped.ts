// What do the files of config/components/monitoring say, and the page about their alerts? Read as they are applied and
// shown, for the tests here and in test-e2e.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { load } from 'js-yaml';

export const ROOT = resolve(import.meta.dirname, '../../../..');
const MONITORING = join(ROOT, 'config/components/monitoring');

/** An alert as Prometheus reads it. */
export interface Rule {
  readonly alert: string;
  readonly expr: string;
  /** How long it has to hold, such as `5m`; without it, it fires at once. */
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export function shippedRules(): readonly Rule[] {
  const { spec } = load(readFileSync(join(MONITORING, 'prometheus-rule.yaml'), 'utf8')) as {
    readonly spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
  };
  return spec.groups.flatMap(({ rules }) => rules);
}

/** `15s`, `5m`, `1h` in seconds. */
export function secondsOf(duration: string): number {
  const match = /^(\d+)(s|m|h)$/.exec(duration);
  if (match === null) throw new Error(`no duration: ${duration}`);
  return Number(match[1]) * { s: 1, m: 60, h: 3600 }[match[2] as 's' | 'm' | 'h'];
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly instant: boolean;
    readonly range: boolean;
    readonly format?: string;
  }[];
}

export function shippedDashboard(): { readonly panels: readonly Panel[] } {
  return JSON.parse(readFileSync(join(MONITORING, 'dashboard.json'), 'utf8'));
}

/** Every expression, as Prometheus gets it: with Grafana's variables filled in. */
export function dashboardQueries(): readonly string[] {
  const filled = (expr: string) =>
    expr.replaceAll('$__rate_interval', '5m').replaceAll('$namespace', '.*').replaceAll('$cluster', '.*');
  return shippedDashboard().panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => filled(expr)));
}

/** What docs/reference/alerts.md says below the heading of an alert. */
export interface Paragraph {
  readonly name: string;
  readonly meaning: string;
  readonly steps: readonly string[];
  readonly commands: readonly string[];
  readonly saysMoreByReason: boolean;
  readonly expr: string;
}

/** The table at the top of the page, and its paragraphs, both in the order of the page. */
export function alertsPage(): {
  readonly rows: readonly (readonly string[])[];
  readonly paragraphs: readonly Paragraph[];
} {
  const [top = '', ...sections] = readFileSync(join(ROOT, 'docs/reference/alerts.md'), 'utf8').split(/^## /m);
  const rows = top.match(/^\| \[.+ \|$/gm) ?? [];
  return { rows: rows.map((row) => row.slice(2, -2).split(' | ')), paragraphs: sections.map(paragraphOf) };
}

function paragraphOf(section: string): Paragraph {
  const [name = '', meaning = '', ...blocks] = section.trim().split(/\n\n+/);
  const fenced = (language: string) =>
    blocks
      .filter((block) => block.startsWith(`\`\`\`${language}\n`))
      .flatMap((block) => block.split('\n').slice(1, -1));
  return {
    name,
    meaning: oneLine(meaning),
    steps: blocks.filter((block) => block.startsWith('1. ')).flatMap((block) => block.split(/\n(?=\d+\. )/)),
    commands: fenced('sh'),
    saysMoreByReason: blocks.includes('The paragraph on the reason in [errors.md](../errors.md) says more.'),
    expr: oneLine(fenced('promql').join(' ')),
  };
}

/** Lines may break at any space of an expression and of prose. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
