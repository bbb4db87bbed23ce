// Holds a stored proof against the truth, which only the world knows: is every acknowledged write really on the homes the proof
// speaks for? Design 4: before the DELETE on every home but the target, before the operation ends on every home among the survivors.

import { homesAt, partitionOfKey, placementOf, type RemovalProof } from '@marekvs/api';
import type { ApiEvent, MemoryDisk } from '@marekvs/simulator';
import { CLUSTERS, NODES, type WorldView } from './world-view.ts';

/** What a client was told less than this ago may still be on its way (design 4: a bounded proof allows for it). */
const ON_ITS_WAY_MS = 3_000;

/** From one round of anti-entropy to the next, at least (marekvs.md 5.5). */
const ROUND_MS = 5_000;
/** Until every member can show that it has no primaries, and a second of flat input. */
const ISOLATION_MS = 2_000;
/** Between an answer and what is stored of it. */
const SLACK_MS = 1_000;
/** A proof that is stored this long after its time is still the operator's. */
const NEW_MS = 5_000;

export class ProofJudge {
  readonly #view: WorldView;
  #seen = '';
  #acknowledged = 0;
  #acknowledgedAtMs = 0;
  #auditedAt = '';
  readonly #leaving = new Map<number, number>();
  #leavingAtMs = 0;
  #goneAtMs = 0;

  constructor(view: WorldView) {
    this.#view = view;
    view.kube.server.onEvent(({ type, resource, object }) => {
      if (resource === NODES) this.#noteNode(type, Number(object.metadata.name.split('-').at(-1)));
      if (resource !== CLUSTERS) return;
      this.#noteWrites();
      const { operation, lastOperation } = view.cluster()?.status ?? {};
      const about = operation ?? lastOperation;
      const basis = about?.basis ?? 'Proof';
      const { pre, post } = about?.proof ?? {};
      if (operation?.baselines?.auditedAfter !== undefined) this.#auditedAt = operation.baselines.auditedAfter;
      if (basis === 'Proof') this.#look(post ?? pre, about?.target?.nodeId);
    });
  }

  #look(proof: RemovalProof | undefined, target: number | undefined): void {
    if (proof === undefined || target === undefined) return;
    const identity = `${proof.operationId} ${proof.stage} ${proof.at}`;
    const isQuiet = this.#view.kube.clock.now() - this.#acknowledgedAtMs > ON_ITS_WAY_MS;
    if (identity === this.#seen || !isQuiet) return;
    this.#seen = identity;
    const missing = this.#missingCopies(proof, target);
    const [first] = missing;
    if (first !== undefined) {
      const what = `${missing.length} copies are missing, such as ${first}`;
      this.#view.kube.violated(`demo-${target} is proven to be dispensable (${proof.stage}) while ${what}`);
    }
    // What is of another time than now, somebody else has written.
    const isNew = Math.abs(this.#view.kube.nowMs() - Date.parse(proof.at)) < NEW_MS;
    const early = isNew ? this.#earliness(proof) : undefined;
    if (early !== undefined) this.#view.kube.violated(`demo-${target} is proven to be dispensable ${early}`);
  }

  /** Flat rounds count from a certain moment (design 4): two from the isolation of the target, the needed ones from when the last
   *  test key was found on its new homes, or from when the target was gone. */
  #earliness(proof: RemovalProof): string | undefined {
    const least = (proof.tier === 'Bounded' ? 5 : 3) * (proof.audited ? 1 : 2);
    const [sinceMs, rounds, what] =
      proof.stage === 'Pre'
        ? ([this.#leavingAtMs + ISOLATION_MS, 1, 'it lost its clients'] as const)
        : proof.audited
          ? ([Date.parse(this.#auditedAt), least, 'its test keys were found'] as const)
          : ([this.#goneAtMs, least, 'it was gone'] as const);
    const afterMs = Date.parse(proof.at) - sinceMs;
    return afterMs < rounds * ROUND_MS - SLACK_MS ? `${Math.round(afterMs)} ms after ${what}` : undefined;
  }

  #noteNode(type: ApiEvent['type'], id: number): void {
    const nowMs = this.#view.kube.nowMs();
    if (type === 'DELETED') this.#goneAtMs = nowMs;
    else if (this.#view.node(id)?.spec.intent !== 'Leaving') this.#leaving.delete(id);
    else if (!this.#leaving.has(id)) this.#leaving.set(id, nowMs);
    this.#leavingAtMs = Math.max(0, ...this.#leaving.values());
  }

  /** At every change of the cluster, which is often enough: what is noticed late counts as younger than it is. */
  #noteWrites(): void {
    const { ledger, clock } = this.#view.kube;
    if (ledger.acknowledged === this.#acknowledged) return;
    this.#acknowledged = ledger.acknowledged;
    this.#acknowledgedAtMs = clock.now();
  }

  /** On the volumes of the homes the proof speaks of; one that a person took away proves nothing either way. */
  #missingCopies(proof: RemovalProof, target: number): readonly string[] {
    const ids = Object.keys(proof.generations ?? {}).map(Number);
    const replicationFactor = this.#view.node(ids.find((id) => id !== target) ?? -1)?.spec.template.replicationFactor;
    if (replicationFactor === undefined) return [];
    const placement = placementOf(ids, replicationFactor);
    const copies = new Map(ids.map((id) => [id, numbersOn(this.#diskOf(id))]));
    return [...this.#view.kube.ledger.entries()].flatMap(([key, number]) => {
      const homes = homesAt(placement, partitionOfKey(key));
      if (proof.stage === 'Pre' && !homes.includes(target)) return [];
      return homes
        .filter((id) => id !== target && (copies.get(id)?.get(key) ?? number) < number)
        .map((id) => `${key} on demo-${id}`);
    });
  }

  #diskOf(id: number): MemoryDisk | undefined {
    return this.#view.kube.kubelet.diskOf(this.#view.claim(id)?.metadata.uid ?? '');
  }
}

/** Undefined for no disk: then nothing is known. A key that is not there counts as older than any. */
function numbersOn(disk: MemoryDisk | undefined): { get(key: string): number | undefined } | undefined {
  if (disk === undefined) return undefined;
  const numbers = new Map<string, number>();
  for (const { key, value, isDead } of disk.loadVersions()) if (!isDead) numbers.set(key, Number(value));
  return { get: (key) => numbers.get(key) ?? Number.NEGATIVE_INFINITY };
}
