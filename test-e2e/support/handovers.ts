// Answers: has anything of a cluster been written by a replica out of its turn? Who owned which slot, one after the
// other, is in the register of the ring; who has written what, in the API server's audit log. No clock is compared with
// another: the order of writers has to be an order of owners.

import { ANNOTATIONS, OPERATOR_LEASE, OPERATOR_NAMESPACE } from '@marekvs/api';
import { parseRegister, slotOf } from '@marekvs/runtime';
import type { AuditRequest } from '@marekvs/testbed';
import { groupPath } from './paths.ts';
import type { Seen } from './seen.ts';
import type { Watching } from './watching.ts';

/** A cluster, letters and a number; whatever belongs to it has a name that begins with that. */
export interface OwnedCluster {
  readonly namespace: string;
  readonly name: string;
}

export interface HandoverVerdict {
  /** Of a cluster from one owner to the next. */
  readonly handovers: number;
  /** Those after which the new owner has written, as the one before it had. */
  readonly seen: number;
  readonly writes: number;
  /** Writes that came too late, or on a version that was no longer there. */
  readonly refused: number;
  /** Each with the cluster, its owners and its writers. */
  readonly violations: readonly string[];
}

export interface HandoverWatch {
  /** So far. */
  handovers(): number;
  judge(requests: readonly AuditRequest[]): HandoverVerdict;
  stop(): void;
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

/** Follows the register from now on: what was decided before it began counts for nobody. Resolves when it
 *  has seen the present one. */
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

/** By `namespace/cluster`, who has written one after the other. */
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

/** Every owner may write or not, each in its turn. */
export function isInOrder(writers: readonly number[], owners: readonly number[]): boolean {
  let turn = 0;
  for (const writer of writers) {
    while (turn < owners.length && owners[turn] !== writer) turn += 1;
    if (turn === owners.length) return false;
  }
  return true;
}
