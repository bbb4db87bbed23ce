// docs/reliability.md has what was recorded, and shows what was not recorded.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { documentText } from '../src/record/document.ts';
import type { CampaignRecord } from '../src/record/record.ts';
import { UNIT_KINDS } from '../src/run/units.ts';

const ORIGIN = { commit: 'abc1234', date: '2026-11-21' };
const MIXED: CampaignRecord = {
  ...ORIGIN,
  scenario: 'mixed',
  from: 1_001,
  seeds: 2_000,
  removals: 2_512,
  steps: 140_000_123,
  virtualSeconds: 3_600 * 250,
  acknowledged: 3_000_000,
  violations: 1,
  faults: { conflict: 7, memberKilled: 12_345 },
};

describe('docs/reliability.md', () => {
  it('has a row for every scenario, with dashes when nothing was recorded', () => {
    const rows = documentText({ campaigns: [] }, UNIT_KINDS).split('\n');
    for (const { name } of UNIT_KINDS) expect(rows.filter((row) => row.startsWith(`| ${name} |`))).to.have.lengthOf(1);
    expect(rows.find((row) => row.startsWith('| mixed |'))).to.match(/\| – \| – \|$/);
  });

  it('shows the figures and violations with their commit, and adds them up', () => {
    const text = documentText({ campaigns: [MIXED] }, UNIT_KINDS);
    expect(text).to.include('| 2,000 | 1001 | 2,512 | 140,000,123 | 250 | 3,000,000 | 1 | abc1234 |');
    expect(text).to.include('| **all** |  | 2,000 |  | 2,512 | 140,000,123 | 250 | 3,000,000 | 1 |  |');
    expect(text).to.include('| memberKilled | 12,345 |').and.not.include('| load |');
  });
});
