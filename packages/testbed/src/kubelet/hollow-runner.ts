// One child process answers for all members, so that a hundred clusters fit on two cores. Spoken to over Node's IPC channel:
// {type:'start',id,env} and {type:'stop',id} down; {type:'started'|'failed'|'stopped',id,error?} up.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TestbedError } from '../errors.ts';
import { madeProgram } from '../made-programs.ts';
import { projectRoot } from '../paths.ts';
import type { ManagedProcess, ProcessGroup } from '../processes/processes.ts';
import type { MemberExit, MemberRunner, MemberSpec, RunningMember } from './member-runner.ts';

export const HOLLOW_ENTRY = 'packages/simulator/src/bin/hollow.ts';
const START_LIMIT_MS = 15_000;

interface Answer {
  readonly type: 'started' | 'failed' | 'stopped';
  readonly id: string;
  readonly error?: string;
}

interface Waiting {
  resolve(member: RunningMember): void;
  reject(err: Error): void;
  readonly timer: NodeJS.Timeout;
}

export function createHollowRunner(
  processes: ProcessGroup,
  dir: string,
  speed: number,
  hostsFile: string,
): MemberRunner {
  let host: ManagedProcess | undefined;
  const waiting = new Map<string, Waiting>();
  const ends = new Map<string, (exit: MemberExit) => void>();

  function startHost(): ManagedProcess {
    mkdirSync(dir, { recursive: true });
    const made = madeProgram('hollow');
    const child = processes.spawn({
      name: 'hollow members',
      command: process.execPath,
      args: made === undefined ? ['--conditions=development', resolve(projectRoot, HOLLOW_ENTRY)] : [made],
      env: {
        PATH: process.env.PATH ?? '/usr/bin:/bin',
        HOME: dir,
        SIMULATOR_SPEED: String(speed),
        SIMULATOR_HOSTS_FILE: hostsFile,
      },
      logPath: join(dir, 'hollow.log'),
      ipc: true,
    });
    child.child.on('message', (message) => {
      if (isAnswer(message)) take(message);
    });
    child.child.on('error', () => undefined);
    void child.exited.then(({ code, signal }) => {
      host = undefined;
      for (const [id, one] of waiting)
        refuse(id, one, `the hollow process ended with ${signal ?? code}; see ${child.logPath}`);
      for (const end of ends.values()) end({ code, signal });
      ends.clear();
    });
    return child;
  }

  function take(answer: Answer): void {
    const one = waiting.get(answer.id);
    if (answer.type === 'stopped') end(answer.id, { code: 0, signal: undefined });
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
        if (signal === 'SIGTERM' || signal === 'SIGKILL') tell({ type: 'stop', id });
        else throw new TestbedError(`${signal} to a hollow member: it has no process of its own`);
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
    one.reject(new TestbedError(`start hollow member ${id}: ${why}`));
  }

  function tell(message: {
    readonly type: 'start' | 'stop';
    readonly id: string;
    readonly env?: Readonly<Record<string, string>>;
  }): void {
    if (host?.child.connected === true) host.child.send(message);
  }

  return {
    kind: 'hollow',
    start(spec: MemberSpec) {
      host ??= startHost();
      return new Promise((resolveStart, reject) => {
        const timer = setTimeout(() => {
          const one = waiting.get(spec.id);
          if (one !== undefined) refuse(spec.id, one, `no answer in ${START_LIMIT_MS / 1000} s`);
        }, START_LIMIT_MS);
        waiting.set(spec.id, { resolve: resolveStart, reject, timer });
        tell({ type: 'start', id: spec.id, env: spec.env });
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
    (message.type === 'started' || message.type === 'failed' || message.type === 'stopped') &&
    'id' in message &&
    typeof message.id === 'string'
  );
}
