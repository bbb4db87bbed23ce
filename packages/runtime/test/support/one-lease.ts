// One lease and one process that wants it. The test decides when an answer comes, what the watch shows and when.
import type { LeaseApi, LeaseNotes, LeaseRecord, LeaseSpec } from '../../src/lease/lease-record.ts';

export const LEASE = 'suite';

export function leaseRecord(resourceVersion: string, change: Partial<LeaseRecord> = {}): LeaseRecord {
  return {
    namespace: 'operators',
    name: LEASE,
    uid: 'lease-uid',
    resourceVersion,
    holder: '',
    acquireTime: undefined,
    transitions: 0,
    labels: undefined,
    annotations: undefined,
    ...change,
  };
}

export interface OneLease {
  readonly api: LeaseApi;
  /** The lease as it is stored. */
  current: LeaseRecord;
  /** Answers to writes wait from now on. @returns a function that lets the last of them arrive */
  hold(): () => void;
  readonly creates: number;
}

export function createOneLease(first: LeaseRecord): OneLease {
  let wait: Promise<void> | undefined;
  let creates = 0;
  const lease: OneLease = {
    current: first,
    hold() {
      const held = Promise.withResolvers<void>();
      wait = held.promise;
      return () => {
        wait = undefined;
        held.resolve();
      };
    },
    get creates() {
      return creates;
    },
    api: {
      read: async () => lease.current,
      async create(spec, _signal, notes) {
        creates += 1;
        return write(spec, undefined, notes);
      },
      update: (previous, spec, _signal, notes) => write(spec, previous, notes),
    },
  };

  async function write(spec: LeaseSpec, previous: LeaseRecord | undefined, notes: LeaseNotes | undefined) {
    const resourceVersion = String(Number(lease.current.resourceVersion) + 1);
    const annotations = { ...previous?.annotations, ...notes };
    const record = leaseRecord(resourceVersion, { holder: spec.holderIdentity ?? '', annotations });
    lease.current = record;
    await wait;
    return record;
  }
  return lease;
}
