// The texts of CLUSTER NODES, SLOTS and INFO from one view, byte for byte in the layout of test/samples.
// Phases are never printed and dead members have no line: that is the server's choice, not an omission here.

import { type Placement, primarySlotText, slotRanges } from '../membership/placement.ts';
import type { View, ViewMember } from '../membership/view.ts';
import { hostOf, portOf } from '../settings/settings.ts';
import { array, bulk, encodeReply, integer, type Reply } from './resp-wire.ts';

export function hexId(id: number): string {
  return id.toString(16).padStart(40, '0');
}

/** CLUSTER NODES of the member that owns this view, ready to send. Cached per view. */
export function clusterNodesReply(view: View, ownId: number): Reply {
  const kept = nodesReplies.get(view);
  if (kept !== undefined) return kept;
  const reply: Reply = { kind: 'wire', text: encodeReply(bulk(clusterNodes(view, ownId))) };
  nodesReplies.set(view, reply);
  return reply;
}

/** CLUSTER SLOTS, ready to send. */
export function clusterSlotsReply(view: View): Reply {
  const { placement, members } = view;
  const addresses = members.map(({ id, respAddress }) => `${id} ${respAddress}`).join();
  const kept = slotsReplies.get(placement);
  if (kept?.addresses === addresses) return kept.reply;
  const reply: Reply = { kind: 'wire', text: slotsText(view) };
  slotsReplies.set(placement, { addresses, reply });
  return reply;
}

const nodesReplies = new WeakMap<View, Reply>();
/** Cached by placement and addresses: members that agree share one text of half a megabyte. */
const slotsReplies = new WeakMap<Placement, { readonly addresses: string; readonly reply: Reply }>();

export function clusterNodes(view: View, ownId: number): string {
  return view.members.map((member) => nodeLine(view, member, member.id === ownId)).join('');
}

function nodeLine(view: View, member: ViewMember, isMyself: boolean): string {
  const address = `${member.respAddress}@${portOf(member.gossipAddress)}`;
  const flags = isMyself ? 'myself,master' : 'master';
  const slots = primarySlotText(view.placement, member.id);
  return `${hexId(member.id)} ${address} ${flags} - 0 0 ${member.generation} connected${slots}\n`;
}

/** `encodeReply(clusterSlots(view))`, with every distinct list of homes encoded once. */
function slotsText({ placement, members }: View): string {
  const addresses = new Map(members.map((member) => [member.id, encodeReply(addressReply(member))]));
  const homes = new Map<readonly number[], { readonly head: string; readonly tail: string }>();
  const ranges = slotRanges(placement);
  const parts: string[] = [`*${ranges.length}\r\n`];
  for (const { start, end, owners } of ranges) {
    let known = homes.get(owners);
    if (known === undefined) {
      const texts = owners.map((id) => addresses.get(id)).filter((home) => home !== undefined);
      known = { head: `*${2 + texts.length}\r\n:`, tail: `\r\n${texts.join('')}` };
      homes.set(owners, known);
    }
    parts.push(known.head, String(start), '\r\n:', String(end), known.tail);
  }
  return parts.join('');
}

export function clusterSlots(view: View): Reply {
  const addresses = new Map(view.members.map((member) => [member.id, addressReply(member)]));
  return array(
    slotRanges(view.placement).map(({ start, end, owners }) => {
      const homes = owners.map((id) => addresses.get(id)).filter((home) => home !== undefined);
      return array([integer(start), integer(end), ...homes]);
    }),
  );
}

/** One shard for every range of slots, as CLUSTER SLOTS has it. */
export function clusterShards({ placement, members }: View): Reply {
  const nodes = new Map(members.map((member) => [member.id, member]));
  return array(
    slotRanges(placement).map(({ start, end, owners }) => {
      const homes = owners.flatMap((id, at) => shardNode(nodes.get(id), at === 0 ? 'master' : 'replica'));
      const entries = [
        [bulk('slots'), array([integer(start), integer(end)])],
        [bulk('nodes'), array(homes)],
      ] as const;
      return { kind: 'map', entries };
    }),
  );
}

function shardNode(member: ViewMember | undefined, role: 'master' | 'replica'): readonly Reply[] {
  if (member === undefined) return [];
  const host = bulk(hostOf(member.respAddress));
  const entries = [
    [bulk('id'), bulk(hexId(member.id))],
    [bulk('port'), integer(portOf(member.respAddress))],
    [bulk('ip'), host],
    [bulk('endpoint'), host],
    [bulk('role'), bulk(role)],
    [bulk('replication-offset'), integer(0)],
    [bulk('health'), bulk('online')],
  ] as const;
  return [{ kind: 'map', entries }];
}

function addressReply(member: ViewMember): Reply {
  return array([bulk(hostOf(member.respAddress)), integer(portOf(member.respAddress)), bulk(hexId(member.id))]);
}

/** Everything but the last four lines is constant on the real server, whatever happens. */
export function clusterInfo(view: View, ownGeneration: number): string {
  const active = view.members.filter((member) => member.phase === 'Active').length;
  return [
    'cluster_enabled:1',
    'cluster_state:ok',
    'cluster_slots_assigned:16384',
    'cluster_slots_ok:16384',
    'cluster_slots_pfail:0',
    'cluster_slots_fail:0',
    `cluster_known_nodes:${view.members.length}`,
    `cluster_size:${active}`,
    `cluster_current_epoch:${view.epoch}`,
    `cluster_my_epoch:${ownGeneration}`,
    '',
  ].join('\r\n');
}
