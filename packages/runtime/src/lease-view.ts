// What one candidate knows of the lease and when it may act on it. Judges by its own monotonic clock since it first saw
// a version: never by renewTime, never by a foreign duration. No I/O, no timers.
import { isPlaceholder, isReleased, type LeaseIdentity, type LeaseRecord } from './lease-record.ts';
import { isOlder } from './resource-version.ts';

export interface LeaseTiming {
  /** All replicas must agree on it: a foreign duration is not believed. */
  readonly leaseMs: number;
  /** Clocks run at most this much too fast or too slow; 0.03 is 3 %. */
  readonly clockRateError: number;
  /** Taken off the own validity and added to everybody else's. */
  readonly marginMs: number;
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

/** While we are valid the lease is ours. Another name in it, or none, is somebody who did not wait (F26). A placeholder
 *  makes everybody wait until our validity is over (F25). */
export function isTakenFrom(identity: LeaseIdentity, record: LeaseRecord | undefined): boolean {
  return record !== undefined && record.holder !== identity.text && !isPlaceholder(record);
}

export type LeaseMove =
  /** Nothing is known yet. */
  | { readonly kind: 'read' }
  /** There is none: put a placeholder there. Nobody may act on it before the fence time has passed. */
  | { readonly kind: 'create'; readonly notBeforeMs: number }
  /** Make it ours; `isOurs` when it names us already. */
  | { readonly kind: 'take'; readonly record: LeaseRecord; readonly notBeforeMs: number; readonly isOurs: boolean };

export interface LeaseView {
  /** Takes note of an answer, a watch event, or (undefined) of an absence.
   *  @param isLive an answer to a read of now: believed even when it looks older than what is known (F59)
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
    // A release is believed of the lease we know. Another one under the same name says nothing about the last holder
    // (F25).
    const isBelieved = isReleased(next) && (!isKnown || record?.uid === next.uid);
    return isBelieved ? nowMs : nowMs + waitMs;
  }

  return {
    note(next, nowMs, isLive) {
      const isSame = isKnown && record?.uid === next?.uid && record?.resourceVersion === next?.resourceVersion;
      if (isSame) return true;
      // Versions of one resource type are comparable over the death and return of an object, too.
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
