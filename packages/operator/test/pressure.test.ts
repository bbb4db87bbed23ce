import { formatReplicaLoad, parseReplicaLoad } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { nextPressure, type PressureReading } from '../src/ownership/pressure.ts';

const FIRST: PressureReading = {
  atMs: 1_000,
  cpuMs: 5_000,
  busyMs: 4_000,
  queueWaitMs: 0,
  memoryBytes: 80,
  memoryLimitBytes: 200,
};

/** So long after, with so much more of each. */
const after = (last: PressureReading, ms: number, change: Partial<PressureReading> = {}): PressureReading => ({
  ...last,
  atMs: last.atMs + ms,
  ...change,
});

describe('the pressure on a replica', () => {
  it('is unknown before there are two readings, which is not 0', () => {
    expect(nextPressure(undefined, undefined, FIRST)).to.equal(undefined);
    expect(nextPressure(undefined, FIRST, FIRST)).to.equal(undefined);
  });

  it('is 1 at the limit of each', () => {
    const full = after(FIRST, 10_000, {
      cpuMs: 15_000,
      busyMs: 11_000,
      queueWaitMs: 1_000,
      memoryBytes: 160,
    });
    const pressure = nextPressure(undefined, FIRST, full);
    for (const key of ['queue', 'loop', 'cpu', 'memory'] as const) expect(pressure?.[key]).to.be.closeTo(1, 0.001);
  });

  it('of a burst of four seconds is forgotten in minutes, and of memory it is what it is now', () => {
    const calm = nextPressure(undefined, FIRST, after(FIRST, 4_000));
    const busy = after(FIRST, 8_000, { cpuMs: 9_000, memoryBytes: 160 });
    const burst = nextPressure(calm, after(FIRST, 4_000), busy);
    expect(burst?.cpu).to.be.within(0.05, 0.07);
    expect(burst?.memory).to.be.closeTo(1, 0.001);
  });

  it('is noted in a text that comes back, and a text of somebody else is none', () => {
    const load = { clusters: 12, queue: 0.5, loop: 0.25, cpu: 0, memory: 1.5 };
    expect(parseReplicaLoad(formatReplicaLoad(load))).to.deep.equal(load);
    expect(parseReplicaLoad(formatReplicaLoad({ clusters: 3 }))).to.deep.equal({ clusters: 3 });
    for (const text of [undefined, '', 'clusters=', 'cpu=0.5']) expect(parseReplicaLoad(text)).to.equal(undefined);
  });
});
