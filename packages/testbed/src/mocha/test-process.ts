// Runs test files in a process of their own (mocha-run.ts) and returns the result. The caller decides what is shown,
// and when.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from '../processes/run-tool.ts';
import { isWhole, parseCpuSeconds, parseTally, type Tally } from '../reporting/tally.ts';

const RUNNER = fileURLToPath(new URL('../bin/mocha-run.ts', import.meta.url));

export interface TestProcessOptions {
  /** `each`: a line per test; `compact`: only failures and skips. */
  readonly style: 'compact' | 'each';
  /** For one test. */
  readonly testMs: number;
  /** For all of them together; then the process is ended. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Sees the output as it comes, including a last line about a bad end. */
  readonly onOutput: (text: string) => void;
}

export interface TestProcessEnd extends Tally {
  /** It did not finish its tests, or ended badly after them: what it had started may still be ending. */
  readonly hasDied: boolean;
  /** Of the process and of all it has started, but not of a control plane that was lent to it; undefined when it has
   *  died. */
  readonly cpuSeconds: number | undefined;
}

/** Never rejects for what the tests do: a process that dies is a failure of its own in the tally. */
export async function runTestProcess(files: readonly string[], options: TestProcessOptions): Promise<TestProcessEnd> {
  const { style, testMs, limitMs, signal, env = {}, onOutput } = options;
  const folder = await mkdtemp(join(tmpdir(), 'marekvs-test-'));
  const tallyPath = join(folder, 'tally.json');
  try {
    const { code, output } = await runTool(
      process.execPath,
      [
        '--conditions=development',
        '--disable-warning=ExperimentalWarning',
        RUNNER,
        tallyPath,
        style,
        String(testMs),
        ...files,
      ],
      { limitMs, signal, env: { ...process.env, ...env }, onOutput },
    );
    const text = await readFile(tallyPath, 'utf8').catch(() => undefined);
    // A process that ends while it writes leaves an incomplete tally.
    const written = text !== undefined && isWhole(text) ? text : undefined;
    const tally = parseTally(written);
    if (written !== undefined && (code === 0 || tally.failed > 0))
      return { ...tally, hasDied: false, cpuSeconds: parseCpuSeconds(written) };
    // A process that ends badly after its last test (an unhandled rejection, a crash in a hook), or before, is a
    // failure too.
    const stopped = /^stopped after .*/m.exec(output.slice(-100));
    const how = stopped === null ? `ended with ${code}` : `was ${stopped[0]}`;
    onOutput(`  ✗ ${files.length === 1 ? files[0] : 'the test process'} ${how}\n`);
    return { ...tally, failed: Math.max(1, tally.failed), hasDied: true, cpuSeconds: undefined };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
