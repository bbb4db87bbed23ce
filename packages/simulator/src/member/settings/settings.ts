// The environment variables of one member, with names and defaults as on the real server
// (docs/design/server.md#settings). SIMULATOR_* variables belong to the driver and are read in process/.

import { InvalidSettingError } from '../basics/errors.ts';

export interface MemberSettings {
  readonly nodeId: number;
  readonly cluster: string;
  readonly advertiseIp: string;
  /** host:port, host may be a name. */
  readonly seeds: readonly string[];
  readonly replicas: number;
  readonly gcGraceSeconds: number;
  /** 0 = wait for ever. */
  readonly joinTimeoutSeconds: number;
  /** Empty = no authentication. */
  readonly requirepass: string;
  readonly dataDir: string;
  readonly respAddress: string;
  readonly meshAddress: string;
  readonly gossipAddress: string;
  readonly metricsAddress: string;
  /** 0 = all owned partitions every round. */
  readonly aePartitionsPerRound: number;
  readonly diskHighWaterPercent: number;
  readonly diskLowWaterPercent: number;
  readonly diskMinAvailableMegabytes: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws InvalidSettingError where the real server panics or exits */
export function readSettings(env: Environment): MemberSettings {
  const text = (name: string, fallback: string) => env[name] ?? fallback;
  const whole = (name: string, fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER) => {
    const raw = env[name];
    if (raw === undefined || raw === '') return fallback;
    const value = Number(raw);
    if (!/^\d+$/.test(raw) || value < min || value > max) {
      throw new InvalidSettingError(name, `${raw} is no whole number from ${min} to ${max}`);
    }
    return value;
  };
  return {
    nodeId: env.MAREKVS_NODE_ID === undefined ? idFromHostname(env.HOSTNAME) : whole('MAREKVS_NODE_ID', 0, 0, 65_535),
    cluster: text('MAREKVS_CLUSTER', 'marekvs'),
    advertiseIp: text('MAREKVS_ADVERTISE_IP', '127.0.0.1'),
    seeds: text('MAREKVS_SEEDS', '')
      .split(',')
      .map((seed) => seed.trim())
      .filter((seed) => seed !== ''),
    replicas: whole('MAREKVS_REPLICAS_N', 3),
    gcGraceSeconds: whole('MAREKVS_GC_GRACE_SECS', 3_600, 1),
    joinTimeoutSeconds: whole('MAREKVS_JOIN_TIMEOUT_SECS', 0),
    requirepass: text('MAREKVS_REQUIREPASS', ''),
    dataDir: text('MAREKVS_DATA_DIR', '.data/n0'),
    respAddress: socketAddress('MAREKVS_RESP_ADDR', text('MAREKVS_RESP_ADDR', '0.0.0.0:6379')),
    meshAddress: socketAddress('MAREKVS_MESH_ADDR', text('MAREKVS_MESH_ADDR', '0.0.0.0:7373')),
    gossipAddress: socketAddress('MAREKVS_GOSSIP_ADDR', text('MAREKVS_GOSSIP_ADDR', '0.0.0.0:7946')),
    metricsAddress: socketAddress('MAREKVS_METRICS_ADDR', text('MAREKVS_METRICS_ADDR', '0.0.0.0:9121')),
    aePartitionsPerRound: whole('MAREKVS_AE_PARTITIONS_PER_ROUND', 0),
    diskHighWaterPercent: whole('MAREKVS_DISK_HIGH_WATER_PCT', 90, 0, 100),
    diskLowWaterPercent: whole('MAREKVS_DISK_LOW_WATER_PCT', 85, 0, 100),
    diskMinAvailableMegabytes: whole('MAREKVS_DISK_MIN_AVAIL_MB', 1_024),
  };
}

/** Whether clients reach the member at the address that it advertises: only where RESP listens there, too. */
export function isDoorOpen({ respAddress, advertiseIp }: MemberSettings): boolean {
  return ['0.0.0.0', advertiseIp].includes(hostOf(respAddress));
}

export function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':'));
}

export function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}

/** The number after the last `-`; anything unusable becomes 0, which is why all Pods of a Deployment become node 0. */
function idFromHostname(hostname: string | undefined): number {
  const tail = hostname?.split('-').at(-1) ?? '';
  const id = Number(tail);
  return /^\d+$/.test(tail) && id <= 65_535 ? id : 0;
}

function socketAddress(name: string, value: string): string {
  const port = portOf(value);
  if (!/^[\d.]+:\d+$/.test(value) || port > 65_535) throw new InvalidSettingError(name, `${value} is no ip:port`);
  return value;
}
