// What plan says about an operation under way: what the operator waits for in its phase, and what it does then.

import type { Operation, OperationPhase } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { runFake } from './support/fake-cli.ts';
import { CLUSTERS, NODES, REF, serverWith } from './support/fake-server.ts';
import { NOW_MS } from './support/objects.ts';

async function plan(phase: OperationPhase, change: Partial<Operation> = {}): Promise<string> {
  const server = serverWith(4, { spec: { nodes: 3 } });
  const { uid } = server.get(NODES, { namespace: 'default', name: 'demo-3' }).metadata;
  const operation = {
    id: '3-abc',
    type: 'Remove',
    basis: 'Proof',
    phase,
    target: { name: 'demo-3', uid, nodeId: 3 },
    specGeneration: 1,
    startedAt: new Date(NOW_MS - 240_000).toISOString(),
    ...change,
  };
  server.patch(CLUSTERS, REF, { status: { operation } }, 'status');
  const { out } = await runFake(['plan', 'demo'], { server, nowMs: NOW_MS, columns: 'none' });
  return out.replace(/\s+/g, ' ');
}

describe('plan, for a removal,', () => {
  const rows: readonly (readonly [OperationPhase, string])[] = [
    ['Isolating', 'and the others have what it has, its door is closed'],
    ['Sealing', 'when all others show it behind its closed door, the proof that every copy is elsewhere is gathered'],
    ['Proving', 'its MarekvsNode is deleted: the point of no return'],
  ];
  for (const [phase, comes] of rows)
    it(`says in ${phase} what is waited for, and what comes then`, async () => {
      expect(await plan(phase)).to.include(comes);
    });
});

describe('plan, for an operation that removes nobody,', () => {
  const roll = { name: 'demo-2', uid: 'node-uid-2', nodeId: 2, podUID: 'pod-uid-2', previous: 'a' };
  for (const [what, change] of [
    ['a turn of a rolling update', { type: 'Roll', target: undefined, roll }],
    ['a member that is suspended', { type: 'Suspend', target: undefined, roll }],
    ['a hibernation', { type: 'Hibernate', target: undefined }],
  ] as const)
    it(`speaks of no closed door and of no DELETE: ${what}`, async () => {
      for (const [phase, comes] of [
        ['Isolating', 'it is compared with the others'],
        ['Proving', 'when the others have what it has, its process is ended'],
      ] as const)
        expect(await plan(phase, change), phase)
          .to.include(comes)
          .and.not.match(/door|is deleted/);
    });
});
