// Puts the slot of an object right that a hand has changed. Replicas that share are sent what is theirs by that label:
// its owner does not see such an object any more and takes it for gone, and nobody but the replica of the wrong slot is
// sent it. So that one writes the label, and nothing else, of an object it does not look after
// (docs/decisions/0059-slots-that-a-hand-has-changed.md).

import { LABELS } from '@marekvs/api';
import { type Kind, type KubeClient, type KubeObject, type Logger, type ObjectMeta, slotOf } from '@marekvs/runtime';
import { type BoundedWork, createBoundedWork } from './members/bounded-work.ts';
import type { Share } from './observation/share.ts';

export interface SlotLabels {
  /** An object was seen, in a list or a watch. Only takes note. */
  seen(kind: Kind<KubeObject>, metadata: ObjectMeta, clusterKey: string): void;
  /** Whatever was sent here by mistake has its own slot now. */
  readonly isSettled: boolean;
  /** Everything is about to be read again, and with it what could not be put right. */
  reread(): void;
  readonly run: BoundedWork<Misplaced>['run'];
}

interface Misplaced {
  readonly kind: Kind<KubeObject>;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly slot: number;
}

/** Of a hand that changes many: what is not kept is seen again in the next list. */
const MAX_WAITING = 1_000;
const MAX_IN_FLIGHT = 2;

/** @param share what this replica is sent; undefined: everything, and slots do not matter */
export function createSlotLabels(
  client: Pick<KubeClient, 'patch'>,
  share: Share | undefined,
  logger: Logger,
): SlotLabels {
  let waiting = 0;
  let underWay = 0;
  let isAnyLeft = false;
  /** By UID, the version that was put right: a watch shows an object once more as it leaves. */
  const corrected = new Map<string, string>();
  const work = createBoundedWork<Misplaced>(MAX_IN_FLIGHT, (one, signal) => {
    waiting -= 1;
    underWay += 1;
    return correct(one, signal).finally(() => {
      underWay -= 1;
    });
  });

  async function correct(one: Misplaced, signal: AbortSignal): Promise<void> {
    const { kind, name, namespace, slot } = one;
    const patch = { metadata: { labels: { [LABELS.slot]: String(slot) } } };
    const line = { kind: kind.kind, name, namespace, slot };
    try {
      const { metadata } = await client.patch(kind, { name, namespace }, patch, one, { signal });
      if (corrected.size >= MAX_WAITING) corrected.clear();
      corrected.set(metadata.uid, metadata.resourceVersion);
      logger.warn('Put the slot of an object right: its label was changed by hand', line);
    } catch (err) {
      // Changed or gone meanwhile, or not allowed: the next event of it, or the next list, shows it again.
      isAnyLeft = true;
      logger.debug('Putting the slot of an object right failed', { ...line, err });
    }
  }

  return {
    seen(kind, metadata, clusterKey) {
      const { name, namespace, uid, resourceVersion, labels } = metadata;
      const label = labels?.[LABELS.slot];
      // Its owner sees it all the same where both slots are ours, and where the label is no slot of anybody.
      if (share === undefined || label === undefined || share.has(clusterKey)) return;
      const slot = slotOf(clusterKey);
      if (label === String(slot)) return;
      if (waiting >= MAX_WAITING) {
        isAnyLeft = true;
        return;
      }
      if (name === undefined || namespace === undefined || uid === undefined || resourceVersion === undefined) return;
      if (corrected.get(uid) === resourceVersion) return;
      waiting += 1;
      work.add({ kind, name, namespace, uid, resourceVersion, slot });
    },
    get isSettled() {
      return waiting === 0 && underWay === 0 && !isAnyLeft;
    },
    reread() {
      isAnyLeft = false;
    },
    run: work.run,
  };
}
