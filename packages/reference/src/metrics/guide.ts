// What each family is good for, by its name without our prefix. A family without an entry, and an entry without a
// family, fail the generator: the page has exactly what a scrape shows.

export const METRIC_GUIDE: Readonly<Record<string, string>> = {
  clusters: 'The size of the fleet, and its state at a glance. Phases without a cluster are shown as 0.',
  clusters_stuck:
    'Alert on this one if names do not matter; it counts all clusters, also those beyond the series that are shown.',
  cluster_stuck_since_timestamp_seconds:
    '`time() - ` this metric is how long. NotReady: not at the desired state. Stalled: a person has to act. RemovalBlocked: a removal is waiting. UpdateStopped, UpdateBlocked: a rolling update has stopped, or one member’s turn is waiting. SizeLimited: more nodes are called for than are allowed, or the load is unknown; the time is that of the last change of size. DataAtRisk: data may be lost. PassFailing: passes fail, so the status may be out of date.',
  cluster_last_success_timestamp_seconds:
    'Whether the operator still gets round to a stuck cluster. No series if there was none since this process began.',
  cluster_update_members: 'How far a changed template has reached the members. No series if all have it.',
  cluster_update_since_timestamp_seconds:
    'A member usually takes half a minute. No series while a person holds the update back, or after it has stopped.',
  turn_places:
    'How many clusters are restarting members now, and how many are waiting for a place. Eight clusters do so at a time.',
  turn_longest_wait_seconds:
    'Every place becomes free after two minutes at most, so a hundred clusters that change together wait up to half an hour. If it takes longer, the operator does not get round to them.',
  operation_started_timestamp_seconds: 'Which operation is taking long, and which phase it is in.',
  cluster_one_zone_ratio:
    'What would be lost or unavailable with one zone. The homes of a key follow from the ids of members, not from zones: spreading members over more zones makes the ratio smaller, and a replicationFactor above the number of members in any zone makes it 0.',
  zones: 'Whether there is more than one zone: if it is 1, every cluster is in a single zone.',
  members: 'Silent members in the whole fleet; joining ones after a change.',
  member_silent_since_timestamp_seconds: 'Which member, and for how long. While a member is silent no removal begins.',
  member_disk_used_ratio: 'A member with a full disk refuses writes. Grow the volume before that happens.',
  removals_total: 'Whether removals succeed: `outcome="Failed"` were undone, `basis="Forced"` went without proof.',
  nodes_vanished_total: 'Somebody removes finalizers by hand, which skips every proof.',
  api_refusals_total:
    'Refusals that a person has to resolve: a quota, a policy, a missing permission. Conflicts are not counted.',
  api_requests_total:
    'What the operator costs the API server. An idle fleet costs no requests except for watches and leases.',
  write_conflicts_total:
    'How often somebody else was faster. Many for one kind mean that another program edits our objects.',
  watch_restarts_total: 'An unsteady connection to the API server, or one that is overloaded.',
  relist_total:
    'Full lists are expensive. A replica that gains slots reads one of each kind; more mean that watches expire.',
  watch_events_total: 'What the watches deliver. Many for a kind that should not change mean that somebody edits it.',
  events_total: 'Events that were not written: only people miss them, the operator does not.',
  ownership_renewals_total: 'Failures are a warning that the lease may be lost.',
  ownership_slots:
    'Who leads: 1 on the leader. In modes static and ring, how many of the 256 slots each replica works on; together they have all of them.',
  ownership_slots_all: 'The sum of ownership_slots over all replicas when each cluster is managed exactly once.',
  ownership_refused:
    'A replica that takes no part beside those of another version, which count slots or write shares differently: it begins once the last of them has ended.',
  ownership_handover_seconds: 'How long clusters wait while another replica takes them over.',
  shard_pressure:
    'When to share the clusters among replicas, or among more of them: `kubectl mkv operators` says how many.',
  namespaces:
    'With a changing list of namespaces: held ones have clusters, quiet ones have none, and in refused ones the operator lacks permissions; `kubectl mkv operators` names them.',
  missing_fields:
    'More than 0: the kinds were not upgraded with the operator. It says so in its log and in `/readyz`, and is not ready; [upgrading](../operations/upgrade.md#the-operator) has the command. No series while the schema cannot be read.',
  namespaces_problems: 'A setting that is missing or makes no sense; the previous one stays in force.',
  ownership_fenced_total: 'Replicas that died, or were frozen or cut off for longer than their lease.',
  ownership_lease_left_seconds: 'How close the leader is to losing the lease; 0 on a standby.',
  informer_lag_seconds:
    'A cache that receives nothing. The API server sends a bookmark about once a minute, so 60 is normal.',
  build_info: 'Which version runs where.',
  reconcile_total: 'How passes end. `error` and `timeout` are failures; `conflict` is a race and normal.',
  reconcile_duration_seconds: 'Slow passes: usually a slow API server.',
  queue_wait_seconds: 'From the event to the pass: the latency that people notice.',
  queue_wait_max_seconds: 'The worst case between two scrapes, which quantiles hide.',
  queue_depth: 'Work that is waiting. `low` is work that nobody waits for, such as the first pass after a start.',
  queue_oldest_seconds: 'Grows if all workers hang, because nothing is taken from the queue any more.',
  reconcile_oldest_running_seconds: 'A pass that hangs, long before its time limit shows in the counters.',
  reconcile_oldest_success_timestamp_seconds:
    'When the key that has rested longest had its last pass. An idle cluster gets no passes, so this may be long ago; see cluster_last_success.',
  event_loop_lag_seconds: 'A blocked process. If it is blocked for longer than the lease duration, it loses the lead.',
  event_loop_lag_max_seconds: 'The worst case between two scrapes.',
  process_cpu_seconds_total: 'CPU of the operator; an idle fleet of 100 clusters takes less than 1 s a minute.',
  process_resident_memory_bytes: 'To compare with the memory limit of the container.',
  process_heap_bytes: 'Whether memory is used by our objects or by Node itself.',
  process_start_time_seconds: 'Restarts.',
  leader_election_master_status: 'For dashboards of controller-runtime: 1 while this process leads.',
  rest_client_requests_total: 'For dashboards of client-go: api_requests_total by code and method.',
  controller_runtime_reconcile_total: 'For dashboards of controller-runtime: reconcile_total.',
  controller_runtime_reconcile_errors_total: 'Likewise: failed passes.',
  controller_runtime_terminal_reconcile_errors_total: 'Always 0: every error is tried again.',
  controller_runtime_reconcile_panics_total: 'Likewise: always 0, an exception is an error here.',
  controller_runtime_reconcile_timeouts_total: 'Likewise: passes over their time limit.',
  controller_runtime_reconcile_time_seconds: 'Likewise: reconcile_duration_seconds.',
  controller_runtime_max_concurrent_reconciles: 'Likewise: the flag --max-concurrent-reconciles.',
  controller_runtime_active_workers: 'Likewise: passes under way.',
  workqueue_adds_total: 'For dashboards of client-go: keys added to the queue.',
  workqueue_retries_total: 'Likewise: keys that are retried after a failure.',
  workqueue_queue_duration_seconds: 'Likewise: queue_wait_seconds.',
  workqueue_work_duration_seconds: 'Likewise: reconcile_duration_seconds.',
  workqueue_depth: 'Likewise: queue_depth, both priorities together.',
  workqueue_unfinished_work_seconds: 'Likewise: the ages of all passes under way together.',
  workqueue_longest_running_processor_seconds: 'Likewise: reconcile_oldest_running_seconds.',
};
