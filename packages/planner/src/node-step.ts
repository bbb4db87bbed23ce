// What a node plan consists of: one write at most, or what it waits for.

import type { Reason } from '@marekvs/api';
import { type Hold, hold } from './hold.ts';
import { isAway, isOff, offInMs, whatIfOff } from './hosts/finding.ts';
import type { NodeObservation } from './node-observation.ts';
import { ownPod } from './node-observation.ts';
import type { PodRecord, VolumeRecord } from './observation.ts';
import type { PasswordSource } from './password-source.ts';
import type { ComputeResources } from './rolling/resources.ts';
import type { ClaimChange } from './volumes/claim-change.ts';

/** One step of the node controller. The executor adds the preconditions. Everything but `drain` is
 *  one write to the API server. */
export type NodeStep =
  | { readonly kind: 'addFinalizer' }
  | { readonly kind: 'createVolume' }
  /** The claim with this uid, as a StatefulSet left it, becomes this node's: labels, and where its data
   *  are. Nothing of it moves. */
  | { readonly kind: 'adoptVolume'; readonly volumeUid: string; readonly dataDir: string }
  /** A running Pod that nobody controls any more becomes this node's, as it is. */
  | { readonly kind: 'adoptPod' }
  /** Its running Pod becomes a StatefulSet's, as it is: nobody controls it any more, until that takes it. */
  | { readonly kind: 'letPodGo' }
  /** The reverse: a running Pod that was let go, and that nobody has, is this node's again. */
  | { readonly kind: 'takePodBack' }
  /** The volume is in use again: takes off what `detachVolume` wrote. */
  | { readonly kind: 'attachVolume'; readonly volume: VolumeRecord }
  /** The node lets its volume go: both times are wall clock. */
  | {
      readonly kind: 'detachVolume';
      readonly volume: VolumeRecord;
      readonly detachedAtMs: number;
      readonly lastActiveAtMs: number;
      /** The lost host it is on. */
      readonly hostLost: string | undefined;
      /** The drained host it is on. */
      readonly hostDrained: string | undefined;
    }
  /** Its claim asks for more, or for other attributes. */
  | { readonly kind: 'changeClaim'; readonly volume: VolumeRecord; readonly change: ClaimChange }
  | { readonly kind: 'createPod'; readonly seeds: readonly string[] }
  | { readonly kind: 'deletePod'; readonly pod: PodRecord; readonly why: Reason }
  /** The object alone is taken away, by force: the host it was on is off, and will never say that it has ended. */
  | { readonly kind: 'forgetPod'; readonly pod: PodRecord; readonly host: string }
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
  /** The member is about to be given the password that is there: from now on it may want that one. */
  | { readonly kind: 'notePassword'; readonly source: PasswordSource }
  /** Gives the running member the password that is there by now, or takes the one it has from it; at most every
   *  `requeueAfterMs` of the plan. */
  | { readonly kind: 'setPassword'; readonly pod: PodRecord; readonly source: PasswordSource }
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
  const forgotten = planForgetting(o, pod);
  if (forgotten !== undefined) return forgotten;
  return pod.isTerminating ? waitForTermination(o, pod) : act({ kind: 'deletePod', pod, why });
}

/** A Pod of a host that is gone, or that a person has called off by taint and Kubernetes is ending: nobody will ever
 *  report its end. While another member still lists it, its process runs. */
export function planForgetting(o: NodeObservation, pod: PodRecord): NodePlan | undefined {
  const { hostFinding: finding, node, siblings } = o;
  if (finding === undefined || pod.hostName !== finding.host || !isOff(finding)) return undefined;
  if (finding.state === 'outOfService' && !pod.isTerminating) return undefined;
  if (node.answer.kind === 'serving' || node.answer.kind === 'joining') return undefined;
  const isListed = siblings.some(
    ({ id, answer }) => id !== node.id && answer.kind === 'serving' && answer.view.some((line) => line.id === node.id),
  );
  return isListed ? undefined : act({ kind: 'forgetPod', pod, host: finding.host });
}

export function waitForTermination(o: NodeObservation, pod: PodRecord): NodePlan {
  const stuckAtMs = (pod.terminationDueMs ?? o.nowMs) + STUCK_TERMINATING_MS;
  if (o.nowMs < stuckAtMs) return { step: undefined, hold: undefined, requeueAfterMs: stuckAtMs - o.nowMs };
  const message = `Pod ${pod.name} on ${pod.hostName ?? 'no host'} does not end: no second process is started on its volume${ofHost(o, pod)}`;
  return {
    step: undefined,
    hold: hold('PodStuckTerminating', message, true),
    requeueAfterMs: offInMs(o.hostFinding),
  };
}

/** What its host has to do with it, and what a person can do about that. */
function ofHost({ hostFinding }: NodeObservation, { hostName }: PodRecord): string {
  if (hostFinding === undefined || hostName === undefined || !isAway(hostFinding)) return '';
  return `. ${hostName} is not ready: ${whatIfOff(hostName)}`;
}
