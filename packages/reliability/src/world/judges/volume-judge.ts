// Checks every volume against the spec. A claim never asks for less than before, nor for more than its node. A node's
// volume grows beyond the spec only when it is really full, a cool-down after the last growth, within its limit, and
// not while the others settle without a removed node.

import { type MarekvsNode, tryParseQuantity, withDefaults } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import { CLAIMS, NODES, type WorldView } from '../cluster/world-view.ts';

/** How far the clocks of the world and an operator may differ. */
const CLOCK_MS = 2_000;
const SETTLING: ReadonlySet<string> = new Set(['Deleting', 'Departing', 'Settling', 'Reclaiming']);

interface ClaimSpec {
  readonly resources?: { readonly requests?: { readonly storage?: string } };
}

export class VolumeJudge {
  readonly #view: WorldView;
  /** By UID of the node. */
  readonly #grownAtMs = new Map<string, number>();

  constructor(view: WorldView) {
    this.#view = view;
    view.kube.server.onEvent(({ resource, object, previous }) => {
      if (previous === undefined || previous.metadata.uid !== object.metadata.uid) return;
      if (resource === CLAIMS) this.#judgeClaim(object, previous);
      if (resource === NODES) this.#judgeNode(object as ApiObject & MarekvsNode, previous as ApiObject & MarekvsNode);
    });
  }

  #judgeClaim({ metadata, spec }: ApiObject, { spec: before }: ApiObject): void {
    const [now, then] = [requestOf(spec), requestOf(before)];
    if (now === then) return;
    const { kube } = this.#view;
    const what = `${metadata.name} asks for ${now} instead of ${then}`;
    if (bytes(now) < bytes(then)) kube.violated(`${what}: less`);
    const asked = this.#view.nodes().find((node) => `data-${node.metadata.name}` === metadata.name)?.spec.storage.size;
    if (asked !== undefined && bytes(now) > bytes(asked)) kube.violated(`${what}, and its node for ${asked}`);
  }

  #judgeNode(node: MarekvsNode, { spec: before }: MarekvsNode): void {
    const [now, then] = [node.spec.storage.size, before.storage.size];
    const cluster = this.#view.clusterOf(node);
    if (bytes(now) === bytes(then) || cluster === undefined) return;
    const { kube } = this.#view;
    const { size, autoGrow } = withDefaults(cluster.spec).storage;
    if (bytes(now) <= bytes(size)) return;
    const what = `the volume of ${node.metadata.name} grows from ${then} to ${now}`;
    if (autoGrow === undefined) {
      kube.violated(`${what}, and nobody asked for it`);
      return;
    }
    if (bytes(now) > bytes(autoGrow.max)) kube.violated(`${what}, beyond ${autoGrow.max}`);
    const sinceMs = kube.nowMs() - (this.#grownAtMs.get(node.metadata.uid) ?? Number.NEGATIVE_INFINITY);
    if (sinceMs + CLOCK_MS < autoGrow.coolDownSeconds * 1_000) kube.violated(`${what} again after ${sinceMs} ms`);
    this.#grownAtMs.set(node.metadata.uid, kube.nowMs());
    if (SETTLING.has(this.#view.operationPhase() ?? '')) kube.violated(`${what} while the others settle`);
    const percent = this.#fillOf(node.spec.nodeId);
    if (percent < autoGrow.atPercent) kube.violated(`${what} at ${percent} %`);
  }

  /** In percent, by the real content: in these stories disks only fill. */
  #fillOf(id: number): number {
    const disk = this.#view.kube.kubelet.diskOf(this.#view.claim(id)?.metadata.uid ?? '');
    return disk === undefined ? 0 : Math.ceil((100 * (disk.totalBytes() - disk.availableBytes())) / disk.totalBytes());
  }
}

function requestOf(spec: ApiObject['spec']): string {
  return (spec as ClaimSpec | undefined)?.resources?.requests?.storage ?? '0';
}

function bytes(quantity: string): bigint {
  return tryParseQuantity(quantity)?.millis ?? 0n;
}
