// What earlier comparisons of a cluster have found out, so that nothing is read twice: which contents cover which, and
// when a member was last asked for a whole partition. Contents are told by their digests alone, whoever holds them, so
// that a restarted member is still known. Records that members hold with equal digests need no such memory.

import type { PartitionDigest } from '@marekvs/api';
import { STREAM_AGAIN_MS } from './limits.ts';

/** The keys of the registers that diverge between two contents; empty when the home covers everything. */
export type Diverging = readonly string[];

interface Finding {
  readonly source: string;
  readonly home: string;
  readonly diverging: Diverging;
}

/** Findings about one bucket or partition that are kept, the newest last. */
const MAX_FINDINGS = 4;
/** Of all findings of a cluster about partitions, and of all about buckets; the oldest go. A hundred full HyperLogLogs
 *  take half a megabyte as partitions, and ten times as much by their buckets. */
const MAX_FINDING_BYTES = 2 * 1024 * 1024;
/** What a finding takes besides its texts, nearly. */
const FINDING_BYTES = 200;
/** Most keys that are kept of one partition. */
const MAX_KEYS = 4_096;

export class Judged {
  readonly #partitions = new Findings();
  readonly #buckets = new Findings();
  readonly #streamedAtMs = new Map<string, number>();

  /** Nothing is known of any contents, as in most clusters. */
  get isEmpty(): boolean {
    return this.#partitions.isEmpty && this.#buckets.isEmpty;
  }

  /** Undefined when it is not known whether the home's contents cover the source's. */
  ofPartition(partition: number, source: PartitionDigest, home: PartitionDigest): Diverging | undefined {
    return this.#partitions.find(String(partition), source, home);
  }

  /** The same for one bucket. @param source its piece of the digest at the source */
  ofBucket(place: string, source: string, home: string): Diverging | undefined {
    return this.#buckets.find(place, source, home);
  }

  /** The home's contents cover the source's in every bucket. Both digests were the same before the records were read
   *  and after. */
  notePartition(partition: number, source: PartitionDigest, home: PartitionDigest, diverging: Diverging): void {
    this.#partitions.note(String(partition), { source, home, diverging });
  }

  noteBucket(place: string, source: string, home: string, diverging: Diverging): void {
    this.#buckets.note(place, { source, home, diverging });
  }

  /** Whether a member answers when it is asked for this partition. @param member one life of it */
  mayStream(member: string, partition: number, nowMs: number): boolean {
    return nowMs - (this.#streamedAtMs.get(`${member}/${partition}`) ?? Number.NEGATIVE_INFINITY) >= STREAM_AGAIN_MS;
  }

  noteStream(member: string, partition: number, nowMs: number): void {
    this.#streamedAtMs.delete(`${member}/${partition}`);
    this.#streamedAtMs.set(`${member}/${partition}`, nowMs);
    for (const [oldest, atMs] of this.#streamedAtMs) {
      if (nowMs - atMs < STREAM_AGAIN_MS) return;
      this.#streamedAtMs.delete(oldest);
    }
  }
}

/** By place, bounded. */
class Findings {
  readonly #findings = new Map<string, readonly Finding[]>();
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#findings.size === 0;
  }

  find(place: string, source: string, home: string): Diverging | undefined {
    return this.#findings.get(place)?.find((one) => one.source === source && one.home === home)?.diverging;
  }

  note(place: string, finding: Finding): void {
    if (finding.diverging.length > MAX_KEYS) return;
    const before = this.#findings.get(place) ?? [];
    this.#drop(place);
    const findings = [...before.slice(1 - MAX_FINDINGS), finding];
    this.#findings.set(place, findings);
    this.#bytes += bytesOf(findings);
    for (const oldest of this.#findings.keys()) {
      if (this.#bytes <= MAX_FINDING_BYTES) return;
      this.#drop(oldest);
    }
  }

  #drop(place: string): void {
    this.#bytes -= bytesOf(this.#findings.get(place) ?? []);
    this.#findings.delete(place);
  }
}

export function bucketPlace(partition: number, bucket: number): string {
  return `${partition}/${bucket}`;
}

function bytesOf(findings: readonly Finding[]): number {
  let bytes = 0;
  for (const { source, home, diverging } of findings) {
    bytes += FINDING_BYTES + source.length + home.length;
    for (const key of diverging) bytes += key.length;
  }
  return bytes;
}
