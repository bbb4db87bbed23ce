// What a finished comparison says about each member, and how many of them fit into the status.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { verifiedMembers } from '../../src/evidence/verification/verified-members.ts';
import type { MissingRecords } from '../../src/index.ts';
import { nodes } from '../support/builders.ts';
import { lacking, reportOn, requestOf } from '../support/reports.ts';

const nameOf = (id: number) => `demo-${id}`;
const of = (count: number, missing: readonly MissingRecords[] = []) => {
  const sources = Array.from({ length: count }, (_, id) => id);
  return reportOn(
    requestOf(nodes(count), 0, { purpose: 'asked', sources }),
    missing.length === 0 ? {} : lacking(missing),
  );
};
const lost = (sourceId: number, homeId: number, partitions = 1) => ({ sourceId, homeId, partitions, records: 5 });

describe('the members of a comparison', () => {
  it('are listed by id, each with what is missing and on which homes', () => {
    expect(verifiedMembers(of(3, [lost(1, 0, 7), lost(1, 2, 3)]), nameOf)).to.deep.equal([
      { name: 'demo-0', partitionsDone: 4_096, records: 1_000 },
      {
        name: 'demo-1',
        partitionsDone: 4_086,
        records: 1_001,
        missing: [
          { home: 'demo-0', partitions: 7, records: 5 },
          { home: 'demo-2', partitions: 3, records: 5 },
        ],
      },
      { name: 'demo-2', partitionsDone: 4_096, records: 1_002 },
    ]);
  });
  it('have 0 partitions done, not fewer, when the same partition is missing on several homes', () => {
    expect(verifiedMembers(of(2, [lost(0, 1, 4_000), lost(0, 5, 4_000)]), nameOf)[0]?.partitionsDone).to.equal(0);
  });
  it('are at most 100, those that lack most among them, with at most eight homes each', () => {
    const homes = Array.from({ length: 20 }, (_, home) => lost(119, home, 20 - home));
    const listed = verifiedMembers(of(120, [...homes, lost(110, 1)]), nameOf);
    expect(listed).to.have.lengthOf(100);
    expect(listed.slice(-3).map(({ name }) => name)).to.deep.equal(['demo-97', 'demo-110', 'demo-119']);
    expect(listed.at(-1)?.missing).to.have.lengthOf(8);
  });
});
