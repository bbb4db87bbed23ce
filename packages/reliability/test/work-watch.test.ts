import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createJudge, type Work, workOf } from '../src/run/work-watch.ts';

const looks = (...works: readonly Work[]): readonly (string | undefined)[] => {
  const judge = createJudge();
  return works.map((work) => judge(work));
};
const asleep = (cpuSeconds: number): Work => ({ cpuSeconds, isAsleep: true });
const ready = (cpuSeconds: number): Work => ({ cpuSeconds, isAsleep: false });

describe('the watch over the work of a life', () => {
  it('ends a life after 300 s of work, counted from its own beginning', () => {
    expect(looks(ready(50), ready(350)).at(-1)).to.equal(undefined);
    expect(looks(ready(50), ready(350.01)).at(-1)).to.equal('no end within 300 s of work');
  });

  it('ends a life that sleeps through six checks after the first', () => {
    expect(looks(...Array<Work>(6).fill(asleep(1))).at(-1)).to.equal(undefined);
    expect(looks(...Array<Work>(7).fill(asleep(1))).at(-1)).to.equal('it waits for what never comes');
  });

  it('does not end a life that waits for a processor, however long', () => {
    expect(looks(...Array<Work>(100).fill(ready(1)))).to.deep.equal(Array(100).fill(undefined));
  });

  it('does not end a life that sleeps now and then', () => {
    const works = Array.from({ length: 100 }, (_, at) => asleep(Math.floor(at / 6)));
    expect(looks(...works)).to.deep.equal(Array(100).fill(undefined));
  });

  it('reads the work from /proc, whatever the process is called', function () {
    const stat = `1 (a) S (b) S 1 1 1 0 -1 0 0 0 0 0 250 50 0 0 20 0 1 0 5`;
    expect(workOf(stat)).to.deep.equal({ cpuSeconds: 3, isAsleep: true });
    if (process.platform !== 'linux') this.skip();
    expect(workOf(readFileSync('/proc/self/stat', 'utf8')).cpuSeconds).to.be.above(0);
  });
});
