// What each family is good for, by its name without our prefix. A family without an entry, and an entry without a
// family, fail the generator: the page has exactly what a scrape shows.

export const METRIC_GUIDE: Readonly<Record<string, string>> = {
  clusters: 'The size of the fleet, and at a glance how it is. Zero phases are shown too.',
  clusters_stuck: 'Alert on this one when names do not matter; it counts all, also beyond the series that are shown.',
  cluster_stuck_since_timestamp_seconds:
    '`time() - ` this is how long. NotReady: not as wanted. Stalled: a person has to act. RemovalBlocked: a removal waits. UpdateStopped, UpdateBlocked: a rolling update has stopped, or a turn of it waits. SizeLimited: more nodes are asked for than are allowed, or the load is not known; the time is that of the last change of size. DataAtRisk: data may be lost. PassFailing: passes fail, so the status may be old.',
  cluster_last_success_timestamp_seconds:
    'Whether the operator still gets round to a stuck cluster. None since this process began: no series.',
  cluster_update_members: 'How far a changed template has reached the members. No series where all have it.',
  cluster_update_since_timestamp_seconds:
    'A member usually takes half a minute. No series while a person holds the update, or it has stopped.',
  turn_places:
    'How many clusters change their members now, and how many wait for them. Members of eight are restarted at a time.',
  turn_longest_wait_seconds:
    'Every place is free again after two minutes at most, so a hundred clusters that change together wait up to half an hour. More: the operator does not get round to them.',
  operation_started_timestamp_seconds: 'Which operation takes long, and in which phase it is.',
  cluster_one_zone_ratio:
    'What would be gone, or away, with one zone. Which members are homes of a key follows from their ids and not from zones: members in more zones make it smaller, and more homes than any zone has members make it 0.',
  zones: 'Whether there is another zone to be in: with 1 every cluster is in one zone.',
  members: 'Silent members of the whole fleet; joining ones after a change.',
  member_silent_since_timestamp_seconds: 'Which member, for how long. A silent member lets no removal begin.',
  member_disk_used_ratio: 'A full disk stops writes. Grow before it does.',
  removals_total: 'Whether removals succeed: `outcome="Failed"` was undone, `basis="Forced"` went without proof.',
  nodes_vanished_total: 'Somebody takes finalizers off by hand, which skips every proof.',
  api_refusals_total:
    'A quota, a policy, a missing permission: what a person has to change. Conflicts are not among them.',
  api_requests_total: 'What the operator costs the API server. An idle fleet costs none beside watches and leases.',
  write_conflicts_total: 'How often somebody else was faster. Many of one kind: another program works on our objects.',
  watch_restarts_total: 'An unsteady connection to the API server, or one that is overloaded.',
  relist_total: 'Full lists are expensive; more than a few mean that watches expire.',
  watch_events_total: 'What the watches bring. Much of a kind that should stand still: somebody edits it.',
  events_total: 'Events that were not written. Only people miss them.',
  ownership_renewals_total: 'Failures come before the loss of the lease.',
  ownership_slots:
    'Who leads: 1 on the leader. In modes static and ring, how many of the 256 slots each replica works on: together all.',
  ownership_slots_all: 'What ownership_slots of all replicas comes to when everything is looked after once.',
  ownership_refused:
    'A replica that takes no part beside those of another version, which count slots or write shares otherwise: it begins when the last of them has ended.',
  ownership_handover_seconds: 'How long clusters wait when another replica takes them over.',
  shard_pressure:
    'When it is time to share the clusters among replicas, or among more: `kubectl mkv operators` says how many.',
  namespaces:
    'Where namespaces come and go: held ones have clusters, quiet ones none, refused ones lack rights; `kubectl mkv operators` names them.',
  namespaces_problems: 'A setting that is missing or makes no sense; what it said before stays in force.',
  ownership_fenced_total: 'Replicas that died, or were frozen or cut off for longer than their lease.',
  ownership_lease_left_seconds: 'How near the leader is to losing the lease; 0 on a standby.',
  informer_lag_seconds:
    'A cache that hears nothing. The API server sends a bookmark about once a minute, so 60 is normal.',
  build_info: 'Which version runs where.',
  reconcile_total: 'How passes end. `error` and `timeout` are failures; `conflict` is a race and normal.',
  reconcile_duration_seconds: 'Slow passes: usually a slow API server.',
  queue_wait_seconds: 'From the event to the pass: the latency people feel.',
  queue_wait_max_seconds: 'The worst case between two scrapes, which quantiles hide.',
  queue_depth: 'Work that waits. `low` is what nobody waits for, such as the first look after a start.',
  queue_oldest_seconds: 'Grows when all workers hang, when nothing is taken from the queue any more.',
  reconcile_oldest_running_seconds: 'A pass that hangs, long before its time limit shows in the counters.',
  reconcile_oldest_success_timestamp_seconds:
    'How long ago the key that rests longest was looked at. An idle cluster is not looked at, so it may be old; see cluster_last_success.',
  event_loop_lag_seconds: 'A blocked process. Above the lease duration it loses the lead.',
  event_loop_lag_max_seconds: 'The worst case between two scrapes.',
  process_cpu_seconds_total: 'CPU of the operator; an idle fleet of 100 clusters takes less than 1 s a minute.',
  process_resident_memory_bytes: 'Against the limit of the container.',
  process_heap_bytes: 'Whether memory is ours or Node’s own.',
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
  workqueue_retries_total: 'Likewise: keys that come again after a failure.',
  workqueue_queue_duration_seconds: 'Likewise: queue_wait_seconds.',
  workqueue_work_duration_seconds: 'Likewise: reconcile_duration_seconds.',
  workqueue_depth: 'Likewise: queue_depth, both priorities together.',
  workqueue_unfinished_work_seconds: 'Likewise: the ages of all passes under way together.',
  workqueue_longest_running_processor_seconds: 'Likewise: reconcile_oldest_running_seconds.',
};
