// All alerts, and the PrometheusRule they become.

import { type Alert, runbookUrl } from './alert.ts';
import { CLUSTER_ALERTS } from './clusters.ts';
import { OPERATOR_ALERTS } from './operator.ts';

export const ALERT_GROUPS: readonly { readonly name: string; readonly alerts: readonly Alert[] }[] = [
  { name: 'marekvs-clusters', alerts: CLUSTER_ALERTS },
  { name: 'marekvs-operator', alerts: OPERATOR_ALERTS },
];

export const ALERTS: readonly Alert[] = ALERT_GROUPS.flatMap(({ alerts }) => alerts);

/** One rule as Prometheus reads it. */
export function ruleOf(alert: Alert) {
  return {
    alert: alert.name,
    expr: alert.expr,
    ...(alert.for === '0s' ? {} : { for: alert.for }),
    labels: { severity: alert.severity },
    annotations: { summary: alert.summary, description: alert.description, runbook_url: runbookUrl(alert) },
  };
}

export function prometheusRule() {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: {
      name: 'marekvs-operator',
      namespace: 'marekvs-system',
      labels: { 'app.kubernetes.io/name': 'marekvs-operator', 'app.kubernetes.io/part-of': 'marekvs' },
    },
    spec: { groups: ALERT_GROUPS.map(({ name, alerts }) => ({ name, rules: alerts.map(ruleOf) })) },
  };
}
