// CLUSTER MYID, INFO, NODES, SLOTS, SHARDS, KEYSLOT (docs/design/server.md#cluster-commands).

import { slotOfBytes } from '../records/keys.ts';
import { longList } from '../settings/hostility.ts';
import {
  clusterInfo,
  clusterNodes,
  clusterNodesReply,
  clusterShards,
  clusterSlotsReply,
  hexId,
} from './cluster-text.ts';
import type { Call } from './resp-call.ts';
import { bulk, failure, integer, type Reply } from './resp-wire.ts';

export function clusterCommand({ member, args, answer }: Call): void {
  answer(reply(member, args));
}

function reply(member: Call['member'], args: readonly string[]): Reply {
  const { nodeId } = member.settings;
  switch (args[0]?.toLowerCase()) {
    case 'myid':
      return bulk(hexId(nodeId));
    case 'info':
      return bulk(clusterInfo(member.view, member.generation));
    case 'nodes':
      return member.knobs.hostile.includes('longList')
        ? bulk(clusterNodes(member.view, nodeId) + longList())
        : clusterNodesReply(member.view, nodeId);
    case 'slots':
      return clusterSlotsReply(member.view);
    case 'shards':
      return clusterShards(member.view);
    case 'keyslot':
      return args[1] === undefined ? wrongArguments('cluster|keyslot') : integer(slotOfBytes(args[1]));
    default:
      return failure(`ERR unknown subcommand '${args[0] ?? ''}'`);
  }
}

export function wrongArguments(command: string): Reply {
  return failure(`ERR wrong number of arguments for '${command}' command`);
}
