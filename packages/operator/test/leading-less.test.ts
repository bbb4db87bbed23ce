// Which members lead less than is theirs, by what three real members of release 0.1.71 showed of each other. A restart
// rests on this.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { leadingLess, type ViewLine } from '@marekvs/planner';
import { type MemberLine, parseClusterInfo, parseClusterNodes, type StoreClient } from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createProbe } from '../src/members/probe.ts';

const SAMPLES = join(import.meta.dirname, '../../store-client/test/samples');
const sample = (name: string) => readFileSync(join(SAMPLES, name));
const linesOf = (name: string): readonly MemberLine[] => parseClusterNodes(sample(name));

/** What the operator makes of a list. */
async function viewOf(nodes: readonly MemberLine[]): Promise<readonly ViewLine[]> {
  const failed = { kind: 'failed', error: new Error('not asked') };
  const store = { poll: async () => ({ metrics: failed, view: { kind: 'answered', value: { nodes, info: {} } } }) };
  const result = await createProbe(store as Partial<Record<keyof StoreClient, unknown>> as StoreClient)(
    { host: '10.0.0.1' },
    new AbortController().signal,
  );
  return result.kind === 'serving' ? result.view : [];
}
const less = async (name: string) => [...leadingLess(await viewOf(linesOf(name)))];

describe('the lists of real members', () => {
  it('show every member with what is its own by placement while none is leaving', async () => {
    expect((await viewOf(linesOf('cluster_nodes.txt'))).map(({ id }) => id)).to.have.lengthOf(3);
    expect(await less('cluster_nodes.txt')).to.deep.equal([]);
  });
  it('show exactly the drained one with less, and the others with more', async () => {
    expect(await less('cluster_nodes_while_3_leaving_from_1.txt')).to.deep.equal([3]);
  });
  it('change what CLUSTER INFO counts at the members that were not asked to leave, so that a glance shows it', () => {
    const before = parseClusterInfo(sample('cluster_info.txt'));
    const after = parseClusterInfo(sample('cluster_info_while_3_leaving_from_1.txt'));
    expect([before.size, after.size]).to.deep.equal([3, 2]);
    expect(after.currentEpoch).to.be.greaterThan(before.currentEpoch);
  });
});

describe('a member of several that are leaving', () => {
  it('leads less than is its own also where it leads something, since all homes of that are leaving', async () => {
    // Three members, of which 1 and 2 are leaving: what only these two are homes of stays with them.
    const view = (await viewOf(linesOf('cluster_nodes.txt'))).map((line) =>
      line.id === 3 ? line : { ...line, primaryPartitions: Math.floor((line.primaryPartitions ?? 0) / 2) },
    );
    expect([...leadingLess(view)]).to.deep.equal([1, 2]);
  });
  it('is not found by a list of which only is known who leads anything', () => {
    const bare = [1, 2, 3].map((id) => ({ id, generation: 1, hasPrimaries: true }));
    expect([...leadingLess(bare)]).to.deep.equal([]);
  });
});
