// Read-through of a member that is no home of the key: ask a home, keep the answer as a local copy
// (docs/design/server.md#reads). A home never asks: a newly promoted, empty home answers nil (H6).

import { fetchTimeoutMs } from '../basics/constants.ts';
import type { MeshMessage, Version } from '../basics/messages.ts';
import type { CancelTimer } from '../basics/world.ts';
import type { MemberContext } from '../interfaces/context.ts';
import { isOwner, ownersAt } from '../membership/placement.ts';
import { partitionOf } from '../records/keys.ts';

interface Waiting {
  readonly cancel: CancelTimer;
  readonly done: (version: Version | null) => void;
}

export class Fetcher {
  readonly #context: MemberContext;
  readonly #waiting = new Map<number, Waiting>();
  #nextRequest = 1;

  constructor(context: MemberContext) {
    this.#context = context;
  }

  /** What this member answers for `key`; `found` may run at once. */
  read(key: string, found: (version: Version | undefined) => void): void {
    const { store, settings, view } = this.#context;
    const held = store.get(key);
    const { placement } = view();
    const partition = partitionOf(key);
    if (held !== undefined || isOwner(placement, partition, settings.nodeId)) found(held);
    else this.#ask(key, [...ownersAt(placement, partition)], found);
  }

  receive(peer: number, message: MeshMessage): void {
    const { metrics, store, send } = this.#context;
    if (message.kind === 'fetch') {
      metrics.add('fetches_served_total');
      send(peer, { kind: 'fetched', request: message.request, version: store.get(message.key) ?? null });
    } else if (message.kind === 'fetched') {
      const waiting = this.#waiting.get(message.request);
      if (waiting === undefined) return;
      this.#waiting.delete(message.request);
      waiting.cancel();
      waiting.done(message.version);
    }
  }

  #ask(key: string, owners: number[], found: (version: Version | undefined) => void): void {
    const { metrics, send, world, applyRemote } = this.#context;
    const owner = owners.shift();
    if (owner === undefined) {
      found(undefined);
      return;
    }
    const request = this.#nextRequest;
    this.#nextRequest += 1;
    metrics.add('fetches_issued_total');
    if (!send(owner, { kind: 'fetch', request, key })) {
      this.#ask(key, owners, found);
      return;
    }
    const cancel = world.after(fetchTimeoutMs, () => {
      this.#waiting.delete(request);
      this.#ask(key, owners, found);
    });
    const done = (version: Version | null) => {
      if (version !== null) applyRemote(version);
      found(version ?? undefined);
    };
    this.#waiting.set(request, { cancel, done });
  }
}
