// The figures of one member's `/metrics`, typed. Reports only what was there: a figure that is missing or NaN is
// undefined, never zero. The planner decides what the figures prove (docs/design/server.md#metrics).

import { parseNodeIdText } from '@marekvs/api';
import { StoreProtocolError, StoreTooLargeError } from './errors.ts';
import { type Sample, scanSamples } from './prometheus-text.ts';

/** One reading of `/metrics` (docs/design/server.md#metrics). Gauges of the stats task are up to 2 s old; counters
 *  restart with the process. */
export interface MemberMetrics {
  /** False before the member's first stats pass (about 2 s after start): its gauges read 0 then and mean nothing. */
  readonly isFresh: boolean;
  /** From `marekvs_info`: which node answered. */
  readonly nodeId: number | undefined;
  readonly upSeconds: number | undefined;

  /** Anti-entropy rounds *started*. */
  readonly aeRounds: number | undefined;
  readonly bootstrapsCompleted: number | undefined;
  readonly rejoinActive: number | undefined;

  readonly meshPeers: number | undefined;

  /** Members in the view of this member, including itself and joining and leaving ones. */
  readonly clusterMembers: number | undefined;
  /** Only ever 0 or 4096: depends on the member count, says nothing about data (docs/design/server.md#the-gauge). */
  readonly underreplicatedPartitions: number | undefined;
  readonly ownedPartitions: number | undefined;

  readonly connectedClients: number | undefined;
  /** Sum over all commands; the server does not count those inside EXEC and Lua. Undefined until the first command. */
  readonly commandsTotal: number | undefined;
  /** The part of `commandsTotal` that the operator and the probes cause: CLUSTER, INFO, PING, AUTH, HELLO. */
  readonly housekeepingCommandsTotal: number | undefined;
  readonly commandErrorsTotal: number | undefined;

  readonly diskTotalBytes: number | undefined;
  readonly diskAvailBytes: number | undefined;
  /** SST bytes only, without memtable and WAL. */
  readonly dbTotalBytes: number | undefined;
  /** 1 while client writes are refused. */
  readonly diskWriteStopped: number | undefined;
}

type NumberField = Exclude<keyof MemberMetrics, 'isFresh' | 'nodeId'>;
type Draft = { -readonly [K in keyof MemberMetrics]: MemberMetrics[K] };

/** The unlabelled families and their fields (docs/design/server.md#metrics). */
const FIELDS = new Map<string, NumberField>([
  ['marekvs_uptime_seconds', 'upSeconds'],
  ['marekvs_ae_rounds_total', 'aeRounds'],
  ['marekvs_bootstraps_completed_total', 'bootstrapsCompleted'],
  ['marekvs_rejoin_active', 'rejoinActive'],
  ['marekvs_mesh_peers', 'meshPeers'],
  ['marekvs_cluster_members', 'clusterMembers'],
  ['marekvs_cluster_underreplicated_partitions', 'underreplicatedPartitions'],
  ['marekvs_cluster_owned_partitions', 'ownedPartitions'],
  ['marekvs_connected_clients', 'connectedClients'],
  ['marekvs_disk_total_bytes', 'diskTotalBytes'],
  ['marekvs_disk_avail_bytes', 'diskAvailBytes'],
  ['marekvs_db_total_bytes', 'dbTotalBytes'],
  ['marekvs_disk_write_stopped', 'diskWriteStopped'],
]);
const INFO = 'marekvs_info';
const COMMANDS = 'marekvs_commands_total';
const COMMAND_ERRORS = 'marekvs_command_errors_total';
/** Commands with which members are managed. */
const HOUSEKEEPING_COMMANDS: ReadonlySet<string> = new Set(['cluster', 'info', 'ping', 'auth', 'hello']);

/** Samples of one text that are read: every command that clients send is one, also misspelt. */
const MAX_SAMPLES = 8192;

/** Whether {@link parseMetricsText} reads samples of this name. All others are skipped. */
export function isMemberMetric(name: string): boolean {
  return FIELDS.has(name) || name === COMMANDS || name === COMMAND_ERRORS || name === INFO;
}

/** Parses one `/metrics` body.
 *  @throws StoreTooLargeError too many samples; StoreProtocolError not Prometheus text, cut off, the same series twice,
 *  or no metric of a marekvs member */
export function parseMetricsText(text: string | Uint8Array): MemberMetrics {
  return readMetrics((take) => scanSamples(text, take, isMemberMetric));
}

/** The figures from samples that the caller scans; `scan` must pass only samples with {@link isMemberMetric} names.
 *  @throws StoreProtocolError as {@link parseMetricsText} */
export function readMetrics(scan: (take: (sample: Sample) => void) => void): MemberMetrics {
  const draft: Draft = { ...NOTHING };
  const seen = new Set<string>();
  scan((sample) => {
    const field = FIELDS.get(sample.name);
    const series = field === undefined ? `${sample.name}/${sample.labels.cmd ?? ''}` : sample.name;
    if (seen.has(series)) throw new StoreProtocolError(`metrics text has ${JSON.stringify(series.slice(0, 80))} twice`);
    seen.add(series);
    if (seen.size > MAX_SAMPLES)
      throw new StoreTooLargeError(MAX_SAMPLES, `metrics text of more than ${MAX_SAMPLES} samples`);
    if (field === undefined) takeLabelled(draft, sample);
    // NaN and Inf are valid text but no figure: the field stays undefined.
    else if (Number.isFinite(sample.value)) draft[field] = sample.value;
  });
  if (seen.size === 0) throw new StoreProtocolError('metrics text has nothing of a marekvs member in it');
  draft.isFresh = draft.clusterMembers !== undefined && draft.clusterMembers > 0;
  return draft;
}

function takeLabelled(draft: Draft, { name, labels, value }: Sample): void {
  if (name === INFO) {
    draft.nodeId = parseNodeIdText(labels.node_id ?? '');
  } else if (name === COMMAND_ERRORS) {
    draft.commandErrorsTotal = (draft.commandErrorsTotal ?? 0) + finite(name, value);
  } else {
    draft.commandsTotal = (draft.commandsTotal ?? 0) + finite(name, value);
    // The name of a command is whatever a client sent, so it is only looked up, never kept.
    if (HOUSEKEEPING_COMMANDS.has(labels.cmd ?? '')) {
      draft.housekeepingCommandsTotal = (draft.housekeepingCommandsTotal ?? 0) + value;
    }
  }
}

/** Commands of clients since the start of the process, without those with which members are managed. A member that has
 *  served nothing yet has no such counter and gives 0. */
export function clientCommands({ commandsTotal, housekeepingCommandsTotal }: MemberMetrics): number {
  return (commandsTotal ?? 0) - (housekeepingCommandsTotal ?? 0);
}

/** True when the process was restarted in between, which reset its counters. False when an uptime is unknown. */
export function isYounger(
  now: Pick<MemberMetrics, 'upSeconds'>,
  before: Pick<MemberMetrics, 'upSeconds'> | undefined,
): boolean {
  return now.upSeconds !== undefined && before?.upSeconds !== undefined && now.upSeconds < before.upSeconds;
}

/** A sum with an unknown part is no sum. */
function finite(name: string, value: number): number {
  if (!Number.isFinite(value)) throw new StoreProtocolError(`metrics text has no number for ${name}`);
  return value;
}

/** Copied for each reading. Written out because V8 makes a slow dictionary of an object that is built name by name. */
const NOTHING: MemberMetrics = {
  isFresh: false,
  nodeId: undefined,
  upSeconds: undefined,
  aeRounds: undefined,
  bootstrapsCompleted: undefined,
  rejoinActive: undefined,
  meshPeers: undefined,
  clusterMembers: undefined,
  underreplicatedPartitions: undefined,
  ownedPartitions: undefined,
  connectedClients: undefined,
  commandsTotal: undefined,
  housekeepingCommandsTotal: undefined,
  commandErrorsTotal: undefined,
  diskTotalBytes: undefined,
  diskAvailBytes: undefined,
  dbTotalBytes: undefined,
  diskWriteStopped: undefined,
};
