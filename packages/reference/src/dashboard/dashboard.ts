// The frame of the dashboard: its variables and times. rows.ts has what it shows.

import { M } from '../alerts/alert.ts';
import { layOut } from './panels.ts';
import { ROWS } from './rows.ts';

function variable(name: string, label: string) {
  const of = `${M}cluster_stuck_since_timestamp_seconds`;
  return {
    name,
    label: name,
    type: 'query',
    datasource: { type: 'prometheus', uid: '$datasource' },
    query: { query: `label_values(${of}, ${label})`, refId: name },
    refresh: 2,
    includeAll: true,
    allValue: '.*',
    multi: true,
    current: { text: 'All', value: '$__all' },
  };
}

export function dashboard() {
  return {
    uid: 'marekvs-operator',
    title: 'marekvs operator',
    description:
      'Clusters, operations and what they wait for; the operator’s queue, requests and lease. Reasons: docs/errors.md.',
    tags: ['marekvs'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    timezone: 'browser',
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'datasource', type: 'datasource', query: 'prometheus', refresh: 1 },
        variable('namespace', 'namespace'),
        variable('cluster', 'cluster'),
      ],
    },
    annotations: { list: [] },
    panels: layOut(ROWS),
  };
}

/** Every expression, as Prometheus gets it: with Grafana's variables filled in. */
export function dashboardQueries(): readonly string[] {
  const filled = (expr: string) =>
    expr.replaceAll('$__rate_interval', '5m').replaceAll('$namespace', '.*').replaceAll('$cluster', '.*');
  return ROWS.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => filled(expr))));
}
