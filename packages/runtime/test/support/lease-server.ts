// One Lease with the API server's rules: an update lands only on the version it names, every write gives a new version.
import { ApiError } from '../../src/errors/errors.ts';
import type { LeaseRecord, LeaseSpec } from '../../src/lease/lease-record.ts';

export interface StoredLease {
  readonly record: LeaseRecord;
  readonly spec: LeaseSpec;
}

export interface LeaseServer {
  readonly current: StoredLease | undefined;
  read(): LeaseRecord | undefined;
  create(spec: LeaseSpec): LeaseRecord;
  update(previous: LeaseRecord, spec: LeaseSpec): LeaseRecord;
  /** What an administrator may do at any time, unconditionally. */
  edit(spec: LeaseSpec): void;
  remove(): void;
  onChange: (record: LeaseRecord | undefined) => void;
  readonly writes: number;
}

export function createLeaseServer(): LeaseServer {
  let current: StoredLease | undefined;
  let version = 1000;
  let uids = 0;
  let writes = 0;

  function store(spec: LeaseSpec, uid: string): LeaseRecord {
    const record: LeaseRecord = {
      namespace: 'operators',
      name: 'suite',
      uid,
      resourceVersion: String(++version),
      holder: spec.holderIdentity ?? '',
      acquireTime: spec.acquireTime,
      transitions: spec.leaseTransitions ?? 0,
      labels: undefined,
      annotations: undefined,
    };
    current = { record, spec };
    server.onChange(record);
    return record;
  }

  const refuse = (verb: 'create' | 'update', status: number, reason: string): ApiError =>
    new ApiError({ verb, subject: 'leases operators/suite', path: '/leases', status, reason });

  const server: LeaseServer = {
    get current() {
      return current;
    },
    read: () => current?.record,
    create(spec) {
      writes++;
      if (current !== undefined) throw refuse('create', 409, 'AlreadyExists');
      return store(spec, `lease-${++uids}`);
    },
    update(previous, spec) {
      writes++;
      if (current === undefined) throw refuse('update', 404, 'NotFound');
      const { uid, resourceVersion } = current.record;
      if (uid !== previous.uid || resourceVersion !== previous.resourceVersion) throw refuse('update', 409, 'Conflict');
      return store(spec, uid);
    },
    edit(spec) {
      if (current !== undefined) store({ ...current.spec, ...spec }, current.record.uid);
    },
    remove() {
      current = undefined;
      version++;
      server.onChange(undefined);
    },
    onChange: () => {},
    get writes() {
      return writes;
    },
  };
  return server;
}
