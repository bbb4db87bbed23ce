// One child process for all members of a testbed: hollow ones, so that a hundred clusters fit on two cores, or
// simulated ones with sockets of their own, which cost a tenth of what they do in a process each. Spoken to over Node's
// IPC channel: {type:'start',id,env,folder,logPath} and {type:'signal',id,signal} down;
// {type:'started'|'failed'|'ended',id,…} up.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TestbedError } from '../../errors.ts';
import { projectRoot } from '../../paths.ts';
import type { ManagedProcess, ProcessGroup } from '../../processes/processes.ts';
import { madeProgram } from '../../programs/made-programs.ts';
import type { MemberExit, MemberRunner, MemberSpec, RunningMember } from './member-runner.ts';

const START_LIMIT_MS = 15_000;
/** Without helper threads beside its own one it costs a fifth less. */
const ONE_THREAD = '--single-threaded';

export interface Hosting {
  readonly kind: 'hosted' | 'hollow';
  readonly processes: ProcessGroup;
  /** For the log of the process itself. */
  readonly dir: string;
  /** Divides the members' timers. */
  readonly speed: number;
  readonly hostsFile: string;
}

/** Each signal goes to one member alone. Hollow members have nothing that could be frozen. */
const SIGNALS: Readonly<Record<Hosting['kind'], readonly NodeJS.Signals[]>> = {
  hosted: ['SIGTERM', 'SIGKILL', 'SIGSTOP', 'SIGCONT'],
  hollow: ['SIGTERM', 'SIGKILL'],
};

interface Answer {
  readonly type: 'started' | 'failed' | 'ended';
  readonly id: string;
  readonly error?: string;
  readonly code?: number;
  readonly signal?: NodeJS.Signals;
}

interface Waiting {
  resolve(member: RunningMember): void;
  reject(err: Error): void;
  readonly timer: NodeJS.Timeout;
}

export function createHostingRunner({ kind, processes, dir, speed, hostsFile }: Hosting): MemberRunner {
  const settings = { SIMULATOR_SPEED: String(speed), SIMULATOR_HOSTS_FILE: hostsFile };
  let host: ManagedProcess | undefined;
  const waiting = new Map<string, Waiting>();
  const ends = new Map<string, (exit: MemberExit) => void>();

  function startHost(): ManagedProcess {
    mkdirSync(dir, { recursive: true });
    const made = madeProgram(kind);
    const entry = resolve(projectRoot, `packages/simulator/src/bin/${kind}.ts`);
    const child = processes.spawn({
      name: `${kind} members`,
      command: process.execPath,
      args: [ONE_THREAD, ...(made === undefined ? ['--conditions=development', entry] : [made])],
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: dir },
      logPath: join(dir, `${kind}.log`),
      ipc: true,
    });
    child.child.on('message', (message) => {
      if (isAnswer(message)) take(message);
    });
    child.child.on('error', () => undefined);
    void child.exited.then(({ code, signal }) => {
      host = undefined;
      for (const [id, one] of waiting)
        refuse(id, one, `the process of ${kind} members ended with ${signal ?? code}; see ${child.logPath}`);
      for (const end of ends.values()) end({ code, signal });
      ends.clear();
    });
    return child;
  }

  function take(answer: Answer): void {
    const one = waiting.get(answer.id);
    if (answer.type === 'ended') end(answer.id, { code: answer.code, signal: answer.signal });
    else if (one === undefined) return;
    else if (answer.type === 'failed') refuse(answer.id, one, answer.error ?? 'no reason given');
    else {
      waiting.delete(answer.id);
      clearTimeout(one.timer);
      one.resolve(runningMember(answer.id));
    }
  }

  function runningMember(id: string): RunningMember {
    const exited = new Promise<MemberExit>((resolveExit) => ends.set(id, resolveExit));
    return {
      pid: undefined,
      exited,
      signal(signal) {
        if (!SIGNALS[kind].includes(signal))
          throw new TestbedError(`${signal} to a ${kind} member: it knows only ${SIGNALS[kind].join(', ')}`);
        tell({ type: 'signal', id, signal });
      },
    };
  }

  function end(id: string, exit: MemberExit): void {
    ends.get(id)?.(exit);
    ends.delete(id);
  }

  function refuse(id: string, one: Waiting, why: string): void {
    waiting.delete(id);
    clearTimeout(one.timer);
    one.reject(new TestbedError(`start ${kind} member ${id}: ${why}`));
  }

  function tell(message: object): void {
    if (host?.child.connected === true) host.child.send(message);
  }

  return {
    kind,
    start({ id, env, folder, logPath }: MemberSpec) {
      host ??= startHost();
      return new Promise((resolveStart, reject) => {
        const timer = setTimeout(() => {
          const one = waiting.get(id);
          if (one !== undefined) refuse(id, one, `no answer in ${START_LIMIT_MS / 1000} s`);
        }, START_LIMIT_MS);
        waiting.set(id, { resolve: resolveStart, reject, timer });
        tell({ type: 'start', id, env: { ...settings, ...env }, folder, logPath });
      });
    },
    async stop() {
      await host?.stop(1000);
    },
  };
}

function isAnswer(message: unknown): message is Answer {
  return (
    typeof message === 'object' &&
    message !== null &&
    'type' in message &&
    (message.type === 'started' || message.type === 'failed' || message.type === 'ended') &&
    'id' in message &&
    typeof message.id === 'string'
  );
}
