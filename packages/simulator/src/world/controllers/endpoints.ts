// Cluster DNS and the endpoints of Services: the addresses behind a name, updated a while after Pods change.

import type { MemberNetwork } from '../../memory/member-network.ts';
import type { ApiObject } from '../api-server/api-object.ts';
import { apiKey } from '../api-server/api-object.ts';
import type { MemoryApiServer } from '../api-server/api-server.ts';

export interface EndpointsOptions {
  readonly server: MemoryApiServer;
  readonly network: MemberNetwork;
  readonly random: () => number;
}

export class Endpoints {
  readonly #options: EndpointsOptions;
  readonly #addresses = new Map<string, readonly string[]>();
  #isPlanned = false;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    options.server.onEvent(({ resource }) => {
      if (resource === 'pods' || resource === 'services') this.#plan();
    });
  }

  /** Addresses behind a Service now, by `namespace/name`. */
  of(serviceKey: string): readonly string[] {
    return this.#addresses.get(serviceKey) ?? [];
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#options.network.clock.after(100 + this.#options.random() * 400, () => {
      this.#isPlanned = false;
      this.#compute();
    });
  }

  #compute(): void {
    const { server, network } = this.#options;
    const pods = server.list('pods');
    this.#addresses.clear();
    for (const service of server.list('services')) {
      const { namespace = '', name } = service.metadata;
      const addresses = addressesOf(service, pods);
      this.#addresses.set(apiKey(service.metadata), addresses);
      network.hosts.set(`${name}.${namespace}.svc`, addresses);
      network.hosts.set(`${name}.${namespace}.svc.cluster.local`, addresses);
    }
  }
}

function addressesOf(service: ApiObject, pods: readonly ApiObject[]): readonly string[] {
  const selector = (service.spec?.selector ?? {}) as Readonly<Record<string, string>>;
  const takesAll = service.spec?.publishNotReadyAddresses === true;
  return pods.flatMap((pod) => {
    const ip = pod.status?.podIP;
    const labels = pod.metadata.labels ?? {};
    const isChosen =
      pod.metadata.namespace === service.metadata.namespace &&
      Object.entries(selector).every(([key, value]) => labels[key] === value);
    return typeof ip === 'string' && isChosen && (takesAll || isServing(pod)) ? [ip] : [];
  });
}

function isServing(pod: ApiObject): boolean {
  const conditions = (pod.status?.conditions ?? []) as readonly { readonly type: string; readonly status: string }[];
  const isReady = conditions.some((one) => one.type === 'Ready' && one.status === 'True');
  return isReady && pod.metadata.deletionTimestamp === undefined;
}
