// What the dashboard shows, row by row: first what is wrong, then what is under way, then what the operator itself
// does.

import { M } from '../alerts/alert.ts';
import type { Panel, Row } from './panels.ts';

/** The variables of the dashboard. Metrics of the fleet have the namespace of a cluster; those of the operator have the
 *  namespace of its Pods. */
const IN = 'namespace=~"$namespace",cluster=~"$cluster"';
const STUCK = `${M}cluster_stuck_since_timestamp_seconds`;

function stat(title: string, expr: string, description: string, redFrom?: number, unit = 'short'): Panel {
  return {
    kind: 'stat',
    title,
    description,
    unit,
    width: 4,
    queries: [{ expr }],
    ...(redFrom === undefined ? {} : { redFrom }),
  };
}

function lines(title: string, unit: string, description: string, ...queries: Panel['queries']): Panel {
  return { kind: 'timeseries', title, description, unit, width: 8, queries };
}

function list(title: string, unit: string, expr: string, description: string): Panel {
  return { kind: 'table', title, description, unit, width: 12, queries: [{ expr }] };
}

export const ROWS: readonly Row[] = [
  {
    title: 'Fleet',
    panels: [
      stat('Clusters', `sum(${M}clusters)`, 'Clusters that the leader manages.'),
      stat('Healthy', `sum(${M}clusters{phase="Healthy"})`, 'At their desired state, with nothing under way.'),
      stat('Waiting for a person', `sum(${M}clusters_stuck{problem="Stalled"})`, 'Condition Stalled.', 1),
      stat('Data at risk', `sum(${M}clusters_stuck{problem="DataAtRisk"})`, 'Condition DataAtRisk.', 1),
      stat('Silent members', `sum(${M}members{answer="silent"})`, 'Members that do not answer.', 1),
      stat(
        'Leaders',
        `sum(${M}ownership_slots / ${M}ownership_slots_all)`,
        'One for each installation: a leader, or all parts of those that share.',
      ),
    ],
  },
  {
    title: 'Clusters',
    panels: [
      list(
        'Not at their desired state',
        's',
        `time() - ${STUCK}{${IN},problem!="SizeLimited"}`,
        'For how long, with the reason of docs/errors.md.',
      ),
      list(
        'Last successful pass over them',
        's',
        `time() - ${M}cluster_last_success_timestamp_seconds{${IN}}`,
        'Whether the operator still gets round to them.',
      ),
      lines('Clusters by phase', 'short', 'The phase in their status.', {
        expr: `sum by (phase) (${M}clusters)`,
        legend: '{{phase}}',
      }),
      lines('Clusters by problem', 'short', 'All of them, including those beyond the series that are shown.', {
        expr: `sum by (problem) (${M}clusters_stuck)`,
        legend: '{{problem}}',
      }),
      lines('Reasons', 'short', 'Clusters by what they wait for.', {
        expr: `count by (reason) (${STUCK}{${IN},problem=~"NotReady|Stalled"})`,
        legend: '{{reason}}',
      }),
    ],
  },
  {
    title: 'Operations',
    panels: [
      list(
        'Under way',
        's',
        `time() - ${M}operation_started_timestamp_seconds{${IN}}`,
        'Time since its claim, with its phase.',
      ),
      list('Blocked removals', 's', `time() - ${STUCK}{${IN},problem="RemovalBlocked"}`, 'For how long, and on what.'),
      lines('Operations by phase', 'short', 'How many are in each phase.', {
        expr: `count by (type, phase) (${M}operation_started_timestamp_seconds{${IN}})`,
        legend: '{{type}} {{phase}}',
      }),
      lines('Blocked by reason', 'short', 'Removals that are waiting.', {
        expr: `count by (reason) (${STUCK}{${IN},problem="RemovalBlocked"})`,
        legend: '{{reason}}',
      }),
      lines('Removals ended', 'short', 'In the last hour, by how they ended.', {
        expr: `sum by (outcome, reason) (increase(${M}removals_total[1h]))`,
        legend: '{{outcome}} {{reason}}',
      }),
    ],
  },
  {
    title: 'Sizes that follow the load',
    panels: [
      list(
        'Size does not follow the load',
        's',
        `time() - ${STUCK}{${IN},problem="SizeLimited"}`,
        'AtMaxNodes, NoLoadSignal; the time is that of the last change of size.',
      ),
      lines('Limits by reason', 'short', 'Clusters whose size does not follow their load.', {
        expr: `count by (reason) (${STUCK}{${IN},problem="SizeLimited"})`,
        legend: '{{reason}}',
      }),
    ],
  },
  {
    title: 'Rolling updates',
    panels: [
      list(
        'Under way',
        's',
        `time() - ${M}cluster_update_since_timestamp_seconds{${IN}}`,
        'Clusters whose members are being restarted for a changed template, and for how long.',
      ),
      list(
        'Stopped or waiting',
        's',
        `time() - ${STUCK}{${IN},problem=~"UpdateStopped|UpdateBlocked"}`,
        'For how long, and why.',
      ),
      lines('Members with the new template', 'percentunit', 'Of the clusters in which not all members have it.', {
        expr: `${M}cluster_update_members{${IN},state="updated"} / ignoring (state) ${M}cluster_update_members{${IN},state="total"}`,
        legend: '{{namespace}}/{{cluster}}',
      }),
    ],
  },
  {
    title: 'Members',
    panels: [
      lines('Members by answer', 'short', 'What they last answered.', {
        expr: `sum by (answer) (${M}members)`,
        legend: '{{answer}}',
      }),
      lines('Silent members', 's', 'For how long.', {
        expr: `time() - ${M}member_silent_since_timestamp_seconds{${IN}}`,
        legend: '{{namespace}}/{{node}}',
      }),
      lines('Disks above 75 %', 'percentunit', 'According to the members.', {
        expr: `${M}member_disk_used_ratio{${IN}}`,
        legend: '{{namespace}}/{{node}}',
      }),
      lines(
        'Clusters with half of their keys in one zone',
        'percentunit',
        'Share of the keys all of whose homes are in one zone.',
        {
          expr: `${M}cluster_one_zone_ratio{${IN}}`,
          legend: '{{namespace}}/{{cluster}}',
        },
      ),
    ],
  },
  {
    title: 'Passes and queue',
    panels: [
      lines('Passes', 'ops', 'By how they ended.', {
        expr: `sum by (controller, result) (rate(${M}reconcile_total[$__rate_interval]))`,
        legend: '{{controller}} {{result}}',
      }),
      lines(
        'Length of a pass',
        's',
        'Half of the passes are shorter, and 99 of 100.',
        { expr: quantile(0.5, 'reconcile_duration_seconds'), legend: '{{controller}} p50' },
        { expr: quantile(0.99, 'reconcile_duration_seconds'), legend: '{{controller}} p99' },
      ),
      lines(
        'Wait for a pass',
        's',
        'From the event to the pass.',
        { expr: quantile(0.99, 'queue_wait_seconds'), legend: '{{controller}} p99' },
        { expr: `max by (controller) (${M}queue_wait_max_seconds)`, legend: '{{controller}} longest' },
      ),
      lines('Queue', 'short', 'Keys that are waiting.', {
        expr: `sum by (controller, priority) (${M}queue_depth)`,
        legend: '{{controller}} {{priority}}',
      }),
      lines('Oldest key', 's', 'Grows when keys are no longer taken from the queue.', {
        expr: `max by (controller) (${M}queue_oldest_seconds)`,
        legend: '{{controller}}',
      }),
      lines('Longest pass under way', 's', 'Grows when one hangs.', {
        expr: `max by (controller) (${M}reconcile_oldest_running_seconds)`,
        legend: '{{controller}}',
      }),
    ],
  },
  {
    title: 'API server',
    panels: [
      lines('Requests', 'reqps', 'By verb. An idle fleet makes none except for watches and leases.', {
        expr: `sum by (verb) (rate(${M}api_requests_total[$__rate_interval]))`,
        legend: '{{verb}}',
      }),
      lines('Requests that failed', 'reqps', 'By resource and status code.', {
        expr: `sum by (resource, code) (rate(${M}api_requests_total{code!~"2.."}[$__rate_interval]))`,
        legend: '{{resource}} {{code}}',
      }),
      lines(
        'Refusals and conflicts',
        'short',
        'In the last ten minutes. Refusals need a person, conflicts do not.',
        {
          expr: `sum by (resource, reason) (increase(${M}api_refusals_total[10m]))`,
          legend: '{{resource}} {{reason}}',
        },
        { expr: `sum by (kind) (increase(${M}write_conflicts_total[10m]))`, legend: '{{kind}} conflict' },
      ),
      lines('Age of the last news of each cache', 's', 'About 60 s is normal.', {
        expr: `max by (kind) (${M}informer_lag_seconds)`,
        legend: '{{kind}}',
      }),
      lines('Watches that ended', 'short', 'In the last ten minutes.', {
        expr: `sum by (kind, reason) (increase(${M}watch_restarts_total[10m]))`,
        legend: '{{kind}} {{reason}}',
      }),
      lines('Events', 'short', 'In the last ten minutes, by what happened to them.', {
        expr: `sum by (result) (increase(${M}events_total[10m]))`,
        legend: '{{result}}',
      }),
    ],
  },
  {
    title: 'Lease and process',
    panels: [
      lines('Lease left', 's', '0 on a standby.', { expr: `${M}ownership_lease_left_seconds`, legend: '{{pod}}' }),
      lines('Lease renewals', 'ops', 'Failures are a warning that the lease may be lost.', {
        expr: `sum by (result) (rate(${M}ownership_renewals_total[$__rate_interval]))`,
        legend: '{{result}}',
      }),
      lines('Event loop', 's', 'The latest timer between two scrapes.', {
        expr: `${M}event_loop_lag_max_seconds`,
        legend: '{{pod}}',
      }),
      lines('CPU', 'percentunit', 'Of one core.', {
        expr: `rate(process_cpu_seconds_total[$__rate_interval]) * on (instance) group_left (version) ${M}build_info`,
        legend: '{{pod}}',
      }),
      lines('Memory', 'bytes', 'Resident.', {
        expr: `process_resident_memory_bytes * on (instance) group_left (version) ${M}build_info`,
        legend: '{{pod}}',
      }),
      lines('Version', 'short', 'Which versions are running.', {
        expr: `count by (version, node_version) (${M}build_info)`,
        legend: '{{version}} on Node {{node_version}}',
      }),
    ],
  },
];

function quantile(share: number, family: string): string {
  return `histogram_quantile(${share}, sum by (controller, le) (rate(${M}${family}_bucket[$__rate_interval])))`;
}
