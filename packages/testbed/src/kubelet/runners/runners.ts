// The runners that start one process per member, and the one that starts nothing. Many in one process:
// hosting-runner.ts.
import { isAbsolute, resolve } from 'node:path';
import { TestbedError } from '../../errors.ts';
import { projectRoot } from '../../paths.ts';
import type { ManagedProcess, ProcessGroup } from '../../processes/processes.ts';
import { madeProgram } from '../../programs/made-programs.ts';
import type { MemberRunner, MemberSpec, RunningMember } from './member-runner.ts';

export const MEMBER_ENTRY = 'packages/simulator/src/bin/member.ts';

/** The simulated member, one Node process each. @param speed divides its timers */
export function createProcessRunner(processes: ProcessGroup, speed: number, hostsFile: string): MemberRunner {
  return {
    kind: 'process',
    start: (spec) =>
      spawnMember(processes, spec, process.execPath, memberArguments(), {
        SIMULATOR_SPEED: String(speed),
        SIMULATOR_HOSTS_FILE: hostsFile,
        // The heap of a member is small; without this each would reserve for the whole machine.
        NODE_OPTIONS: '--max-old-space-size=256',
      }),
    stop: () => Promise.resolve(),
  };
}

/** Without helper threads beside its own one, a member that lives for a minute costs a fifth less. */
const ONE_THREAD = '--single-threaded';

function memberArguments(): readonly string[] {
  const made = madeProgram('member');
  const program = made === undefined ? ['--conditions=development', resolve(projectRoot, MEMBER_ENTRY)] : [made];
  return [ONE_THREAD, ...program];
}

/** Any program that reads the environment of docs/design/server.md#settings, a real marekvs-server above all. */
export function createProgramRunner(processes: ProcessGroup, program: string): MemberRunner {
  const command = isAbsolute(program) || !program.includes('/') ? program : resolve(program);
  return {
    kind: 'program',
    start: (spec) => spawnMember(processes, spec, command, [], {}),
    stop: () => Promise.resolve(),
  };
}

/** For Pods that are no members: they run and are ready as long as nobody stops them. */
export function createPauseRunner(): MemberRunner {
  return {
    kind: 'pause',
    start() {
      let end: (exit: { code: number | undefined; signal: NodeJS.Signals | undefined }) => void = () => undefined;
      const exited = new Promise<{ code: number | undefined; signal: NodeJS.Signals | undefined }>((resolveExit) => {
        end = resolveExit;
      });
      return Promise.resolve({
        pid: undefined,
        exited,
        signal: (signal) => {
          if (signal === 'SIGKILL') end({ code: undefined, signal });
          else if (signal === 'SIGTERM') end({ code: 0, signal: undefined });
        },
      });
    },
    stop: () => Promise.resolve(),
  };
}

async function spawnMember(
  processes: ProcessGroup,
  spec: MemberSpec,
  command: string,
  args: readonly string[],
  extra: Readonly<Record<string, string>>,
): Promise<RunningMember> {
  const member = processes.spawn({
    name: spec.name,
    command,
    args,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: spec.folder, ...extra, ...spec.env },
    logPath: spec.logPath,
    cwd: spec.folder,
  });
  if (member.pid === 0) {
    const { error } = await member.exited;
    throw new TestbedError(`start ${command} for ${spec.name}: ${error?.message ?? 'unknown error'}`, { cause: error });
  }
  return toRunning(member);
}

function toRunning(member: ManagedProcess): RunningMember {
  return {
    pid: member.pid,
    exited: member.exited.then(({ code, signal }) => ({ code, signal })),
    signal: (signal) => member.signal(signal),
  };
}
