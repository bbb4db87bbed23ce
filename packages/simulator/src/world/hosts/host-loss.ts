// A host that fails, as seen by the control plane: its kubelet stops reporting; a while later its Node and Pods are not
// ready; minutes later its Pods are marked for deletion, and no kubelet ends them. Or the Node object is deleted, and
// its Pods with it.

import type { VirtualClock } from '../../memory/virtual-clock.ts';
import type { ApiObject } from '../api-server/api-object.ts';
import type { MemoryApiServer } from '../api-server/api-server.ts';
import { serverTime } from '../api-server/server-time.ts';
import type { Kubelet } from './kubelet.ts';

export interface HostLossOptions {
  readonly server: MemoryApiServer;
  readonly kubelet: Kubelet;
  readonly clock: VirtualClock;
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** A Node is not ready when its kubelet has not reported for this long. */
const NOT_READY_MS = 40_000;
/** Its Pods are marked for deletion this long after that. */
const EVICTED_MS = 300_000;
/** Pod garbage collection removes the Pods of a deleted Node after this time. */
const COLLECTED_MS = 50_000;
/** The taint manager acts this long after a taint appears. */
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

  /** A person, or the cloud, deletes the Node object.
   *  @param isCollected whether Pod garbage collection is running */
  removeNode(name: string, isCollected: boolean): void {
    const { server, clock } = this.#options;
    server.remove('nodes', { name });
    if (!isCollected) return;
    clock.after(COLLECTED_MS, () => {
      if (server.find('nodes', { name }) !== undefined) return;
      for (const { metadata } of this.#podsOf(name)) server.remove('pods', metadata, { uid: metadata.uid }, 0);
    });
  }

  /** A person marks the host as shut down with `kubectl taint node`: its Pods are marked for deletion. */
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
    const lastTransitionTime = serverTime(this.#options.nowMs());
    const conditions = [{ type: 'Ready', status, lastTransitionTime }];
    this.#options.server.patch('nodes', { name }, { status: { conditions } }, 'status');
  }
}
