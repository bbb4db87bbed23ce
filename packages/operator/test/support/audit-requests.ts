// What a removal of member 4 from four asks of the audits, with fewer keys than it would.

import { type AuditKind, type AuditRequest, canaryPartitions } from '@marekvs/planner';

export const KEY = 'default/demo';
export const OPERATION = '0b5f3c52-6d0e-4c9f-8b3e-2f6d8a1c7e55';
export const ALL = [1, 2, 3, 4];
export const SURVIVORS = [1, 2, 3];
export const TARGET = 4;

export function request(kind: AuditKind, change: Partial<AuditRequest> = {}): AuditRequest {
  const ids = kind === 'write' ? [TARGET] : kind === 'readBefore' ? ALL : SURVIVORS;
  return {
    operationId: OPERATION,
    kind,
    replicationFactor: 2,
    targetId: TARGET,
    members: ids.map((id) => ({ nodeId: id, podUid: `pod-${id}`, ip: `127.0.1.${id}` })),
    // Every eighth will do, and is quicker.
    partitions: canaryPartitions(ALL, 2, TARGET).filter((_, i) => i % 8 === 0),
    ...change,
  };
}
