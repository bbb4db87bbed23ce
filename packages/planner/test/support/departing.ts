// A removal at the point of no return: four members, demo-3 behind its closed door, proven and deleted, its Pod still
// running. A test changes one thing.

import type { Operation, RemovalProof } from '@marekvs/api';
import { type NodeObservation, type NodeRecord, presentTopology, type ViewLine } from '../../src/index.ts';
import { line, NOW_MS, node, nodeObservation, sealedNode, serving } from './builders.ts';
import { closed } from './facts.ts';

export const OPERATION_ID = '3-abc';
export const TARGET = 3;
/** What the others show while demo-3 runs with its door closed. */
const LEAVING_VIEW: readonly ViewLine[] = closed([0, 1, 2, TARGET], TARGET);
/** What the survivors show once it has gone. */
export const LEFT_VIEW: readonly ViewLine[] = [line(0), line(1), line(2)];
const CHECKS = [
  'membersAnswer',
  'viewsAgree',
  'noPrimaries',
  'doorClosed',
  'placement',
  'meshComplete',
  'writesAllowed',
  'noRejoin',
  'contents',
];

/** All four nodes; the others show this list. */
export function four(view: readonly ViewLine[] = LEAVING_VIEW): readonly NodeRecord[] {
  return [...[0, 1, 2].map((id) => node(id, { answer: serving(view) })), sealedNode(TARGET)];
}

/** A proof made two seconds ago that fits the present. */
export function proof(change: Partial<RemovalProof> = {}): RemovalProof {
  const topology = presentTopology(four());
  if (topology === undefined) throw new Error('the four members do not agree');
  return {
    operationId: OPERATION_ID,
    stage: 'Pre',
    at: new Date(NOW_MS - 2_000).toISOString(),
    coveredAt: new Date(NOW_MS - 3_000).toISOString(),
    partitions: 4_096,
    records: 20_000,
    targetUid: `node-uid-${TARGET}`,
    podUID: `sealed-pod-uid-${TARGET}`,
    pvcUID: `volume-uid-${TARGET}`,
    topologyHash: topology.hash,
    generations: topology.generations,
    inputs: CHECKS.map((name) => ({ name, passed: true, value: 'seen' })),
    ...change,
  };
}

export function operation(change: Partial<Operation> = {}): Operation {
  return {
    id: OPERATION_ID,
    type: 'Remove',
    basis: 'Proof',
    target: { name: `demo-${TARGET}`, uid: `node-uid-${TARGET}`, nodeId: TARGET },
    specGeneration: 1,
    phase: 'Deleting',
    startedAt: '2026-01-01T00:09:00Z',
    proof: { pre: proof() },
    ...change,
  };
}

export interface DepartingChange {
  readonly own?: Partial<NodeRecord>;
  readonly operation?: Operation | undefined;
  readonly others?: readonly NodeRecord[];
  readonly o?: Partial<NodeObservation>;
}

/** demo-3 as the node controller sees it at that point. */
export function departing({ own, others, o, ...rest }: DepartingChange = {}): NodeObservation {
  const list = others ?? four();
  const record = sealedNode(TARGET, {
    isDeleting: true,
    deletedAtMs: NOW_MS - 1_000,
    removalMark: OPERATION_ID,
    removalProof: proof(),
    ...own,
  });
  return nodeObservation(record, {
    siblings: list.map((entry) => (entry.id === TARGET ? record : entry)),
    operation: 'operation' in rest ? rest.operation : operation(),
    ...o,
  });
}
