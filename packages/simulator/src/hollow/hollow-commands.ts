// What a hollow member answers over RESP: the commands that an operator sends, nothing about keys.

import { clusterInfo, clusterNodes, clusterSlots, hexId } from '../member/commands/cluster-text.ts';
import { array, bulk, failure, integer, ok, type Reply } from '../member/commands/resp-wire.ts';
import { underreplicated } from '../member/http/stats.ts';
import type { View } from '../member/membership/view.ts';

export interface HollowState {
  readonly id: number;
  readonly generation: number;
  readonly replicas: number;
  requirepass: string;
  readonly view: View;
  readonly uptimeSeconds: number;
}

export interface HollowSession {
  isAuthenticated: boolean;
}

export function hollowReply(state: HollowState, session: HollowSession, words: readonly string[]): Reply {
  const [name = '', ...args] = words.map((word, index) => (index < 2 ? word.toLowerCase() : word));
  if (name === 'auth') return authenticate(state, session, words.at(-1) ?? '');
  if (name === 'quit') return ok;
  if (!session.isAuthenticated) return failure('NOAUTH Authentication required.');
  switch (name) {
    case 'ping':
      return { kind: 'simple', text: 'PONG' };
    case 'hello':
      return {
        kind: 'map',
        entries: [
          [bulk('server'), bulk('marekvs')],
          [bulk('proto'), integer(2)],
        ],
      };
    case 'cluster':
      return cluster(state, args[0] ?? '');
    case 'info':
      return bulk(info(state, args[0]));
    case 'config':
      return config(state, words);
    default:
      return failure(`ERR hollow member has no '${name}'`);
  }
}

function authenticate(state: HollowState, session: HollowSession, password: string): Reply {
  if (state.requirepass === '') return failure('ERR Client sent AUTH, but no password is set.');
  if (password !== state.requirepass) return failure('WRONGPASS invalid username-password pair or user is disabled.');
  session.isAuthenticated = true;
  return ok;
}

function cluster({ id, generation, view }: HollowState, question: string): Reply {
  switch (question) {
    case 'myid':
      return bulk(hexId(id));
    case 'nodes':
      return bulk(clusterNodes(view, id));
    case 'info':
      return bulk(clusterInfo(view, generation));
    case 'slots':
      return clusterSlots(view);
    default:
      return failure(`ERR unknown subcommand '${question}'`);
  }
}

function info({ id, view, replicas, uptimeSeconds }: HollowState, section: string | undefined): string {
  const candidates = view.placement.candidates.length;
  const missing = underreplicated(candidates, replicas);
  const sections = [
    ['server', `redis_version:7.4.0\r\nmarekvs_version:0.2.0\r\nuptime_in_seconds:${uptimeSeconds}\r\nnode_id:${id}`],
    ['clients', 'connected_clients:1\r\nblocked_clients:0'],
    ['replication', 'role:master\r\nconnected_slaves:0'],
    ['cluster', `cluster_enabled:1\r\ncluster_members:${view.members.length}\r\nunderreplicated_partitions:${missing}`],
  ] as const;
  return sections
    .filter(([name]) => section === undefined || section === name)
    .map(([name, lines]) => `# ${name.charAt(0).toUpperCase()}${name.slice(1)}\r\n${lines}\r\n`)
    .join('\r\n');
}

function config(state: HollowState, [, action, key, value]: readonly string[]): Reply {
  if (key?.toLowerCase() !== 'requirepass') return ok;
  if (action?.toLowerCase() === 'get') return array([bulk('requirepass'), bulk(state.requirepass)]);
  state.requirepass = value ?? '';
  return ok;
}
