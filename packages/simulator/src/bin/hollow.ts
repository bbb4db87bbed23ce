#!/usr/bin/env -S node --conditions=development
// Hollow members for scale tests, many in one process, driven over Node's IPC:
//   {type:'start', id, env} -> {type:'started', id} | {type:'failed', id, error}
//   {type:'signal', id, signal} -> {type:'ended', id, code: 0}, whatever the signal

import { HollowGroup } from '../hollow/hollow-group.ts';
import { type HollowMember, startHollowMember } from '../hollow/hollow-member.ts';
import type { Environment, MemberSettings } from '../member/settings/settings.ts';

type Order =
  | { readonly type: 'start'; readonly id: string; readonly env: Environment }
  | { readonly type: 'signal'; readonly id: string };

const joinMs = Number(process.env.SIMULATOR_HOLLOW_JOIN_MS ?? 500);
const opsPerSecond = Number(process.env.SIMULATOR_HOLLOW_OPS_PER_SECOND ?? 0);
const members = new Map<string, HollowMember>();
const groups = new Map<string, HollowGroup>();
let starting = 0;

process.on('message', (order: Order) => {
  if (order.type === 'signal') stop(order.id);
  else
    start(order.id, order.env).catch((error: unknown) => {
      reply({ type: 'failed', id: order.id, error: error instanceof Error ? error.message : String(error) });
    });
});
// The parent is gone: nobody can stop these members any more.
process.on('disconnect', () => process.exit(0));

async function start(id: string, env: Environment): Promise<void> {
  if (members.has(id)) throw new Error(`start ${id}: runs already`);
  starting += 1;
  try {
    members.set(id, await startHollowMember({ env, groupFor, joinMs, opsPerSecond }));
  } finally {
    starting -= 1;
  }
  reply({ type: 'started', id });
}

function stop(id: string): void {
  members.get(id)?.stop();
  members.delete(id);
  forgetEmptyGroups();
  reply({ type: 'ended', id, code: 0 });
}

function groupFor({ cluster, replicas }: MemberSettings): HollowGroup {
  const group = groups.get(cluster) ?? new HollowGroup(replicas);
  groups.set(cluster, group);
  return group;
}

/** Does nothing while a member starts: it already has its group but is not in it yet, and two groups of one name would
 *  never see each other. */
function forgetEmptyGroups(): void {
  if (starting > 0) return;
  for (const [name, group] of groups) if (group.isEmpty) groups.delete(name);
}

function reply(message: {
  readonly type: string;
  readonly id: string;
  readonly error?: string;
  readonly code?: 0;
}): void {
  process.send?.(message);
}
