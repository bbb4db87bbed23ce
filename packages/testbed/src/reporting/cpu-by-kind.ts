// Which kinds of programs a gate spends its CPU on: samples all descendants of this process every few seconds.
// Processes that live for less, and the last moments of the others, are reported as the rest. Without /proc, that is
// everything.
import { readdirSync, readFileSync } from 'node:fs';
import { cpuSeconds, ownSecondsOf, parentOf } from './cpu-seconds.ts';

/** The kind of a process by its command line; the first match counts. */
const KINDS: readonly (readonly [string, RegExp])[] = [
  ['API servers', /\/kube-apiserver --/],
  ['etcd', /\/etcd --/],
  ['controller managers', /\/kube-controller-manager --/],
  ['operators', /\boperator\/main\.js\b|\/operator\/src\/main\.ts\b/],
  ['members', /\/(?:members\/\w+\.js|simulator\/src\/bin\/\w+\.ts|odd-member\.ts)\b/],
  ['lives', /\/reliability\/src\//],
  ['unit tests', /\bmocha-worker\.ts\b/],
  ['journeys themselves', /\bmocha-run\.ts\b/],
  ['plugins', /kubectl-mkv/],
  ['kubectl', /(?:^|\/)kubectl\b/],
  ['helm', /\/helm\b/],
  ['compilers', /\/(?:tsc|esbuild)\b/],
];
const EVERY_MS = 2_000;

export interface ProcessSeen {
  readonly pid: number;
  readonly parent: number;
  /** proc_pid_stat(5) */
  readonly stat: string;
  /** Read only for processes that are ours. */
  readonly command: () => string;
}

export interface CpuByKind {
  look(processes: readonly ProcessSeen[]): void;
  /** Largest first; the rest of `total` comes last. */
  tell(total: number): string;
}

interface Counted {
  readonly kind: string;
  seconds: number;
}

/** Counts the descendants of `root`, even when their parent has ended since. */
export function createCpuByKind(root: number): CpuByKind {
  const counted = new Map<string, Counted>();
  return {
    look(processes) {
      const byPid = new Map(processes.map((one) => [one.pid, one]));
      const isOurs = (one: ProcessSeen | undefined): boolean =>
        one !== undefined && (one.parent === root || counted.has(identityOf(one)) || isOurs(byPid.get(one.parent)));
      for (const one of processes) {
        if (one.pid === root || !isOurs(one)) continue;
        const known = counted.get(identityOf(one)) ?? { kind: kindOf(one.command()), seconds: 0 };
        known.seconds = ownSecondsOf(one.stat);
        counted.set(identityOf(one), known);
      }
    },
    tell(total) {
      const kinds = new Map<string, number>();
      for (const { kind, seconds } of counted.values()) kinds.set(kind, (kinds.get(kind) ?? 0) + seconds);
      const rest = total - [...kinds.values()].reduce((sum, seconds) => sum + seconds, 0);
      const sorted = [...kinds].sort(([, a], [, b]) => b - a);
      return [...sorted, ['short ones and the rest', Math.max(0, rest)] as const]
        .map(([kind, seconds]) => `${kind} ${seconds.toFixed(0)}`)
        .join(', ');
    },
  };
}

export function kindOf(command: string): string {
  return KINDS.find(([, pattern]) => pattern.test(command))?.[0] ?? 'others';
}

/** Pids are reused; together with the start time they are unique. */
function identityOf({ pid, stat }: ProcessSeen): string {
  return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
}

/** @returns a function that ends the sampling, and returns the result as one line */
export function startCpuByKind(): () => string {
  const counts = createCpuByKind(process.pid);
  const timer = setInterval(() => counts.look(processesHere()), EVERY_MS);
  return () => {
    clearInterval(timer);
    return counts.tell(cpuSeconds());
  };
}

function processesHere(): readonly ProcessSeen[] {
  return textOf(() => readdirSync('/proc').join('\n'))
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0)
    .map((pid) => ({ pid, stat: textOf(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) }))
    .filter(({ stat }) => stat !== '')
    .map(({ pid, stat }) => ({
      pid,
      stat,
      parent: parentOf(stat),
      command: () => textOf(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')),
    }));
}

/** Empty when the process has ended meanwhile. */
function textOf(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
