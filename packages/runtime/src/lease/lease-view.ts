// What one candidate knows about the lease and when it may act on it. Counts on its own monotonic clock since it first
// saw a version; never relies on renewTime or on the duration in the lease. No I/O, no timers.

import { isOlder } from '../objects/resource-version.ts';
import { isPlaceholder, isReleased, type LeaseIdentity, type LeaseRecord } from './lease-record.ts';

export interface LeaseTiming {
  /** Must be the same for all replicas: the duration in the lease is ignored. */
  readonly leaseMs: number;
  /** Clocks run at most this much too fast or too slow; 0.03 is 3 %. */
  readonly clockRateError: number;
  /** Subtracted from this replica's validity and added to that of every other replica. */
  readonly marginMs: number;
}

export function leaseTiming({
  leaseMs = 15_000,
  clockRateError = 0.03,
  marginMs = 1_500,
}: Partial<LeaseTiming>): LeaseTiming {
  return { leaseMs, clockRateError, marginMs };
}

/** Milliseconds after which a lease that did not change cannot be valid for its holder any more, whatever either clock
 *  does: lease × (1+r)/(1−r) + margin; 17.4 s for 15 s, 3 %, 1.5 s (docs/design/runtime.md#leases-and-grants). */
export function fenceMs(timing: LeaseTiming): number {
  const { leaseMs, clockRateError, marginMs } = timing;
  return (leaseMs * (1 + clockRateError)) / (1 - clockRateError) + marginMs;
}

/** Milliseconds, from sending a renewal on, for which its sender relies on it. */
export function ownValidityMs({ leaseMs, marginMs }: LeaseTiming): number {
  return leaseMs - marginMs;
}

/** While our term is valid the lease is ours. If it names another holder or none, another candidate did not wait (F26).
 *  A placeholder makes every candidate wait until our term is over (F25). */
export function isTakenFrom(identity: LeaseIdentity, record: LeaseRecord | undefined): boolean {
  return record !== undefined && record.holder !== identity.text && !isPlaceholder(record);
}

export type LeaseMove =
  /** Nothing is known yet. */
  | { readonly kind: 'read' }
  /** There is no lease: create a placeholder. No candidate may take it before the fence time has passed. */
  | { readonly kind: 'create'; readonly notBeforeMs: number }
  /** Take the lease; `isOurs`: renew it, since it names us already. */
  | { readonly kind: 'take'; readonly record: LeaseRecord; readonly notBeforeMs: number; readonly isOurs: boolean };

export interface LeaseView {
  /** Records an answer, a watch event, or (undefined) that there is no lease.
   *  @param isLive the answer to a live read: believed even when it looks older than what is known (F59)
   *  @returns false when it is older than what is known, and was ignored */
  note(record: LeaseRecord | undefined, nowMs: number, isLive: boolean): boolean;
  /** What to do next, and from when on that is safe. */
  next(): LeaseMove;
  readonly record: LeaseRecord | undefined;
}

export function createLeaseView(identity: LeaseIdentity, timing: LeaseTiming): LeaseView {
  const waitMs = fenceMs(timing);
  let isKnown = false;
  let record: LeaseRecord | undefined;
  let notBeforeMs = 0;

  const isOurs = (one: LeaseRecord | undefined): boolean => one?.holder === identity.text;
  /** A pod's containers run one after another: an earlier boot of this very pod is dead. */
  const isOurPod = (one: LeaseRecord): boolean =>
    identity.podPrefix !== undefined && one.holder.startsWith(identity.podPrefix);

  function earliest(next: LeaseRecord | undefined, nowMs: number): number {
    if (next === undefined || isOurs(next) || isOurPod(next)) return nowMs;
    // A release counts in the lease we know, or in the first we see. A new lease under the same name says nothing about
    // the last holder (F25), and still nothing when it is edited; nor does one from which only the holder was removed.
    const isSameLease = !isKnown || record?.uid === next.uid;
    if (isSameLease && next.holder === '' && record?.holder === '') return notBeforeMs;
    return isSameLease && isReleased(next) ? nowMs : nowMs + waitMs;
  }

  return {
    note(next, nowMs, isLive) {
      const isSame = isKnown && record?.uid === next?.uid && record?.resourceVersion === next?.resourceVersion;
      if (isSame) return true;
      // Versions of one resource type stay comparable when an object is deleted and created again.
      const isOld = record !== undefined && next !== undefined && isOlder(next.resourceVersion, record.resourceVersion);
      if (isOld && !isLive) return false;
      notBeforeMs = earliest(next, nowMs);
      isKnown = true;
      record = next;
      return true;
    },
    next() {
      if (!isKnown) return { kind: 'read' };
      if (record === undefined) return { kind: 'create', notBeforeMs };
      return { kind: 'take', record, notBeforeMs, isOurs: isOurs(record) };
    },
    get record() {
      return record;
    },
  };
}
