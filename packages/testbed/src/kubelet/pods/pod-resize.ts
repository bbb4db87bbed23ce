// The in-place resize of a running Pod: done at once where its host has room, deferred while other Pods have the room,
// infeasible where the whole host is too small. The process runs on meanwhile; nothing here limits what it really uses.
import { tryParseQuantity } from '@marekvs/api';
import type { Clock } from '@marekvs/runtime';
import { mainContainer, type Node, type Pod } from '../objects/objects.ts';

export type Amounts = Readonly<Record<string, string | number>>;

export interface Resources {
  readonly requests?: Amounts;
  readonly limits?: Amounts;
}

/** The verdict of a host on a resize: it fits, or why it is deferred or infeasible. */
export type ResizeVerdict =
  | { readonly kind: 'fits' }
  | { readonly kind: 'Deferred' | 'Infeasible'; readonly message: string };

/** For the status of the Pod. */
export interface PodSize {
  /** What the container has now. */
  readonly has: Resources;
  readonly pending: { readonly reason: 'Deferred' | 'Infeasible'; readonly message: string } | undefined;
  readonly isInProgress: boolean;
  /** A resize was requested before, so its conditions may be in the status. */
  readonly wasAsked: boolean;
  readonly generation: number | undefined;
}

export interface PodResizePorts {
  readonly clock: Clock;
  readonly speed: number;
  judge(pod: Pod): ResizeVerdict;
  /** Called when the size has changed, so that the status is written. */
  onChanged(): void;
}

/** The time a runtime takes to change the limits of a running container. */
const TAKE_MS = 300;
/** How often a deferred resize is tried again, besides when a Pod of the host has gone. */
const DEFERRED_MS = 3_000;

export class PodResize {
  readonly #ports: PodResizePorts;
  #pod: Pod;
  #size: PodSize;
  #isEnded = false;
  /** Counts requests: timers of all but the last do nothing. */
  #asked = 0;

  constructor(pod: Pod, ports: PodResizePorts) {
    this.#pod = pod;
    this.#ports = ports;
    const { generation } = pod.metadata;
    this.#size = { has: resourcesOf(pod), pending: undefined, isInProgress: false, wasAsked: false, generation };
  }

  get size(): PodSize {
    return this.#size;
  }

  /** The API server's newest version of the Pod. */
  update(pod: Pod): void {
    const isAsked = text(resourcesOf(pod)) !== text(resourcesOf(this.#pod));
    this.#pod = pod;
    if (!isAsked) return;
    this.#asked += 1;
    this.#decide(this.#asked);
  }

  /** A Pod of the host may have gone. */
  kick(): void {
    if (this.#size.pending?.reason === 'Deferred') this.#decide(this.#asked);
  }

  end(): void {
    this.#isEnded = true;
  }

  #decide(asked: number): void {
    if (this.#isEnded || asked !== this.#asked) return;
    const { clock, speed, judge } = this.#ports;
    const verdict = judge(this.#pod);
    const { generation } = this.#pod.metadata;
    const isOther = text(resourcesOf(this.#pod)) !== text(this.#size.has);
    const common = { has: this.#size.has, wasAsked: true, generation };
    if (verdict.kind === 'fits') {
      this.#say({ ...common, pending: undefined, isInProgress: isOther });
      if (isOther) clock.after(TAKE_MS / speed, () => this.#take(asked));
      return;
    }
    this.#say({ ...common, pending: { reason: verdict.kind, message: verdict.message }, isInProgress: false });
    if (verdict.kind === 'Deferred') clock.after(DEFERRED_MS / speed, () => this.#decide(asked));
  }

  #take(asked: number): void {
    if (this.#isEnded || asked !== this.#asked) return;
    this.#say({ ...this.#size, has: resourcesOf(this.#pod), pending: undefined, isInProgress: false });
  }

  #say(size: PodSize): void {
    this.#size = size;
    this.#ports.onChanged();
  }
}

/** @param others what the other Pods of the host have */
export function judgeResize(pod: Pod, host: Node | undefined, others: readonly Resources[]): ResizeVerdict {
  const wanted = resourcesOf(pod);
  for (const name of ['cpu', 'memory']) {
    const capacity = quantityOf(host?.status?.allocatable?.[name]);
    const requested = quantityOf(wanted.requests?.[name]);
    const used = others.reduce((sum, { requests }) => sum + quantityOf(requests?.[name]), 0);
    const figures = `${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
    if (requested > capacity) return { kind: 'Infeasible', message: `Node didn't have enough capacity: ${figures}` };
    if (requested + used > capacity)
      return { kind: 'Deferred', message: `Node didn't have enough resource: ${figures}` };
  }
  return { kind: 'fits' };
}

/** Cores or bytes. */
function quantityOf(amount: string | number | undefined): number {
  return Number(tryParseQuantity(amount ?? '0')?.millis ?? 0n) / 1000;
}

function resourcesOf(pod: Pod): Resources {
  const { requests, limits } = mainContainer(pod)?.resources ?? {};
  return { ...(requests === undefined ? {} : { requests }), ...(limits === undefined ? {} : { limits }) };
}

function text(resources: Resources): string {
  return JSON.stringify([resources.requests, resources.limits]);
}
