// How long `kubectl mkv status <cluster>` takes from its start to its end, without the API server: the bundle is run
// against a server of this process that answers over TLS at once, and the time between each request and its answer is
// taken off. `npm run bench:cli`.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleCli } from '../bundle.ts';
import { startHttpsApi } from '../test/support/https-api.ts';

/** Design of the plugin: what a person does not notice. */
const LIMIT_MS = 150;
const RUNS = 25;

export interface ColdStart {
  /** Milliseconds of the fastest run and of the one in the middle, without the server's own time. */
  readonly bestMs: number;
  readonly medianMs: number;
  /** Processor time of the cheapest run, all threads: what a machine that does other work does not move much. */
  readonly processorMs: number;
  /** Of `node empty.cjs` on the same machine at the same moment. */
  readonly bareNodeMs: number;
  readonly bytes: number;
}

export async function measureColdStart(runs = RUNS): Promise<ColdStart> {
  const folder = await mkdtemp(join(tmpdir(), 'mkv-cold-'));
  const file = join(folder, 'kubectl-mkv.cjs');
  const empty = join(folder, 'empty.cjs');
  const meter = join(folder, 'meter.cjs');
  const used = join(folder, 'used');
  const { outputs } = await bundleCli(file);
  await writeFile(empty, '');
  const usage =
    'const { user, system } = process.cpuUsage(); require("node:fs").writeFileSync(process.env.USED, String(user + system));';
  await writeFile(meter, `process.on('exit', () => { ${usage} });`);
  const { server, kubeconfig, takeServerMs } = await startHttpsApi(folder);
  try {
    const own: number[] = [];
    const bare: number[] = [];
    const processor: number[] = [];
    const status = [file, 'status', 'demo'];
    const env = { KUBECONFIG: kubeconfig, HOME: folder };
    for (let i = 0; i < runs; i += 1) {
      bare.push(await timeOf([empty], {}));
      takeServerMs();
      const took = await timeOf(status, env);
      own.push(took - takeServerMs());
      await timeOf(['--require', meter, ...status], { ...env, USED: used });
      processor.push(Number(await readFile(used, 'utf8')) / 1000);
    }
    return {
      bestMs: Math.min(...own),
      medianMs: middle(own),
      processorMs: Math.min(...processor),
      bareNodeMs: Math.min(...bare),
      bytes: Object.values(outputs)[0]?.bytes ?? 0,
    };
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function timeOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...args], { env }, (error, stdout, stderr) => {
      const took = performance.now() - startedAt;
      if (error !== null || (args.length > 1 && !stdout.includes('default/demo  Healthy')))
        reject(new Error(`${args.join(' ')} failed: ${stderr}${stdout}`));
      else resolve(took);
    });
  });
}

const USAGE = `usage: npm run bench:cli
  how long a cold start of the plugin takes; there are no options
`;

if (import.meta.main) {
  const [option] = process.argv.slice(2);
  if (option !== undefined) {
    const isHelp = option === '--help' || option === '-h';
    (isHelp ? process.stdout : process.stderr).write(isHelp ? USAGE : `Unknown option '${option}'\n\n${USAGE}`);
    process.exit(isHelp ? 0 : 2);
  }
  const { bestMs, medianMs, processorMs, bareNodeMs, bytes } = await measureColdStart();
  console.log(
    `kubectl-mkv ${Math.round(bytes / 1024)} KiB in one file; status from start to end without the API server, ${RUNS} runs:`,
  );
  console.log(
    `  best ${bestMs.toFixed(0)} ms, median ${medianMs.toFixed(0)} ms (limit ${LIMIT_MS} ms); processor time ${processorMs.toFixed(0)} ms`,
  );
  console.log(`  node alone ${bareNodeMs.toFixed(0)} ms; on a machine that does other work, processor time tells more`);
  process.exitCode = bestMs <= LIMIT_MS ? 0 : 1;
}
