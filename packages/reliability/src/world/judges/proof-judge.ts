// Checks a stored proof against the truth, which only the world knows: is every record that was held at the proof's
// moment on every home the proof covers, in every partition? Before the DELETE these are the records of the target,
// before the operation ends those of each survivor.

import { homesAt, placementOf, type RemovalProof } from '@marekvs/api';
import { contains, type MemoryDisk, partitionOf, type Version } from '@marekvs/simulator';
import { CLUSTERS, type WorldView } from '../cluster/world-view.ts';
import { RecordAges } from './record-ages.ts';

/** A proof whose time is off by this much was written by somebody else, and is not judged. */
const NEW_MS = 5_000;
/** The longest time from the start of the last sweep to the proof it is stored with: a minute for members that answer
 *  late, and the sweep's own age. */
const FRESH_MS = { Pre: 76_000, Post: 91_000 };

export class ProofJudge {
  readonly #view: WorldView;
  readonly #ages: RecordAges;
  #seen = '';

  constructor(view: WorldView) {
    this.#view = view;
    this.#ages = new RecordAges(view);
    view.kube.server.onEvent(({ resource }) => {
      if (resource !== CLUSTERS) return;
      const { operation, lastOperation } = view.cluster()?.status ?? {};
      if (operation !== undefined) this.#ages.watch(() => view.cluster()?.status?.operation === undefined);
      const about = operation ?? lastOperation;
      const basis = about?.basis ?? 'Proof';
      const { pre, post } = about?.proof ?? {};
      if (basis === 'Proof') this.#judge(post ?? pre, about?.target?.nodeId);
    });
  }

  #judge(proof: RemovalProof | undefined, target: number | undefined): void {
    if (proof === undefined || target === undefined) return;
    const identity = `${proof.operationId} ${proof.stage} ${proof.at}`;
    // Called as soon as the proof is stored.
    const madeAtMs = this.#view.provenAtMs(proof);
    const isNew = Math.abs(this.#view.kube.nowMs() - madeAtMs) < NEW_MS;
    if (identity === this.#seen || !isNew) return;
    this.#seen = identity;
    const what = `demo-${target} is proven to be dispensable (${proof.stage})`;
    const ageMs = Date.parse(proof.at) - Date.parse(proof.coveredAt ?? '');
    const coveredMs = madeAtMs - ageMs;
    if (!(ageMs <= FRESH_MS[proof.stage]))
      this.#view.kube.violated(`${what} by contents of ${proof.coveredAt ?? 'no time'}`);
    const missing = this.#missingCopies(proof, target, coveredMs);
    const [first] = missing;
    if (first !== undefined)
      this.#view.kube.violated(`${what} while ${missing.length} copies are missing, such as ${first}`);
  }

  /** Copies that are missing on the volumes of the homes the proof covers. A volume that a person deleted proves
   *  nothing either way. */
  #missingCopies(proof: RemovalProof, target: number, coveredMs: number): readonly string[] {
    const ids = Object.keys(proof.generations ?? {}).map(Number);
    const placement = placementOf(ids, this.#view.leastFactor());
    const disks = new Map(ids.map((id) => [id, this.#diskOf(id)]));
    const sources = proof.stage === 'Pre' ? [target] : ids;
    return sources.flatMap((source) =>
      this.#ages.at(this.#volumeOf(source), coveredMs).flatMap((version) => {
        const homes = homesAt(placement, partitionOf(version.key)).filter((id) => id !== source);
        const lacking = homes.filter((id) => this.#lacks(id, disks.get(id), version));
        // The members themselves never reconcile registers: one that has counted as much is enough, and survivors stay.
        const isEnough =
          version.merged?.kind === 'register' && (proof.stage === 'Post' || lacking.length < homes.length);
        return isEnough ? [] : lacking.map((id) => `${version.key} of demo-${source} on demo-${id}`);
      }),
    );
  }

  /** Once is enough, whenever that was: what a home holds later comes of it by the members' own merges, which give up
   *  an element's oldest values and what was deleted, and the source may still have both. Expired records do not count:
   *  each member deletes them at its own time. */
  #lacks(home: number, disk: MemoryDisk | undefined, version: Version): boolean {
    const { expiresAtMs = Number.POSITIVE_INFINITY } = version;
    if (disk === undefined || expiresAtMs <= this.#view.kube.nowMs()) return false;
    const present = disk.version(version.key);
    if (present !== undefined && contains(present, version)) return false;
    return !this.#ages.all(this.#volumeOf(home), version.key).some((held) => contains(held, version));
  }

  #volumeOf(id: number): string {
    return this.#view.claim(id)?.metadata.uid ?? '';
  }

  #diskOf(id: number): MemoryDisk | undefined {
    return this.#view.kube.kubelet.diskOf(this.#volumeOf(id));
  }
}
