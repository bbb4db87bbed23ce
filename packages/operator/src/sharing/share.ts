// Answers: which clusters does this replica manage? Objects of other clusters are neither listed nor kept, as far as
// the API server can tell: ours have their slot in a label, older ones have none and are sent to every replica. The
// slot is that of the cluster's name: kept volumes, and a cluster that is made again, stay with the same replica
// (docs/decisions/sharing.md).

import { LABELS } from '@marekvs/api';
import { SLOTS, slotOf } from '@marekvs/runtime';

export interface Share {
  /** @param clusterKey `namespace/name` */
  has(clusterKey: string): boolean;
  /** For lists and watches: objects in these slots, or without a slot. Undefined: everything. */
  selector(): string | undefined;
  set(slots: ReadonlySet<number>): void;
  readonly slots: ReadonlySet<number>;
}

export function createShare(): Share {
  let slots: ReadonlySet<number> = new Set();
  return {
    has: (clusterKey) => slots.has(slotOf(clusterKey)),
    selector() {
      const others = Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => !slots.has(slot));
      return others.length === 0 ? undefined : `${LABELS.slot} notin (${others.join(',')})`;
    },
    set(next) {
      slots = next;
    },
    get slots() {
      return slots;
    },
  };
}

/** The slot label of all objects of a cluster. */
export function slotLabel(namespace: string, cluster: string): Readonly<Record<string, string>> {
  return { [LABELS.slot]: String(slotOf(`${namespace}/${cluster}`)) };
}

/** The cluster of a node, from the name of the node. */
export function clusterOfNodeName(nodeName: string): string {
  return nodeName.replace(/-\d+$/, '');
}
