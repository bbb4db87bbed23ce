// How the kubelet answers a running Pod that asks for other resources: applies them within a second or two, defers them
// while other Pods use the room, or reports that they can never fit. The container keeps running.

import { isDeepStrictEqual } from 'node:util';
import type { ApiObject } from '../api-server/api-object.ts';
import { type Resources, resourcesOf } from '../api-server/api-resize.ts';
import type { PodSize } from './pod-spec.ts';

/** Whether a host has room for what a Pod asks for: now, once other Pods are gone, or never. */
export type HostRoom =
  | { readonly kind: 'fits' }
  | { readonly kind: 'full'; readonly message: string }
  | { readonly kind: 'small'; readonly message: string };

export interface PodResizePorts {
  readonly random: () => number;
  after(delayMs: number, run: () => void): void;
  room(): HostRoom;
  /** Called when the status changes. */
  changed(): void;
}

/** How often a deferred resize is tried again. */
const DEFERRED_MS = 5_000;

export class PodResize {
  readonly #ports: PodResizePorts;
  #has: Resources;
  #wanted: Resources;
  #change: PodSize['change'];
  #generation: number | undefined;

  constructor(pod: ApiObject, ports: PodResizePorts) {
    this.#ports = ports;
    this.#has = resourcesOf(pod);
    this.#wanted = this.#has;
    this.#generation = pod.metadata.generation;
  }

  get known(): PodSize {
    return { has: this.#has, change: this.#change, generation: this.#generation };
  }

  /** A newer state of the Pod. */
  follow(pod: ApiObject): void {
    const wanted = resourcesOf(pod);
    if (isDeepStrictEqual(wanted, this.#wanted)) return;
    this.#wanted = wanted;
    const { generation } = pod.metadata;
    this.#ports.after(20 + this.#ports.random() * 180, () => {
      this.#generation = generation;
      this.#judge(wanted);
    });
  }

  #judge(wanted: Resources): void {
    const { room, changed, after, random } = this.#ports;
    // A newer request has replaced this one.
    if (wanted !== this.#wanted) return;
    const answer = room();
    if (answer.kind === 'fits') {
      this.#change = isDeepStrictEqual(wanted, this.#has) ? undefined : { type: 'PodResizeInProgress' };
      after(100 + random() * 900, () => this.#take(wanted));
    } else {
      const reason = answer.kind === 'small' ? 'Infeasible' : 'Deferred';
      this.#change = { type: 'PodResizePending', reason, message: answer.message };
      if (answer.kind === 'full') after(DEFERRED_MS, () => this.#judge(wanted));
    }
    changed();
  }

  #take(wanted: Resources): void {
    if (wanted !== this.#wanted) return;
    this.#has = wanted;
    this.#change = undefined;
    this.#ports.changed();
  }
}
