// The words of a node plan: one write at most, or what it waits for.

import type { Reason } from '@marekvs/api';
import { type Hold, hold } from './hold.ts';
import type { NodeObservation } from './node-observation.ts';
import { ownPod } from './node-observation.ts';
import type { PodRecord, VolumeRecord } from './observation.ts';
import type { ComputeResources } from './rolling/resources.ts';

/** One step of the node controller. The executor adds the preconditions. Everything but `drain` is one write to the API server. */
export type NodeStep =
  | { readonly kind: 'addFinalizer' }
  | { readonly kind: 'createVolume' }
  /** The claim with this uid, as a StatefulSet left it, becomes this node's: labels, and where its data are. Nothing of it moves. */
  | { readonly kind: 'adoptVolume'; readonly volumeUid: string; readonly dataDir: string }
  /** A running Pod that nobody controls any more becomes this node's, as it is. */
  | { readonly kind: 'adoptPod' }
  /** The volume is in use again: takes off what `detachVolume` wrote. */
  | { readonly kind: 'attachVolume'; readonly volume: VolumeRecord }
  /** The node lets its volume go: both times are wall clock. */
  | {
      readonly kind: 'detachVolume';
      readonly volume: VolumeRecord;
      readonly detachedAtMs: number;
      readonly lastActiveAtMs: number;
    }
  | { readonly kind: 'createPod'; readonly seeds: readonly string[] }
  | { readonly kind: 'deletePod'; readonly pod: PodRecord; readonly why: Reason }
  | {
      readonly kind: 'labelPod';
      readonly pod: PodRecord;
      readonly labels: Readonly<Record<string, string | null>>;
      readonly annotations?: Readonly<Record<string, string>>;
    }
  /** Its container gets other resources where it runs. */
  | { readonly kind: 'resizePod'; readonly pod: PodRecord; readonly resources: ComputeResources }
  /** Its host says that it has them: from now on it is a Pod of this revision. */
  | {
      readonly kind: 'noteResized';
      readonly pod: PodRecord;
      readonly revision: string;
      readonly operationId: string;
    }
  /** Tells the member to leave; at most every `requeueAfterMs` of the plan. */
  | { readonly kind: 'drain'; readonly pod: PodRecord }
  | { readonly kind: 'confirmParent' }
  | { readonly kind: 'releaseNode' };

export interface NodePlan {
  readonly step: NodeStep | undefined;
  readonly hold: Hold | undefined;
  /** Reconcile again after this time even if nothing changes. */
  readonly requeueAfterMs: number | undefined;
}

/** A terminating Pod is called stuck this long after its grace period ended. */
export const STUCK_TERMINATING_MS = 30_000;

export function act(step: NodeStep): NodePlan {
  return { step, hold: undefined, requeueAfterMs: undefined };
}

export function wait(hold: Hold | undefined): NodePlan {
  return { step: undefined, hold, requeueAfterMs: undefined };
}

/** Ends the node's own Pod: deletes it once, then waits; undefined when it is gone. */
export function endPod(o: NodeObservation, why: Reason): NodePlan | undefined {
  const pod = ownPod(o);
  if (pod === undefined) return undefined;
  return pod.isTerminating ? waitForTermination(o, pod) : act({ kind: 'deletePod', pod, why });
}

export function waitForTermination(o: NodeObservation, pod: PodRecord): NodePlan {
  const stuckAtMs = (pod.terminationDueMs ?? o.nowMs) + STUCK_TERMINATING_MS;
  if (o.nowMs < stuckAtMs) return { step: undefined, hold: undefined, requeueAfterMs: stuckAtMs - o.nowMs };
  return wait(
    hold(
      'PodStuckTerminating',
      `Pod ${pod.name} on ${pod.hostName ?? 'no host'} does not end: no second process is started on its volume`,
      true,
    ),
  );
}
