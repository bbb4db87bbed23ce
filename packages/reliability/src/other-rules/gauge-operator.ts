// The existing operator, for a cluster's whole life: a StatefulSet with the Parallel policy that recreates every
// missing Pod, one replica less whenever the gauge rule allows, and volumes reclaimed once that rule is satisfied. It
// has no operations, no pause and no proof (docs/design/server.md#the-existing-operator).

import type { ApiObject } from '@marekvs/simulator';
import { CLAIMS, NAMESPACE } from '../world/cluster/world-view.ts';
import type { MemberWorld } from '../world/member-world.ts';
import { mayShrink, NEXT_RECONCILE_MS } from './gauge-rule.ts';
import { isReady } from './rule.ts';

export class GaugeOperator {
  readonly #world: MemberWorld;
  readonly #pods = new Map<number, ApiObject>();
  readonly #claims = new Map<number, ApiObject>();
  #replicas: number;

  /** Takes over the Pods and volumes that are there. */
  constructor(world: MemberWorld) {
    this.#world = world;
    this.#replicas = world.nodeIds().length;
    for (const id of world.nodeIds()) {
      const [pod, claim] = [world.pod(id), world.claim(id)];
      if (pod !== undefined) this.#pods.set(id, pod);
      if (claim !== undefined) this.#claims.set(id, claim);
    }
    this.#tick();
  }

  /** Whether as many Pods as it wants exist and are ready. */
  isContent(size: number): boolean {
    const { server } = this.#world.kube;
    return this.#replicas === size && server.list('pods').length === size && this.#readyPods() === size;
  }

  #tick(): void {
    const wanted = this.#world.cluster()?.spec.nodes ?? 0;
    this.#replicas = Math.max(this.#replicas, wanted);
    for (let id = 0; id < this.#replicas; id += 1) this.#putBack(id);
    if (this.#replicas > wanted && mayShrink(this.#world, this.#replicas)) {
      this.#replicas -= 1;
      this.#remove('pods', `demo-${this.#replicas}`);
    } else if (this.#replicas === wanted && mayShrink(this.#world, wanted)) this.#reclaim();
    this.#world.kube.clock.after(NEXT_RECONCILE_MS, () => this.#tick());
  }

  #putBack(id: number): void {
    const { server } = this.#world.kube;
    const [pod, claim] = [this.#pods.get(id), this.#claims.get(id)];
    if (claim !== undefined && this.#world.claim(id) === undefined) server.create(CLAIMS, remade(claim));
    if (pod === undefined || this.#world.pod(id) !== undefined) return;
    const { nodeName: _, ...spec } = pod.spec ?? {};
    server.create('pods', { ...remade(pod), spec });
  }

  #reclaim(): void {
    if (this.#world.cluster()?.spec.volumeRetention?.whenScaled !== 'Delete') return;
    for (const id of this.#claims.keys())
      if (id >= this.#replicas && this.#world.claim(id) !== undefined) this.#remove(CLAIMS, `data-demo-${id}`);
  }

  #remove(resource: string, name: string): void {
    const { server, transcript } = this.#world.kube;
    const isThere = server.find(resource, { namespace: NAMESPACE, name })?.metadata.deletionTimestamp === undefined;
    if (!isThere) return;
    transcript.add('rule', `deletes ${resource} ${name}`);
    server.remove(resource, { namespace: NAMESPACE, name });
  }

  #readyPods(): number {
    return [...this.#pods.keys()].filter((id) => isReady(this.#world, id)).length;
  }
}

/** A copy without identity, to be created again. */
function remade({ metadata: { name, namespace, labels, annotations }, spec }: ApiObject) {
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    ...(spec === undefined ? {} : { spec }),
  };
}
