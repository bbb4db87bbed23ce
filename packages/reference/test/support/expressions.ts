// Names of metrics in an expression, by their form. The real parser checks them again in test-e2e/alerts.test.ts.

const NAME = /\b(?:marekvs_operator|controller_runtime|workqueue|rest_client|process|leader_election)_[a-z0-9_]+/g;

export function metricsIn(expr: string): readonly string[] {
  return expr.match(NAME) ?? [];
}
