import { expect } from 'chai';
import { describe, it } from 'mocha';
import { scalePage } from '../src/pages/scale.ts';
import { clustersAt, fitLine } from '../src/scale/line.ts';
import { type RecordedRow, withRow } from '../src/scale/record.ts';

describe('a line through figures', () => {
  it('is the line on which they lie', () => {
    const { base, each } = fitLine([
      [10, 71],
      [100, 80],
      [1_000, 170],
    ]);
    expect(base).to.be.closeTo(70, 1e-9);
    expect(each).to.be.closeTo(0.1, 1e-9);
  });
  it('is within 2 % of a small figure, too, when a large one is off', () => {
    const line = fitLine([
      [10, 80],
      [100, 170],
      [1_000, 1_200],
    ]);
    expect(Math.abs(line.base + 10 * line.each - 80) / 80).to.be.below(0.02);
  });
  it('reaches a limit at the last cluster that is within it', () => {
    expect(clustersAt({ base: 70, each: 0.1 }, 512)).to.equal(4_420);
  });
  it('needs two sizes, and figures above 0', () => {
    expect(() => fitLine([[10, 1]])).to.throw(RangeError, 'two sizes');
    expect(() =>
      fitLine([
        [10, 0],
        [20, 1],
      ]),
    ).to.throw(RangeError, 'not above 0');
  });
});

function row(clusters: number, unrelated = 0, replicas = 1): RecordedRow {
  const one = {
    cpuSecondsPerMinute: 0.1 + clusters / 1_000,
    residentMiB: 70 + clusters / (10 * (replicas === 1 ? 1 : 2)),
    heapMiB: 20,
    clusters: Math.floor(clusters / replicas),
  };
  return {
    clusters,
    unrelated,
    replicas,
    ...(replicas === 1 ? { createdSeconds: clusters / 10 } : {}),
    operators: Array.from({ length: replicas }, () => one),
    requestsPerMinute: 0,
    apiServer: { cpuSecondsPerMinute: 2, residentMiB: 300 },
    etcd: { cpuSecondsPerMinute: 1, residentMiB: 100 },
    ...(replicas === 1 ? { restart: { seconds: 1 + clusters / 500, requests: 12 } } : {}),
    failover: { plannedSeconds: 0.5, crashSeconds: 19 },
    queueWait: { p50: 1, p99: 5 },
    pass: { p50: 1, p99: 10 },
    commit: 'abc1234',
    date: '2026-11-23',
  };
}

describe('the page about the cost of replicas', () => {
  const text = scalePage([row(10), row(100), row(100, 0, 3), row(100, 10_000), row(1_000)]);

  it('has a row for each size, and one with unrelated objects', () => {
    for (const begins of [
      '| 10 | 1 | 0 | 71 MiB',
      '| 100 | 1 | 0 | 80 MiB',
      '| 100 | 1 | 10,000 | 80 MiB',
      '| 1,000 | 1 | 0 | 170 MiB',
    ])
      expect(text).to.include(begins);
  });
  it('shows for several replicas how many clusters each has, and the cost of the largest', () => {
    expect(text).to.include('| 100 | 3 | 33, 33, 33 | 75, 75, 75 MiB |');
    expect(text).to.include('| 100 | 3 | 0 |  |  | 0.5 s, 19 s |');
  });
  it('shows the limit of each line, from the rows without unrelated objects', () => {
    expect(text)
      .to.include('| RSS | 70 MiB | 0.1 MiB | 1,070 MiB |')
      .and.to.match(/\| 4,4(?:19|20) clusters \|/);
  });
  it('shows the limit of the API server, and on what it is based', () => {
    const grown = [10, 100, 1_000].map((clusters) => ({
      ...row(clusters),
      apiServer: { cpuSecondsPerMinute: 2, residentMiB: 500 + clusters },
    }));
    expect(scalePage(grown)).to.match(
      /\| API server and etcd, RSS \| 600 MiB \| 1 MiB \| 10,600 MiB \| 8,192 MiB for both, [^|]+\| 7,59[12] clusters \|/,
    );
  });
  it('compares with the existing operator, including what follows from its requests', () => {
    expect(text)
      .to.include('32 MiB with 100 clusters, where this one takes 80 MiB')
      .and.include(
        '100 idle clusters mean 47 requests a second all the time, and 100 busy ones would mean 4,167 to 7,000',
      );
  });
  it('says what else the machine did', () => {
    expect(scalePage([{ ...row(10), note: 'load 12' }])).to.include('| 2026-11-23, abc1234, load 12 |');
  });
  it('has one row per case, the one that was recorded last', () => {
    const rows = [row(100), row(10), row(100, 0, 3)].reduce<readonly RecordedRow[]>(withRow, []);
    const again = withRow(rows, { ...row(100), note: 'again' });
    expect(again.map(({ clusters, replicas, note }) => [clusters, replicas, note])).to.deep.equal([
      [10, 1, undefined],
      [100, 1, 'again'],
      [100, 3, undefined],
    ]);
  });
  it('draws no line through two sizes', () => {
    expect(scalePage([row(10), row(100), row(100, 10_000)])).to.include('three sizes have to be recorded');
  });
});
