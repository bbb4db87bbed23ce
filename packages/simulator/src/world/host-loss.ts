// A host that fails, as the control plane shows it: its kubelet does not report, a while later the Node is not ready
// and so are its Pods, minutes later its Pods are told to end, and nobody is there to end them. Or somebody takes the
// Node away, and its Pods with it.

import type { VirtualClock } from '../memory/virtual-clock.ts';
import type { ApiObject } from './api-object.ts';
import type { MemoryApiServer } from './api-server.ts';
import type { Kubelet } from './kubelet.ts';

export interface HostLossOptions {
  readonly server: MemoryApiServer;
  readonly kubelet: Kubelet;
  readonly clock: VirtualClock;
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** A kubelet that was not heard of for so long is not ready. */
const NOT_READY_MS = 40_000;
/** Its Pods are told to end so long after that. */
const EVICTED_MS = 300_000;
/** The collector of Pods takes those of a Node that is gone so long after it went. */
const COLLECTED_MS = 50_000;
/** The one that heeds taints acts so long after it sees them. */
const TAINT_MS = 1_000;
const UNREACHABLE = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' };

export class HostLoss {
  readonly #options: HostLossOptions;
  readonly #off = new Set<string>();

  constructor(options: HostLossOptions) {
    this.#options = options;
  }

  /** The machine is off from now on. */
  fail(name: string): void {
    const { kubelet, clock } = this.#options;
    this.#off.add(name);
    kubelet.loseHost(name);
    clock.after(NOT_READY_MS, () => {
      if (this.#off.has(name)) this.#notReady(name);
    });
    clock.after(NOT_READY_MS + EVICTED_MS, () => {
      if (this.#off.has(name)) this.#evict(name);
    });
  }

  /** The machine is on again. */
  comeBack(name: string): void {
    const { server, kubelet } = this.#options;
    this.#off.delete(name);
    if (server.find('nodes', { name }) === undefined) return;
    this.#say(name, 'True');
    server.patch('nodes', { name }, { spec: { taints: null } });
    kubelet.regainHost(name);
    kubelet.retryPlacement();
  }

  /** A person, or the cloud, takes the Node object away.
   *  @param isCollected whether the collector of Pods is at work */
  removeNode(name: string, isCollected: boolean): void {
    const { server, clock } = this.#options;
    server.remove('nodes', { name });
    if (!isCollected) return;
    clock.after(COLLECTED_MS, () => {
      if (server.find('nodes', { name }) !== undefined) return;
      for (const { metadata } of this.#podsOf(name)) server.remove('pods', metadata, { uid: metadata.uid }, 0);
    });
  }

  /** A person says that it is off, `kubectl taint node`: its Pods are told to end. */
  taintOutOfService(name: string): void {
    this.#taint(name, { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' });
    this.#options.clock.after(TAINT_MS, () => this.#evict(name));
  }

  #taint(name: string, taint: { readonly key: string; readonly value?: string; readonly effect: string }): void {
    const { server } = this.#options;
    const { taints = [] } = (server.find('nodes', { name })?.spec ?? {}) as { readonly taints?: readonly object[] };
    server.patch('nodes', { name }, { spec: { taints: [...taints, taint] } });
  }

  #notReady(name: string): void {
    const { server } = this.#options;
    if (server.find('nodes', { name }) === undefined) return;
    this.#say(name, 'Unknown');
    this.#taint(name, UNREACHABLE);
    for (const { metadata, status } of this.#podsOf(name)) {
      const conditions = (status?.conditions ?? []) as readonly { readonly type: string }[];
      const others = conditions.filter(({ type }) => type !== 'Ready');
      server.patch(
        'pods',
        metadata,
        { status: { conditions: [...others, { type: 'Ready', status: 'False' }] } },
        'status',
      );
    }
  }

  #evict(name: string): void {
    const { server } = this.#options;
    for (const { metadata } of this.#podsOf(name))
      if (metadata.deletionTimestamp === undefined) server.remove('pods', metadata, { uid: metadata.uid });
  }

  #podsOf(name: string): readonly ApiObject[] {
    return this.#options.server.list('pods').filter(({ spec }) => spec?.nodeName === name);
  }

  #say(name: string, status: 'True' | 'Unknown'): void {
    const lastTransitionTime = `${new Date(this.#options.nowMs()).toISOString().slice(0, 19)}Z`;
    const conditions = [{ type: 'Ready', status, lastTransitionTime }];
    this.#options.server.patch('nodes', { name }, { status: { conditions } }, 'status');
  }
}
