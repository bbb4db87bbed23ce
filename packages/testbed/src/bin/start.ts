// `npm start`: a real cluster on this machine, from nothing to a live view, and back to nothing.
import { constants, rmSync } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AlreadyRunningError, ProgramFailedError, TestbedError } from '../errors.ts';
import { parseStartOptions, type StartOptions, USAGE } from '../options/start-options.ts';
import { cacheFolder, projectRoot } from '../paths.ts';
import { watchForEnd } from '../processes/ending.ts';
import { takeLock } from '../processes/process-lock.ts';
import type { Report } from '../programs/obtain.ts';
import { makePluginFolder } from '../programs/plugin-folder.ts';
import { lastError } from '../testbed/operator-process.ts';
import { startTestbed, type Testbed } from '../testbed/testbed.ts';
import { startDrawing } from '../view/draw.ts';
import { healthOf } from '../view/rows.ts';
import { type WatchedView, watchView } from '../view/watch-view.ts';

const SAMPLE = 'config/samples/demo.yaml';
const SAMPLE_KEY = 'default/demo';
const startedAt = performance.now();

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (err) {
  process.stderr.write(
    `${err instanceof TestbedError ? err.message : err instanceof Error ? err.stack : String(err)}\n`,
  );
  process.exitCode = err instanceof TestbedError ? err.exitCode : 1;
}
// The outcome is known and everything is stopped: a forgotten handle must not keep the process alive.
setTimeout(() => process.exit(), 2000).unref();

async function main(args: readonly string[]): Promise<number> {
  const options = parseStartOptions(args);
  if (options.isHelp) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (options.member !== undefined) await requireProgram(options.member);
  const lock = await takeLock(join(cacheFolder(), 'npm-start.lock'));
  if (lock.kind === 'taken') {
    if (lock.holder === undefined) throw new AlreadyRunningError('npm start is being started by another process');
    const { pid, since, note } = lock.holder;
    const where = note === '' ? '' : `; its kubeconfig is ${note}`;
    throw new AlreadyRunningError(
      `npm start is already running: process ${pid} since ${since}${where}. Stop it there with Ctrl-C, or: kill ${pid}`,
    );
  }
  const { signal } = watchForEnd();
  const dir = await mkdtemp(join(tmpdir(), 'marekvs-start-'));
  let isKept = true;
  try {
    const code = await run(options, dir, signal, lock.describe);
    isKept = code === 1;
    return code;
  } finally {
    if (isKept) process.stderr.write(`The logs are kept in ${dir}\n`);
    else await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    lock.release();
  }
}

async function run(
  options: StartOptions,
  dir: string,
  signal: AbortSignal,
  describe: (note: string) => Promise<void>,
): Promise<number> {
  // There is nothing to show or save yet: everything that has been started ends with this process.
  const endEarly = (): void => {
    report(`Ending: ${reasonOf(signal)}`);
    rmSync(dir, { recursive: true, force: true });
    process.exit(130);
  };
  if (signal.aborted) endEarly();
  signal.addEventListener('abort', endEarly);
  const testbed = await startTestbed({
    dir,
    speed: options.speed,
    runner: options.member === undefined ? 'process' : { kind: 'program', program: resolve(options.member) },
    operator: true,
    userRoles: true,
    report,
    onProblem: (what, err) => report(`Problem: ${what}: ${err instanceof Error ? err.message : String(err)}`),
  });
  signal.removeEventListener('abort', endEarly);
  try {
    await describe(testbed.kubeconfigs.admin);
    const missing = testbed.controlPlane.controllerManagerMissing;
    if (missing !== undefined)
      report(`Without kube-controller-manager (${missing}): deleted clusters leave their objects behind`);
    await testbed.apply([join(projectRoot, SAMPLE)]);
    report(`Applied ${SAMPLE}`);
    printCommands(testbed, await makePluginFolder(dir, testbed.controlPlane.kubectlPath));
    return await show(testbed, options, signal);
  } finally {
    report('Stopping the operator, the members and the control plane');
    await testbed.stop();
    report('Stopped: nothing is left running');
  }
}

async function show(testbed: Testbed, options: StartOptions, signal: AbortSignal): Promise<number> {
  let touch: () => void = () => undefined;
  const view = await watchView(testbed.transport, () => touch());
  const drawing = startDrawing(process.stdout, () => view.snapshot());
  try {
    return await new Promise<number>((resolveCode, reject) => {
      const check = (): void => {
        drawing.touch();
        if (options.untilHealthy && healthOf(view.cluster(SAMPLE_KEY)).kind === 'healthy') resolveCode(0);
      };
      touch = check;
      check();
      signal.addEventListener('abort', () => resolveCode(codeOf(signal, options)), { once: true });
      if (signal.aborted) resolveCode(codeOf(signal, options));
      void testbed.operator.exited.then(async () => reject(await operatorFailed(testbed)));
      if (options.untilHealthy) setTimeout(() => resolveCode(1), options.deadlineSeconds * 1000).unref();
    });
  } finally {
    touch = () => undefined;
    drawing.stop();
    if (signal.aborted) report(`Ending: ${reasonOf(signal)}`);
    if (options.untilHealthy) sayOutcome(view, options);
    await view.stop();
  }
}

function sayOutcome(view: WatchedView, options: StartOptions): void {
  const cluster = view.cluster(SAMPLE_KEY);
  const health = healthOf(cluster);
  if (health.kind === 'healthy') {
    report(`${SAMPLE_KEY} is Healthy`);
    return;
  }
  report(`${SAMPLE_KEY} is not Healthy (limit ${options.deadlineSeconds} s): ${health.why}`);
  for (const one of cluster?.status?.conditions ?? [])
    report(`  ${one.type}=${one.status} ${one.reason}: ${one.message}`);
}

/** Ctrl-C is how a session ends; while waiting for Healthy it means that it was not reached. */
function codeOf(signal: AbortSignal, options: StartOptions): number {
  return options.untilHealthy || reasonOf(signal) !== 'Ctrl-C' ? 130 : 0;
}

function reasonOf(signal: AbortSignal): string {
  return signal.reason instanceof Error ? signal.reason.message : 'asked to stop';
}

async function operatorFailed(testbed: Testbed): Promise<Error> {
  const { code, signal } = await testbed.operator.exited;
  const how = `ended by itself with ${signal ?? `exit code ${code}`}`;
  const log = await testbed.operator.logTail();
  const why = lastError(log);
  return why === undefined
    ? new ProgramFailedError('operator', how, log)
    : new TestbedError(`operator: ${how}: ${why}`);
}

function printCommands(testbed: Testbed, programs: string): void {
  const { admin } = testbed.kubeconfigs;
  process.stdout.write(
    [
      '',
      `kubeconfig: ${admin}`,
      'Try in another terminal:',
      `  export KUBECONFIG=${admin} PATH=${programs}:$PATH`,
      '  kubectl get mkv',
      '  kubectl get mkvnode -o wide',
      '  kubectl scale mkv/demo --replicas=5',
      '  kubectl mkv status demo --watch',
      `Logs: ${join(testbed.dir, 'control-plane', 'logs')}. Ctrl-C stops everything.`,
      '',
      '',
    ].join('\n'),
  );
}

async function requireProgram(program: string): Promise<void> {
  try {
    await access(resolve(program), constants.X_OK);
  } catch (err) {
    throw new TestbedError(`--member ${program}: not an executable file`, { exitCode: 2, cause: err });
  }
}

function report(...[line]: Parameters<Report>): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`[${seconds.padStart(6)} s] ${line}\n`);
}
