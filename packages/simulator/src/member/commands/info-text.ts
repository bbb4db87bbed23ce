// INFO, section by section, as in test/samples/info_bare.txt. Bare INFO and keyspace scan the whole store.

import { underreplicated } from '../http/stats.ts';
import type { ServedMember } from '../interfaces/served-member.ts';
import { portOf } from '../settings/settings.ts';

type Section = (member: ServedMember) => readonly string[];

const sections: ReadonlyMap<string, Section> = new Map<string, Section>([
  ['Server', serverLines],
  ['Clients', (member) => [`connected_clients:${member.clientCount()}`, 'blocked_clients:0']],
  ['Persistence', () => ['loading:0', 'persistence_engine:ondadb', 'sync_mode:interval']],
  ['Replication', () => ['role:master', 'connected_slaves:0']],
  ['Cluster', clusterLines],
  ['Keyspace', (member) => [`db0:keys=${member.store.liveKeys()},expires=0,avg_ttl=0`]],
]);

/** `wanted` is a lower-case section name, or undefined for all. */
export function serverInfo(member: ServedMember, wanted: string | undefined): string {
  const texts: string[] = [];
  for (const [title, lines] of sections) {
    if (wanted !== undefined && wanted !== title.toLowerCase()) continue;
    texts.push(`# ${title}\r\n${lines(member).join('\r\n')}\r\n\r\n`);
  }
  return texts.join('');
}

function serverLines(member: ServedMember): readonly string[] {
  const uptimeSeconds = member.uptimeSeconds();
  return [
    'redis_version:7.4.0',
    'redis_mode:cluster',
    'server_name:marekvs',
    'marekvs_version:0.2.0',
    `run_id:${member.runId}`,
    `tcp_port:${portOf(member.settings.respAddress)}`,
    `uptime_in_seconds:${uptimeSeconds}`,
    `uptime_in_days:${Math.floor(uptimeSeconds / 86_400)}`,
    `node_id:${member.settings.nodeId}`,
  ];
}

function clusterLines({ view, settings }: ServedMember): readonly string[] {
  const candidates = view.placement.candidates.length;
  const missing = underreplicated(candidates, settings.replicas);
  return [
    'cluster_enabled:1',
    `cluster_members:${view.members.length}`,
    `cluster_degraded:${missing > 0 ? 1 : 0}`,
    `underreplicated_partitions:${missing}`,
    `effective_rf_min:${Math.min(settings.replicas, candidates)}`,
  ];
}
