// What the hosts say to a Pod that asks for a place or for other resources, unless a test has answered for them.
import type { Reflector } from '@marekvs/runtime';
import type { PodPlacement } from '@marekvs/simulator/scheduling';
import type { ResizeHold } from './kubelet-interface.ts';
import { type Cached, type Node, objectsOf, type Pod } from './objects/objects.ts';
import { judgeResize, type ResizeVerdict } from './pods/pod-resize.ts';
import { placeOnNode } from './scheduling/scheduler.ts';
import type { VolumeTies } from './volumes/volume-ties.ts';
import type { Workers } from './workers.ts';

type Nodes = Reflector<Cached<Node>>['store'];
type OfPod<T> = ((pod: { readonly namespace: string; readonly name: string }) => T) | undefined;

export class HostVerdicts {
  /** Set by a test. */
  isUnscheduled: OfPod<boolean>;
  resizeHold: OfPod<ResizeHold>;
  readonly #workers: Workers;
  readonly #nodes: Nodes;
  readonly #ties: VolumeTies;

  constructor(workers: Workers, nodes: Nodes, ties: VolumeTies) {
    this.#workers = workers;
    this.#nodes = nodes;
    this.#ties = ties;
  }

  place(pod: Pod): PodPlacement {
    if (this.isUnscheduled?.(pod.metadata) === true)
      return { kind: 'unschedulable', message: `0/${this.#nodes.size} nodes are available: held by the test.` };
    const tied = this.#ties.hostOf(pod);
    const fitting = objectsOf(this.#nodes.values()).filter(
      ({ metadata }) => tied === undefined || metadata.name === tied,
    );
    return placeOnNode(pod, fitting, this.#workers.placed());
  }

  judgeResize(pod: Pod, nodeName: string): ResizeVerdict {
    const holdOf = this.resizeHold?.(pod.metadata);
    if (holdOf !== undefined) return { kind: holdOf, message: "Node didn't have enough resource: held by the test." };
    const others = this.#workers.on(nodeName).filter((one) => one.pod.metadata.uid !== pod.metadata.uid);
    return judgeResize(
      pod,
      this.#nodes.get(nodeName)?.object,
      others.map(({ allotted }) => allotted),
    );
  }
}
