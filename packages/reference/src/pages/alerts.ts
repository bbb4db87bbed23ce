// What to do when an alert fires: where runbook_url points to.

import type { Alert } from '../alerts/alert.ts';
import { ALERT_GROUPS, ALERTS } from '../alerts/rules.ts';
import { anchor, code, page, table } from '../text/markdown.ts';

export function alertsPage(): string {
  const summary = ALERTS.map(({ name, severity, for: lasting, meaning }) => [
    `[${name}](#${anchor(name)})`,
    severity,
    lasting === '0s' ? 'at once' : lasting,
    `${meaning.split('. ')[0]?.replace(/\.$/, '')}.`,
  ]);
  return page({
    title: 'Alerts',
    source: 'packages/reference/src/alerts',
    blocks: [
      'Shipped in `config/components/monitoring` as a PrometheusRule. critical: data or the operator itself is at stake, look now. warning: look today. info: good to know. The runbook link of an alert with a reason leads to the [paragraph on that reason](../errors.md), the others to the paragraphs below. Every expression is tested with Prometheus’ own engine, on both sides of its limit.',
      table(['alert', 'severity', 'after', 'meaning'], summary),
      ...ALERT_GROUPS.flatMap(({ alerts }) => alerts.flatMap(paragraph)),
    ],
  });
}

function paragraph({ name, expr, meaning, steps, commands, isByReason }: Alert): readonly string[] {
  return [
    `## ${name}`,
    meaning,
    steps.map((step, index) => `${index + 1}. ${step}`).join('\n'),
    `\`\`\`sh\n${commands.join('\n')}\n\`\`\``,
    `${isByReason === true ? 'The paragraph on the reason in [errors.md](../errors.md) says more. ' : ''}Expression: ${code(expr)}`,
  ];
}
