// Which Node of the testbed takes a Pod, or why none does. Pure. The rules are those of the simulated hosts; resources
// and volumes' zones are not considered, since all hosts are this machine.

import { type Placed, type PodPlacement, placePod, ruleBroken } from '@marekvs/simulator/scheduling';
import type { Node, Pod } from '../objects/objects.ts';

/** What the Pod prefers first, then fewest Pods with the same labels, then fewest Pods, then by name. */
export function placeOnNode(pod: Pod, nodes: readonly Node[], placed: readonly Placed[]): PodPlacement {
  const byName = nodes.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return placePod(pod, byName, {
    refusal: (node) => ruleBroken(pod, node, nodes, placed),
    load: (name) => loadOf(pod, name, placed),
  });
}

function loadOf(pod: Pod, nodeName: string, placed: readonly Placed[]): number {
  const here = placed.filter(({ host }) => host === nodeName);
  const kin = here.filter(({ pod: { metadata } }) => {
    const isNear = metadata.namespace === pod.metadata.namespace;
    return isNear && isKin(metadata.labels ?? {}, pod.metadata.labels ?? {});
  });
  return kin.length * 1000 + here.length;
}

function isKin(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const instance = 'app.kubernetes.io/instance';
  return a[instance] !== undefined && a[instance] === b[instance];
}
