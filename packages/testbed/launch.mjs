// Runs the commands that come first on any Node >= 18: installs the dependencies once, then hands over to the Node 26
// that came with them. All other scripts of package.json find that Node by themselves: npm puts node_modules/.bin
// before everything on their PATH. Plain JavaScript without imports of ours, because nothing is installed when it
// starts.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ENTRIES = {
  start: 'packages/testbed/src/bin/start.ts',
  test: 'packages/testbed/src/bin/test.ts',
  check: 'packages/testbed/src/bin/check.ts',
};
const INSTALL_LIMIT_MS = 15 * 60_000;
const NPM_FLAGS = ['--no-audit', '--no-fund', '--loglevel=error'];
const SAY_EVERY_MS = 10_000;
const LOCK_STALE_MS = 20 * 60_000;

const [verb = '', ...args] = process.argv.slice(2);
const entry = ENTRIES[verb];
if (entry === undefined) {
  console.error(`usage: node packages/testbed/launch.mjs <${Object.keys(ENTRIES).join(' | ')}> [arguments]`);
  process.exit(2);
}
try {
  await installIfNeeded();
  process.exitCode = await handOver();
} catch (err) {
  console.error(err instanceof Error ? err.message : err);
  process.exitCode = 1;
}

async function installIfNeeded() {
  const reason = whyInstall();
  if (reason === undefined) return;
  const release = await takeInstallLock();
  try {
    if (whyInstall() === undefined) return;
    await install(reason);
  } finally {
    release();
  }
}

/** npm writes node_modules/.package-lock.json last: its age is that of the installation. */
function whyInstall() {
  const marker = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(marker) || !existsSync(nodeBinary())) return 'node_modules is missing';
  const lock = join(root, 'package-lock.json');
  if (existsSync(lock) && statSync(lock).mtimeMs > statSync(marker).mtimeMs && installedDiffers(lock, marker)) {
    return 'node_modules is older than package-lock.json';
  }
  return undefined;
}

/** A checkout or copy gives files new times; only a lock that really names other packages costs an installation. */
function installedDiffers(lockPath, markerPath) {
  try {
    const lock = JSON.parse(readFileSync(lockPath, 'utf8')).packages ?? {};
    const installed = JSON.parse(readFileSync(markerPath, 'utf8')).packages ?? {};
    const wanted = Object.entries(lock).filter(([path]) => path.startsWith('node_modules/'));
    return wanted.some(([path, one]) => {
      if (one.link === true) return !existsSync(join(root, path));
      const there = installed[path];
      if (there === undefined) return one.optional !== true && one.peer !== true;
      return there.version !== one.version;
    });
  } catch {
    return true;
  }
}

async function install(reason) {
  const startedAt = Date.now();
  const elapsed = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  console.log(`Installing dependencies with npm ci: ${reason} (happens once)`);
  const timer = setInterval(
    () => console.log(`Installing dependencies, ${elapsed()} so far (happens once)`),
    SAY_EVERY_MS,
  );
  try {
    let outcome = await run(npmCommand(), ['ci', ...NPM_FLAGS], INSTALL_LIMIT_MS);
    if (outcome.code !== 0 && isLockIncomplete(outcome.output)) {
      console.log(
        'npm ci refuses package-lock.json (it lacks packages of other platforms): npm install --no-save instead',
      );
      outcome = await run(npmCommand(), ['install', '--no-save', ...NPM_FLAGS], INSTALL_LIMIT_MS);
    }
    if (outcome.code !== 0) {
      const tail = outcome.output.trim().split('\n').slice(-20).join('\n');
      throw new Error(`npm ended with ${outcome.code} after ${elapsed()}:\n${tail}`);
    }
  } finally {
    clearInterval(timer);
  }
  if (!existsSync(nodeBinary())) {
    throw new Error(
      `npm ci has not placed ${nodeBinary()}: were install scripts switched off (npm config ignore-scripts)?`,
    );
  }
  console.log(`Installed dependencies in ${elapsed()}`);
}

/** A lock that was written against a mirror without, say, the macOS builds is complete for this platform and yet no
 *  lock for npm ci. npm install --no-save keeps to its versions and does not write it. */
function isLockIncomplete(output) {
  return output.includes('EUSAGE') && /Missing: \S+ from lock file/.test(output);
}

/** The npm beside the Node that runs this file; a PATH without npm would not matter then. */
function npmCommand() {
  const beside = join(dirname(process.execPath), 'npm');
  return existsSync(beside) ? beside : 'npm';
}

function run(command, commandArgs, limitMs) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, commandArgs, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
      env: withNodeOnPath(),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-20_000);
      });
    }
    child.once('error', (err) => reject(new Error(`run ${command}: ${err.message}`)));
    child.once('close', (code, signal) => resolve({ code: code ?? signal, output }));
  });
}

/** Two first runs at once would write into one node_modules. A folder is made atomically; an old one was left by a
 *  crash. */
async function takeInstallLock() {
  const folder = join(root, '.tmp', 'install.lock');
  mkdirSync(dirname(folder), { recursive: true });
  for (let isSaid = false; ; isSaid = true) {
    try {
      mkdirSync(folder);
      writeFileSync(join(folder, 'pid'), String(process.pid));
      return () => rmSync(folder, { recursive: true, force: true });
    } catch (err) {
      if (err.code !== 'EEXIST') throw err;
      if (isStale(folder)) rmSync(folder, { recursive: true, force: true });
      else if (!isSaid) console.log('Waiting: another process is installing the dependencies (happens once)');
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

function isStale(folder) {
  try {
    if (Date.now() - statSync(folder).mtimeMs > LOCK_STALE_MS) return true;
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 0);
    return false;
  } catch (err) {
    // ESRCH: its maker is dead. Anything else (the pid is not written yet, or belongs to another user): alive.
    return err.code === 'ESRCH';
  }
}

function nodeBinary() {
  return join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** The handed-over process and its children find the same Node and the tools of node_modules first. */
function withNodeOnPath() {
  const path = [dirname(process.execPath), process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(':');
  return { ...process.env, PATH: path };
}

function handOver() {
  const path = [
    dirname(nodeBinary()),
    join(root, 'node_modules', '.bin'),
    process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  ].join(':');
  const child = spawn(nodeBinary(), ['--conditions=development', join(root, entry), ...args], {
    cwd: root,
    env: { ...process.env, PATH: path },
    // The IPC channel only tells the other end that we are gone, whatever ended us.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  // From a terminal Ctrl-C reaches both; from elsewhere only us. The receiver takes a repeated signal within a second
  // as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', (err) => reject(new Error(`run ${nodeBinary()}: ${err.message}`)));
    child.once('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}
