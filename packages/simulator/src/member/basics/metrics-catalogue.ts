// The metric families of the real server, names, types and help texts as in test/samples/http_metrics.txt, sorted.
// The help text of command_errors_total is not in the sample and is a guess. Values are kept in metrics-book.ts.

export const metricCatalogue = [
  {
    name: 'ae_digest_scans_total',
    type: 'counter',
    help: 'Full partition scans performed to (re)compute a Merkle root (cache misses)',
  },
  { name: 'ae_repair_ops_total', type: 'counter', help: 'Records pushed or pulled by anti-entropy repair' },
  { name: 'ae_rounds_total', type: 'counter', help: 'Anti-entropy rounds completed' },
  { name: 'bootstrap_bytes_sent_total', type: 'counter', help: 'Payload bytes streamed to joining peers (rate-paced)' },
  {
    name: 'bootstraps_completed_total',
    type: 'counter',
    help: 'Partition bootstrap streams completed (BootstrapDone received)',
  },
  { name: 'cluster_effective_rf_min', type: 'gauge', help: 'Minimum effective replication factor across partitions' },
  { name: 'cluster_members', type: 'gauge', help: 'Members in the gossip view' },
  { name: 'cluster_owned_partitions', type: 'gauge', help: 'Partitions this node homes' },
  { name: 'cluster_underreplicated_partitions', type: 'gauge', help: 'Partitions with fewer than N home replicas' },
  { name: 'command_duration_seconds', type: 'histogram', help: 'Command service time (parse to reply), by command' },
  { name: 'command_errors_total', type: 'counter', help: 'Commands answered with an error, by command' },
  { name: 'commands_total', type: 'counter', help: 'Commands processed, by command' },
  { name: 'connected_clients', type: 'gauge', help: 'Currently connected clients' },
  { name: 'connections_accepted_total', type: 'counter', help: 'Client TCP connections accepted' },
  { name: 'connections_closed_total', type: 'counter', help: 'Client TCP connections closed' },
  { name: 'db_total_bytes', type: 'gauge', help: 'On-disk SSTable bytes reported by the storage engine' },
  { name: 'disk_avail_bytes', type: 'gauge', help: 'Available bytes on the filesystem holding the data directory' },
  { name: 'disk_total_bytes', type: 'gauge', help: 'Size of the filesystem holding the data directory' },
  {
    name: 'disk_write_stopped',
    type: 'gauge',
    help: '1 while client write commands are refused (disk above high-water)',
  },
  { name: 'fetches_issued_total', type: 'counter', help: 'Read-through fetches issued to home replicas' },
  { name: 'fetches_served_total', type: 'counter', help: 'Fetch/FetchCollection requests served to peers' },
  { name: 'info', type: 'gauge', help: 'Static build/runtime info (value is 1)' },
  { name: 'interest_entries', type: 'gauge', help: 'Live (partition, key, subscriber) interest leases held for peers' },
  {
    name: 'interest_rejected_total',
    type: 'counter',
    help: 'Interest registrations rejected at MAREKVS_INTEREST_MAX_ENTRIES',
  },
  {
    name: 'join_gate_pending_pids',
    type: 'gauge',
    help: 'Partitions still holding the join gate (bootstrap or rejoin pending)',
  },
  {
    name: 'join_gate_timeouts_total',
    type: 'counter',
    help: 'Times the join gate was overridden by MAREKVS_JOIN_TIMEOUT_SECS',
  },
  { name: 'mesh_conn_timeouts_total', type: 'counter', help: 'Mesh connections closed by heartbeat idle timeout' },
  { name: 'mesh_input_bytes_total', type: 'counter', help: 'Bytes read from peer mesh connections' },
  { name: 'mesh_output_bytes_total', type: 'counter', help: 'Bytes written to peer mesh connections' },
  { name: 'mesh_peers', type: 'gauge', help: 'Peer nodes with at least one live mesh connection' },
  { name: 'net_input_bytes_total', type: 'counter', help: 'Bytes read from clients (RESP)' },
  { name: 'net_output_bytes_total', type: 'counter', help: 'Bytes written to clients (RESP)' },
  { name: 'rejoin_active', type: 'gauge', help: '1 while the gc_grace pull-only rejoin is syncing home partitions' },
  {
    name: 'rejoin_dropped_records_total',
    type: 'counter',
    help: 'Stale extra records shed during a gc_grace rejoin instead of being served',
  },
  { name: 'repl_batches_received_total', type: 'counter', help: 'Replication batches received from peers' },
  { name: 'repl_batches_sent_total', type: 'counter', help: 'Replication batches pushed to peers' },
  { name: 'repl_inflight_bytes', type: 'gauge', help: 'Largest per-peer unacked replication window (bytes)' },
  { name: 'repl_ops_applied_total', type: 'counter', help: 'Remote ops merged into local storage' },
  { name: 'repl_ops_sent_total', type: 'counter', help: 'Replication ops pushed to peers' },
  {
    name: 'repl_send_failures_total',
    type: 'counter',
    help: "Replication batches dropped because the peer's writer queue was full or the peer was absent",
  },
  {
    name: 'repl_window_stalls_total',
    type: 'counter',
    help: 'Pump passes that skipped a peer because its unacked replication window was full',
  },
  { name: 'ring_bytes', type: 'gauge', help: 'Replication ring occupancy (bytes)' },
  { name: 'ring_ops', type: 'gauge', help: 'Replication ring occupancy (ops)' },
  { name: 'uptime_seconds', type: 'gauge', help: 'Process uptime' },
] as const;

export type MetricName = (typeof metricCatalogue)[number]['name'];

/** Families with labels. Except for `info`, they are absent until first used. */
export const labelledMetrics: ReadonlySet<MetricName> = new Set<MetricName>([
  'command_duration_seconds',
  'command_errors_total',
  'commands_total',
  'info',
]);
