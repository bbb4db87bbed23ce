// How far a comparison is, as text for a person.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { missingText, progressText } from '../../src/evidence/report-text.ts';
import { countText } from '../../src/values/hold.ts';
import { nodes } from '../support/builders.ts';
import { lacking, reportOn, requestOf, running } from '../support/reports.ts';

const nameOf = (id: number) => `demo-${id}`;
const request = requestOf(nodes(3), 2);
const lost = (homeId: number, records: number) => ({ sourceId: 2, homeId, partitions: 1, records });

describe('the text about a comparison', () => {
  it('separates thousands, whatever the locale of the machine', () => {
    expect([0, 999, 1_412, 1_234_567].map(countText)).to.deep.equal(['0', '999', '1,412', '1,234,567']);
  });
  it('says how many partitions are done, and what is missing only when something is', () => {
    expect(progressText(reportOn(request, running()), nameOf)).to.equal('1,412 of 4,096 partitions compared');
    expect(progressText(reportOn(request, lacking([lost(0, 3)])), nameOf)).to.equal(
      '1,412 of 4,096 partitions compared, 3 records of demo-2 missing on demo-0',
    );
  });
  it('names the source and the home of the first difference, and counts the others together', () => {
    expect(missingText([], nameOf)).to.equal(undefined);
    expect(missingText([lost(0, 1)], nameOf)).to.equal('1 record of demo-2 missing on demo-0');
    expect(missingText([lost(0, 2_000), lost(1, 3), lost(4, 1)], nameOf)).to.equal(
      '2,000 records of demo-2 missing on demo-0, and 4 elsewhere',
    );
  });
});
