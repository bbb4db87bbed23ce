// Finds writes by a replica that did not own the cluster at that time. The register of the ring shows the order of
// owners, the audit log of the API server the order of writers. No clocks are compared: both orders have to agree.

import { ANNOTATIONS, OPERATOR_LEASE, OPERATOR_NAMESPACE } from '@marekvs/api';
import { parseRegister, slotOf } from '@marekvs/runtime';
import type { AuditRequest } from '@marekvs/testbed';
import { groupPath } from './paths.ts';
import type { Seen } from './seen.ts';
import type { Watching } from './watching.ts';

/** Its name is letters and a number, with which the names of all objects of the cluster begin. */
export interface OwnedCluster {
  readonly namespace: string;
  readonly name: string;
}

export interface HandoverVerdict {
  /** How often a cluster went from one owner to the next. */
  readonly handovers: number;
  /** Hand-overs before which the old owner has written, and after which the new one has. */
  readonly seen: number;
  readonly writes: number;
  /** Writes that were refused, because they came too late or named an old version. */
  readonly refused: number;
  /** Each with the cluster, its owners and its writers. */
  readonly violations: readonly string[];
}

export interface HandoverWatch {
  /** How many there were so far. */
  handovers(): number;
  judge(requests: readonly AuditRequest[]): HandoverVerdict;
  stop(): void;
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

/** Follows the register from its present state on; resolves when it has seen that. */
export async function watchHandovers(watching: Watching, clusters: readonly OwnedCluster[]): Promise<HandoverWatch> {
  const owners = new Map<number, number[]>();
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const path = groupPath('coordination.k8s.io', OPERATOR_NAMESPACE, 'leases');
  const following = await watching.follow<Seen>(path, (leases) => {
    const leader = leases.find(({ metadata }) => metadata.name === OPERATOR_LEASE);
    const register = parseRegister(leader?.metadata.annotations?.[ANNOTATIONS.shares]);
    if (register === undefined) return;
    for (const [slot, owner] of register.now.entries()) if (owner !== undefined) add(owners, slot, owner);
    resolve();
  });
  await begun;
  const ownersOf = ({ namespace, name }: OwnedCluster): readonly number[] =>
    owners.get(slotOf(`${namespace}/${name}`)) ?? [];
  const handovers = (): number => clusters.reduce((sum, one) => sum + Math.max(0, ownersOf(one).length - 1), 0);

  return {
    handovers,
    judge(requests) {
      const writes = requests.filter(isWrite);
      const landed = writes.filter(({ code }) => code < 400);
      const turns = writersOf(landed);
      const found = clusters.map((one) => ({ one, writers: turns.get(`${one.namespace}/${one.name}`) ?? [] }));
      return {
        handovers: handovers(),
        seen: found.reduce((sum, { writers }) => sum + Math.max(0, writers.length - 1), 0),
        writes: landed.length,
        refused: writes.length - landed.length,
        violations: found
          .filter(({ one, writers }) => !isInOrder(writers, ownersOf(one)))
          .map(({ one, writers }) => `${one.namespace}/${one.name}: owned by ${ownersOf(one)}, written by ${writers}`),
      };
    },
    stop: following.stop,
  };
}

/** The writers of each `namespace/cluster`, one after the other. */
function writersOf(landed: readonly AuditRequest[]): ReadonlyMap<string, readonly number[]> {
  const turns = new Map<string, number[]>();
  for (const { namespace, name, userAgent } of landed.toSorted((a, b) => a.receivedAtMs - b.receivedAtMs)) {
    const replica = /^marekvs-operator\/marekvs-operator-(\d+)$/.exec(userAgent)?.[1];
    const cluster = /^[a-z]+-?\d+/.exec(name.replace(/^data-/, ''))?.[0];
    if (replica !== undefined && cluster !== undefined) add(turns, `${namespace}/${cluster}`, Number(replica));
  }
  return turns;
}

function isWrite({ verb, resource, namespace }: AuditRequest): boolean {
  return WRITES.has(verb) && !resource.startsWith('events') && namespace !== OPERATOR_NAMESPACE && namespace !== '';
}

/** One after the other, without repetitions. */
function add<K>(turns: Map<K, number[]>, key: K, one: number): void {
  const known = turns.get(key) ?? [];
  if (known.at(-1) !== one) known.push(one);
  turns.set(key, known);
}

/** Whether the writers are owners in this order; an owner need not have written. */
export function isInOrder(writers: readonly number[], owners: readonly number[]): boolean {
  let turn = 0;
  for (const writer of writers) {
    while (turn < owners.length && owners[turn] !== writer) turn += 1;
    if (turn === owners.length) return false;
  }
  return true;
}
