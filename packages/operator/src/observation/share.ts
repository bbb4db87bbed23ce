// Answers: which clusters does this replica manage? Whatever belongs to another's is neither asked for nor kept, as far
// as the API server can tell it apart: objects that we make have their slot in a label, those of before have none and
// are sent to everybody. A slot is of the cluster's name: kept volumes, and a cluster that is made again under its
// name, stay with the same replica (docs/decisions/0031).

import { LABELS } from '@marekvs/api';
import { SLOTS, slotOf } from '@marekvs/runtime';

export interface Share {
  /** @param clusterKey `namespace/name` */
  has(clusterKey: string): boolean;
  /** For lists and watches: whatever is in these slots, or has no slot yet. Undefined: everything. */
  selector(): string | undefined;
  set(slots: ReadonlySet<number>): void;
  readonly slots: ReadonlySet<number>;
}

export function createShare(initial: ReadonlySet<number> = new Set()): Share {
  let slots = initial;
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

/** The label of whatever belongs to a cluster. */
export function slotLabel(namespace: string, cluster: string): Readonly<Record<string, string>> {
  return { [LABELS.slot]: String(slotOf(`${namespace}/${cluster}`)) };
}

/** The cluster of a node, by the name the node has. */
export function clusterOfNodeName(nodeName: string): string {
  return nodeName.replace(/-\d+$/, '');
}
