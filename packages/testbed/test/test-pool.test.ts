// Test files in processes that run many of them: each file is run once, whatever happens to its process.
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { runTestPool } from '../src/mocha/test-pool.ts';
import { runTestProcess } from '../src/mocha/test-process.ts';
import { childrenSecondsOf, cpuSeconds } from '../src/reporting/cpu-seconds.ts';
import { parseCpuSeconds, readTally } from '../src/reporting/tally.ts';

const LIMIT_MS = 60_000;
const MOCHA = pathToFileURL(join(import.meta.dirname, '../../../node_modules/mocha/index.js')).href;

/** Runs files with these texts in so many processes. */
async function pool(texts: readonly string[], processes: number, niceness = () => getPriority() + 1) {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'pool-'));
  const files = texts.map((text, index) => {
    const file = join(folder.path, `${index}.mjs`);
    writeFileSync(file, `import mocha from '${MOCHA}';\nconst { it } = mocha;\n${text}\n`);
    return file;
  });
  const output: string[] = [];
  const { signal } = new AbortController();
  const onOutput = (text: string): void => void output.push(text);
  const end = await runTestPool(files, { processes, niceness, testMs: 5_000, limitMs: 30_000, signal, onOutput });
  return { ...end, output: output.join('') };
}

describe('a pool of test processes', function () {
  this.timeout(LIMIT_MS);

  it('runs every file once and adds up what passed, failed and was skipped', async () => {
    const {
      tally,
      cpuSeconds: seconds,
      output,
    } = await pool(
      [
        "it('a', () => {});",
        "it('b', () => { throw new Error('no'); });",
        "it.skip('c', () => {}); it('d', () => {});",
      ],
      2,
    );
    expect(tally).to.deep.equal({ passed: 2, failed: 1, skipped: 1 });
    expect(output).to.match(/✗ b\n {6}Error: no/);
    expect(seconds).to.be.above(0);
  });

  it('counts a file whose process ends as a failure, and runs the following files in another process', async () => {
    const { tally, output } = await pool(["it('a', () => process.exit(7));", "it('b', () => {});"], 1);
    expect(tally).to.deep.equal({ passed: 1, failed: 1, skipped: 0 });
    expect(output).to.match(/✗ \S*0\.mjs ended with 7\n/);
  });

  it('runs a file in another process when the priority has changed', async () => {
    const text = (name: string, niceness: number) =>
      `import { getPriority } from 'node:os';
      globalThis.ran ??= []; globalThis.ran.push('${name}');
      it('${name}', () => { if (getPriority() !== ${niceness}) throw new Error(String(getPriority())); });
      it.skip(globalThis.ran.join(), () => {});`;
    const own = getPriority();
    const nicenesses = [own + 2, own + 2, own + 1].values();
    const { tally, output } = await pool(
      [text('a', own + 2), text('b', own + 2), text('c', own + 1)],
      1,
      () => nicenesses.next().value ?? own,
    );
    expect(tally).to.deep.equal({ passed: 3, failed: 0, skipped: 3 });
    expect(output.match(/[a-c,]+(?= \(skipped\))/g)).to.deep.equal(['a', 'a,b', 'c']);
  });

  it('counts a file that cannot be loaded as a failure, and says why', async () => {
    const { tally, output } = await pool(["import './not-there.mjs';", "it('b', () => {});"], 1);
    expect(tally).to.deep.equal({ passed: 1, failed: 1, skipped: 0 });
    expect(output).to.include('not-there.mjs');
  });
});

describe('a test process', function () {
  this.timeout(LIMIT_MS);

  it('that ends while it writes its tally has died, and counts as one failure', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'process-'));
    const file = join(folder.path, 'a.mjs');
    const ending = "writeFileSync(process.argv[2], '{\"passed\":1'); process.kill(process.pid, 'SIGKILL');";
    writeFileSync(file, `import { writeFileSync } from 'node:fs';\n${ending}\n`);
    const output: string[] = [];
    const end = await runTestProcess([file], {
      style: 'compact',
      testMs: 5_000,
      limitMs: 30_000,
      signal: new AbortController().signal,
      onOutput: (text) => void output.push(text),
    });
    expect(end).to.deep.equal({ passed: 0, failed: 1, skipped: 0, hasDied: true, cpuSeconds: undefined });
    expect(output.join('')).to.match(/✗ \S*a\.mjs ended with 128\n/);
  });
});

describe('CPU seconds', () => {
  it('are those of this process at least', () => {
    expect(cpuSeconds()).to.be.above(0);
  });

  it('of children are fields 16 and 17 of /proc/self/stat, whatever the process is called', () => {
    const stat = '42 (a) b) (c) S 1 42 42 0 -1 4194560 1 2 3 4 50 60 700 850 20 0 11 0 999';
    expect(childrenSecondsOf(stat)).to.equal(15.5);
  });

  it('are read from a tally, and unknown when it has none', () => {
    const text = JSON.stringify({ passed: 1, failed: 0, skipped: 0, cpuSeconds: 2.5 });
    expect([parseCpuSeconds(text), readTally(JSON.parse(text))]).to.deep.equal([
      2.5,
      { passed: 1, failed: 0, skipped: 0 },
    ]);
    expect(parseCpuSeconds('{}')).to.equal(undefined);
  });
});
