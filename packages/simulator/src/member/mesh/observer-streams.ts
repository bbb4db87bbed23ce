// Streams of whole partitions to observers (docs/design/server.md#a-partition-as-a-stream): the answer to what a
// joining member asks for, so only a home gives it, a drained one too. Whatever is not sent is left out without a word.

import { EMPTY_DIGEST, type PartitionDigest } from '@marekvs/api';
import { donorBytesPerMs, donorDedupMs, observerBulk, streamPage, streamStepMs } from '../basics/constants.ts';
import type { ContentAnswer, Version } from '../basics/messages.ts';
import type { MemberContext } from '../interfaces/context.ts';
import { isOwner } from '../membership/placement.ts';
import { frameBytes, storedRecord } from '../records/stored-record.ts';
import { spoilt } from '../settings/spoilt-records.ts';

export class ObserverStreams {
  readonly #context: MemberContext;
  /** By partition, whoever asked: all observers have one number. */
  readonly #begunAtMs = new Map<number, number>();

  /** Of the partition that was sorted last. */
  #last: { readonly partition: number; readonly digest: PartitionDigest; readonly versions: readonly Version[] } = {
    partition: -1,
    digest: EMPTY_DIGEST,
    versions: [],
  };

  constructor(context: MemberContext) {
    this.#context = context;
  }

  /** Silent for a partition that this member does not own, and for one that was asked for not long ago. */
  begin(partition: number): void {
    const { world, view, settings } = this.#context;
    if (!isOwner(view().placement, partition, settings.nodeId)) return;
    const now = world.now();
    if (now - (this.#begunAtMs.get(partition) ?? Number.NEGATIVE_INFINITY) < donorDedupMs) return;
    this.#begunAtMs.set(partition, now);
    this.#sendPage(partition, 0);
  }

  /** Pages are found by their offset in what is held at that moment: writes meanwhile make a page skip or repeat
   *  records. */
  #sendPage(partition: number, offset: number): void {
    const { world, knobs } = this.#context;
    const records = this.#sorted(partition)
      .slice(offset, offset + streamPage)
      .map(storedRecord);
    const bytes = frameBytes(records);
    const scanMs = (offset + records.length) * streamStepMs;
    world.after(scanMs + bytes / donorBytesPerMs, () => {
      if (records.length > 0 && bytes <= knobs().maxFrameBytes)
        this.#send({ kind: 'page', partition, records: spoilt(records, knobs().records) });
      if (records.length < streamPage) this.#send({ kind: 'done', partition });
      else this.#sendPage(partition, offset + streamPage);
    });
  }

  /** In the order of the store, which is that of the keys; it matters only when there are several pages. */
  #sorted(partition: number): readonly Version[] {
    const { store } = this.#context;
    const digest = store.digestOf(partition);
    if (this.#last.partition === partition && this.#last.digest === digest) return this.#last.versions;
    const versions = Array.from(store.versionsOf(partition));
    if (versions.length > streamPage) versions.sort((a, b) => (a.key < b.key ? -1 : 1));
    this.#last = { partition, digest, versions };
    return versions;
  }

  #send(answer: ContentAnswer): void {
    this.#context.send(observerBulk, { kind: 'answered', answers: [answer] });
  }
}
