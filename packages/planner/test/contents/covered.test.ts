import { expect } from 'chai';
import { describe, it } from 'mocha';
import { judgeMarks, type MarkVerdict } from '../../src/contents/records/mark-coverage.ts';

const mark = (version: bigint, content: bigint) => ({ hash: 7n, version, content });

describe('a record of the source, judged by the entries of a bucket,', () => {
  const wanted = mark(5n, 50n);
  const cases: [string, ReturnType<typeof mark>, ReturnType<typeof mark> | undefined, MarkVerdict][] = [
    ['is missing at a home without it', wanted, undefined, 'missing'],
    ['is covered by the same version and content', wanted, mark(5n, 50n), 'covered'],
    ['is covered by the same although the source went on', mark(6n, 60n), mark(5n, 50n), 'covered'],
    ['is covered by exactly what the source shows now', mark(6n, 60n), mark(6n, 60n), 'covered'],
    ['is in doubt where the same version has other content', wanted, mark(5n, 51n), 'doubtful'],
    ['is in doubt where a newer version is', wanted, mark(6n, 50n), 'doubtful'],
    ['is in doubt where what the source shows now has other content', mark(6n, 60n), mark(6n, 61n), 'doubtful'],
    ['is behind where an older version is', wanted, mark(4n, 50n), 'older'],
  ];
  for (const [title, source, home, verdict] of cases) {
    it(title, () => expect(judgeMarks(wanted, source, home)).to.equal(verdict));
  }
});
