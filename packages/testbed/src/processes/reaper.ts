// The process that outlives its parent by a moment: when the parent's pipe closes, it kills what the parent had
// started. SIGKILL and a crash leave no time for handlers, so this cannot be done inside the parent. Started by
// processes.ts only.
// Input, one line each: `+<pid>` started, `-<pid>` ended, `d<folder>` a folder to remove after a crash.
import { rmSync } from 'node:fs';
import {
  isSameProcess,
  type ProcessIdentity,
  processesWithEnvironment,
  processStartTicks,
} from './process-identity.ts';

const tagEntry = process.argv[2] ?? '';
const living = new Map<number, ProcessIdentity>();
const folders: string[] = [];
let pending = '';

// Ctrl-C and a closed terminal are the parent's business: it stops its children in order.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('SIGHUP', () => undefined);

process.stdin.setEncoding('utf8');
process.stdin.on('data', (text: string) => {
  const lines = (pending + text).split('\n');
  pending = lines.pop() ?? '';
  for (const line of lines) take(line);
});
process.stdin.on('close', finish);
process.stdin.on('error', finish);

function take(line: string): void {
  const rest = line.slice(1);
  if (line.startsWith('+'))
    living.set(Number(rest), { pid: Number(rest), startTicks: processStartTicks(Number(rest)) });
  else if (line.startsWith('-')) living.delete(Number(rest));
  else if (line.startsWith('d')) folders.push(rest);
}

let isFinished = false;

function finish(): void {
  if (isFinished) return;
  isFinished = true;
  const crashed = living.size > 0;
  for (const identity of living.values()) if (isSameProcess(identity)) killGroup(identity.pid);
  // A child born in the last instant was never announced, and children may have children: the tag in the environment
  // finds them.
  for (let round = 0; round < 5; round++) {
    const left = tagEntry === '' ? [] : processesWithEnvironment(tagEntry);
    if (left.length === 0) break;
    for (const pid of left) killOne(pid);
  }
  if (crashed) for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    killOne(pid);
  }
}

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
