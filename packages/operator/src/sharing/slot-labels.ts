// Corrects slot labels that were changed by hand. Sharing replicas list objects by that label: the owner no longer sees
// such an object and takes it for gone, and only the replica of the wrong slot does. So that replica writes the label,
// and nothing else, of an object it does not manage (docs/decisions/sharing.md).

import { LABELS } from '@marekvs/api';
import { type Kind, type KubeClient, type KubeObject, type Logger, type ObjectMeta, slotOf } from '@marekvs/runtime';
import { type BoundedWork, createBoundedWork } from '../background/bounded-work.ts';
import type { Share } from './share.ts';

export interface SlotLabels {
  /** An object was seen in a list or a watch. Only takes note. */
  seen(kind: Kind<KubeObject>, metadata: ObjectMeta, clusterKey: string): void;
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

/** Limit when many are changed: the next list shows the others again. */
const MAX_WAITING = 1_000;
const MAX_IN_FLIGHT = 2;

/** @param share the part that is sent to this replica; undefined: everything, and slots do not matter */
export function createSlotLabels(
  client: Pick<KubeClient, 'patch'>,
  share: Share | undefined,
  logger: Logger,
): SlotLabels {
  let waiting = 0;
  /** By UID, the corrected version: a watch shows an object once more as it leaves. */
  const corrected = new Map<string, string>();
  const work = createBoundedWork<Misplaced>(MAX_IN_FLIGHT, (one, signal) => {
    waiting -= 1;
    return correct(one, signal);
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
      // Changed or gone meanwhile, or not allowed: the next event or list shows it again.
      logger.debug('Putting the slot of an object right failed', { ...line, err });
    }
  }

  return {
    seen(kind, metadata, clusterKey) {
      const { name, namespace, uid, resourceVersion, labels } = metadata;
      const label = labels?.[LABELS.slot];
      // Its owner sees it anyway if both slots are ours, or the label names no slot.
      if (share === undefined || label === undefined || share.has(clusterKey)) return;
      const slot = slotOf(clusterKey);
      if (label === String(slot) || waiting >= MAX_WAITING) return;
      if (name === undefined || namespace === undefined || uid === undefined || resourceVersion === undefined) return;
      if (corrected.get(uid) === resourceVersion) return;
      waiting += 1;
      work.add({ kind, name, namespace, uid, resourceVersion, slot });
    },
    run: work.run,
  };
}
