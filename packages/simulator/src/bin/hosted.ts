#!/usr/bin/env -S node --conditions=development
// Simulated members, many in one process, driven over Node's IPC:
//   {type:'start', id, env, folder, logPath} -> {type:'started', id} | {type:'failed', id, error}
//   {type:'signal', id, signal}              -> sooner or later {type:'ended', id, code} or {type:'ended', id, signal}

import { enableCompileCache, flushCompileCache } from 'node:module';
import type { HostedMember, HostedSignal } from '../process/hosted-member.ts';

type Order =
  | {
      readonly type: 'start';
      readonly id: string;
      readonly env: Readonly<Record<string, string>>;
      readonly folder: string;
      readonly logPath: string;
    }
  | { readonly type: 'signal'; readonly id: string; readonly signal: HostedSignal };

enableCompileCache();
const { HostedMember: Member } = await import('../process/hosted-member.ts');
const { Neighbours } = await import('../process/neighbours.ts');

const members = new Map<string, HostedMember>();
const locks = new Set<string>();
const neighbours = new Neighbours();

process.on('message', (order: Order) => {
  if (order.type === 'signal') members.get(order.id)?.signal(order.signal);
  else start(order);
});
// The parent is gone: nobody can stop these members any more.
process.on('disconnect', () => process.exit(0));
// It ends by a signal, so the cache must not wait for the exit.
setTimeout(flushCompileCache, 1_000).unref();

function start({ id, env, folder, logPath }: Order & { readonly type: 'start' }): void {
  try {
    if (members.has(id)) throw new Error(`start ${id}: runs already`);
    const onEnd = (exit: object) => {
      members.delete(id);
      process.send?.({ type: 'ended', id, ...exit });
    };
    members.set(id, new Member({ env, folder, logPath, locks, neighbours, onEnd }));
    process.send?.({ type: 'started', id });
  } catch (error) {
    process.send?.({ type: 'failed', id, error: error instanceof Error ? error.message : String(error) });
  }
}
