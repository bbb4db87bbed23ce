// Checks every size that an operator decides by load against the spec and the clock: within its bounds, down by one,
// and never down sooner than a window after the last change of the size.

import { type MarekvsCluster, minimumNodes, withDefaults } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import { CLUSTERS, type WorldView } from '../cluster/world-view.ts';

/** How far the clocks of the world and an operator may differ. */
const CLOCK_MS = 2_000;

export class SizeJudge {
  readonly #view: WorldView;
  #size: number | undefined;
  #changedMs = 0;

  constructor(view: WorldView) {
    this.#view = view;
    view.kube.server.onEvent(({ type, resource, object }) => {
      if (resource !== CLUSTERS) return;
      if (type === 'DELETED') this.#size = undefined;
      else this.#judge(object as ApiObject & MarekvsCluster);
    });
  }

  #judge({ spec, status, metadata }: MarekvsCluster): void {
    const size = status?.autoscale?.size;
    const before = this.#size;
    if (size === before) return;
    this.#size = size;
    const sinceMs = this.#view.kube.nowMs() - this.#changedMs;
    this.#changedMs = this.#view.kube.nowMs();
    const { autoscale } = withDefaults(spec);
    if (size === undefined || before === undefined || autoscale === undefined) return;
    const what = `${metadata.name} is sized from ${before} to ${size}`;
    const floor = Math.max(autoscale.minNodes, minimumNodes(spec));
    if (size < Math.min(before, floor)) this.#view.kube.violated(`${what}, below ${floor}`);
    if (size > Math.max(before, autoscale.maxNodes, floor))
      this.#view.kube.violated(`${what}, above ${autoscale.maxNodes}`);
    if (size >= before) return;
    if (before - size > 1) this.#view.kube.violated(`${what} at once`);
    if (sinceMs + CLOCK_MS < autoscale.scaleDownStabilizationSeconds * 1000)
      this.#view.kube.violated(`${what} after ${sinceMs} ms`);
  }
}
