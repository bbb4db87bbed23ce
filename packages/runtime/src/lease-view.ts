// What one candidate knows about the lease and when it may act on it. Counts on its own monotonic clock since it first
// saw a version; never relies on renewTime or on the duration in the lease. No I/O, no timers.
import type { LeaseIdentity, LeaseRecord } from './lease-record.ts';
import { isOlder } from './resource-version.ts';

export interface LeaseTiming {
  /** Must be the same for all replicas: the duration in the lease is ignored. */
  readonly leaseMs: number;
  /** Clocks run at most this much too fast or too slow; 0.03 is 3 %. */
  readonly clockRateError: number;
  /** Subtracted from this replica's validity and added to that of every other replica. */
  readonly marginMs: number;
}

/** Milliseconds after which a lease that did not change cannot be valid for its holder any more, whatever either clock
 *  does: lease × (1+r)/(1−r) + margin; 17.4 s for 15 s, 3 %, 1.5 s (docs/design/runtime.md#leases-and-grants). */
export function fenceMs(timing: LeaseTiming): number {
  const { leaseMs, clockRateError, marginMs } = timing;
  return (leaseMs * (1 + clockRateError)) / (1 - clockRateError) + marginMs;
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
    // An empty holder counts as a release in the lease we know, or in the first we see. A new lease under the same name
    // says nothing about the last holder (F25), and still nothing when it is edited.
    const isReleased = next.holder === '' && (!isKnown || record?.uid === next.uid);
    if (isReleased && record?.holder === '') return notBeforeMs;
    return isReleased ? nowMs : nowMs + waitMs;
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
