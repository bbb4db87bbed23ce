import { formatReplicaLoad, parseReplicaLoad } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { nextPressure, type PressureReading } from '../src/process/pressure.ts';

const FIRST: PressureReading = {
  atMs: 1_000,
  cpuMs: 5_000,
  busyMs: 4_000,
  queueWaitMs: 0,
  memoryBytes: 80,
  memoryLimitBytes: 200,
};

/** A later reading, with this much more of each. */
const after = (last: PressureReading, ms: number, change: Partial<PressureReading> = {}): PressureReading => ({
  ...last,
  atMs: last.atMs + ms,
  ...change,
});

describe('the load figures of a replica', () => {
  it('are unknown, not 0, before there are two readings', () => {
    expect(nextPressure(undefined, undefined, FIRST)).to.equal(undefined);
    expect(nextPressure(undefined, FIRST, FIRST)).to.equal(undefined);
  });

  it('are 1 at the limit of each', () => {
    const full = after(FIRST, 10_000, {
      cpuMs: 15_000,
      busyMs: 11_000,
      queueWaitMs: 1_000,
      memoryBytes: 160,
    });
    const pressure = nextPressure(undefined, FIRST, full);
    for (const key of ['queue', 'loop', 'cpu', 'memory'] as const) expect(pressure?.[key]).to.be.closeTo(1, 0.001);
  });

  it('forget a burst of four seconds within minutes, and report memory as it is now', () => {
    const calm = nextPressure(undefined, FIRST, after(FIRST, 4_000));
    const busy = after(FIRST, 8_000, { cpuMs: 9_000, memoryBytes: 160 });
    const burst = nextPressure(calm, after(FIRST, 4_000), busy);
    expect(burst?.cpu).to.be.within(0.05, 0.07);
    expect(burst?.memory).to.be.closeTo(1, 0.001);
  });

  it('can be read back from their text, and a foreign text is no figure', () => {
    const load = { clusters: 12, queue: 0.5, loop: 0.25, cpu: 0, memory: 1.5 };
    expect(parseReplicaLoad(formatReplicaLoad(load))).to.deep.equal(load);
    expect(parseReplicaLoad(formatReplicaLoad({ clusters: 3 }))).to.deep.equal({ clusters: 3 });
    for (const text of [undefined, '', 'clusters=', 'cpu=0.5']) expect(parseReplicaLoad(text)).to.equal(undefined);
  });
});
