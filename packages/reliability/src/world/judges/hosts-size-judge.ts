// Checks every size that an operator decides by hosts against the hosts there are: at most as many as can take a
// member, plus those that join before another goes, and down only after hosts have been missing for longer than a short
// outage.

import { ANNOTATIONS, type MarekvsCluster, minimumNodes, withDefaults } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import { CLUSTERS, NODES, type WorldView } from '../cluster/world-view.ts';

const STANDING_MS = 30_000;
/** Time for an event and a request on their way. */
const CLOCK_MS = 2_000;

export class HostsSizeJudge {
  readonly #view: WorldView;
  #size: number | undefined;
  /** Whether there are at least as many hosts as the size, and when that was last so. */
  #isEnough = false;
  #enoughMs = 0;

  constructor(view: WorldView) {
    this.#view = view;
    view.kube.server.onEvent(({ type, resource, object }) => {
      if (resource === 'nodes' || resource === 'pods' || resource === NODES) this.#note();
      if (resource !== CLUSTERS) return;
      if (type === 'DELETED') this.#size = undefined;
      else this.#judge(object as ApiObject & MarekvsCluster);
    });
  }

  #judge(cluster: MarekvsCluster): void {
    const { status, metadata, spec } = cluster;
    const rule = withDefaults(spec).hosts.onePerHost;
    const size = status?.autoscale?.reason === 'SizedByHosts' ? status.autoscale.size : undefined;
    const before = this.#size;
    if (size === before) return;
    this.#note();
    const forMs = this.#view.kube.nowMs() - this.#enoughMs;
    this.#size = size;
    this.#isEnough = this.#countsEnough();
    if (rule === undefined || size === undefined || before === undefined) return;
    const what = `${metadata.name} is sized from ${before} to ${size} by hosts`;
    const floor = Math.max(rule.minNodes, minimumNodes(spec));
    const hosts = this.#hosts(cluster).length;
    const most = Math.min(Math.max(hosts, floor), Math.max(rule.maxNodes, floor));
    if (size > before) {
      // A member on the wrong host goes only after a new one has joined.
      if (size > most + this.#elsewhere(cluster)) this.#view.kube.violated(`${what}, and ${hosts} have the labels`);
      return;
    }
    if (hosts === 0) this.#view.kube.violated(`${what}, and no host has the labels`);
    if (size < floor) this.#view.kube.violated(`${what}, below ${floor}`);
    if (forMs + CLOCK_MS < STANDING_MS)
      this.#view.kube.violated(`${what}, and enough had the labels ${Math.round(forMs)} ms ago`);
  }

  #note(): void {
    if (this.#isEnough) this.#enoughMs = this.#view.kube.nowMs();
    this.#isEnough = this.#countsEnough();
  }

  /** A host that does not report counts only while it has a Pod, other than of a node given up with its host. */
  #countsEnough(): boolean {
    const { server } = this.#view.kube;
    const given = this.#view
      .nodes()
      .filter(({ metadata }) => metadata.annotations?.[ANNOTATIONS.hostLost] !== undefined);
    const isGiven = (pod: ApiObject) => given.some(({ metadata }) => metadata.name === pod.metadata.name);
    const pods = server.list('pods').filter((pod) => !isGiven(pod));
    const taken = new Set(pods.map(({ spec }) => spec?.nodeName));
    const there = this.#hosts(this.#view.cluster()).filter((host) => isReady(host) || taken.has(host.metadata.name));
    return this.#size !== undefined && there.length >= this.#size;
  }

  #hosts(cluster: MarekvsCluster | undefined): readonly ApiObject[] {
    const { onePerHost } = cluster === undefined ? {} : withDefaults(cluster.spec).hosts;
    if (onePerHost === undefined) return [];
    const wanted = Object.entries(onePerHost.nodeSelector);
    const all = this.#view.kube.server.list('nodes');
    return all.filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value));
  }

  /** Number of Pods on hosts without the labels, or on a host with another one. */
  #elsewhere(cluster: MarekvsCluster): number {
    const names = this.#hosts(cluster).map(({ metadata }) => metadata.name);
    const pods = this.#view.kube.server.list('pods').filter(({ spec }) => spec?.nodeName !== undefined);
    const places = pods.map(({ spec }) => String(spec?.nodeName));
    return places.filter((host, index) => !names.includes(host) || places.indexOf(host) !== index).length;
  }
}

function isReady({ status }: ApiObject): boolean {
  const conditions = (status?.conditions ?? []) as readonly { readonly type: string; readonly status: string }[];
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True';
}
