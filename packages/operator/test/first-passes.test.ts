// The line that says when every cluster of a replica has been reconciled, while its share changes.

import type { LogFields, Logger } from '@marekvs/runtime';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createFirstPasses, type FirstPasses } from '../src/telemetry/first-passes.ts';

describe('the line about the first passes', () => {
  const clock = createManualClock();
  let lines: LogFields[] = [];
  let passes: FirstPasses;
  beforeEach(() => {
    lines = [];
    const logger = { info: (_: string, fields: LogFields = {}) => void lines.push(fields) };
    passes = createFirstPasses(clock, logger as Logger);
  });

  it('comes once, when the last of the clusters is reconciled', async () => {
    passes.gained(['a/1', 'a/2']);
    passes.passed('a/1');
    passes.passed('a/1');
    await clock.run(250);
    expect(lines).to.deep.equal([]);
    passes.passed('a/2');
    passes.passed('a/2');
    expect(lines).to.have.length(1);
    expect(lines[0]).to.deep.include({ clusters: 2, durationMs: 250 });
  });

  it('does not wait for a cluster that another replica has taken meanwhile', () => {
    passes.gained(['a/1', 'a/2']);
    passes.passed('a/1');
    passes.lost((key) => key === 'a/2');
    expect(lines.map(({ clusters }) => clusters)).to.deep.equal([1]);
  });

  it('counts clusters that were gained in two parts together', async () => {
    passes.gained(['a/1']);
    await clock.run(100);
    passes.gained(['a/2', 'a/3']);
    passes.passed('a/2');
    passes.passed('a/3');
    expect(lines).to.deep.equal([]);
    passes.passed('a/1');
    expect(lines.map(({ clusters, durationMs }) => [clusters, durationMs])).to.deep.equal([[3, 100]]);
  });

  it('comes at once for a share without clusters, and not for clusters that are lost later', () => {
    passes.gained([]);
    passes.lost(() => true);
    expect(lines.map(({ clusters }) => clusters)).to.deep.equal([0]);
  });

  it('comes again after another gain', () => {
    passes.gained(['a/1']);
    passes.passed('a/1');
    passes.gained(['a/2']);
    passes.passed('a/2');
    expect(lines.map(({ clusters }) => clusters)).to.deep.equal([1, 1]);
  });
});
