// `npm start` as a person or a script meets it: how it ends, what it says, what it leaves behind.
// Own API server: npm start starts one.
// Runs first: it takes two and a half minutes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MADE_VARIABLE, madeProgram, obtainControlPlane, projectRoot } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { eventually } from './support/eventually.ts';

const LIMIT_MS = 90_000;

interface Run {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  output(): string;
}

describe('npm start', function () {
  this.timeout(LIMIT_MS + 20_000);
  let folder: string;
  let env: NodeJS.ProcessEnv;
  /** Where the gate has put the programs that a person's npm start builds each time. */
  let made: NodeJS.ProcessEnv = {};
  const children: ChildProcess[] = [];

  before(async () => {
    const programs = await obtainControlPlane();
    folder = await mkdtemp(join(tmpdir(), 'marekvs-npm-start-'));
    // An almost empty environment, and a cache of its own, so that the lock of a person's npm start has no effect here.
    env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: folder,
      XDG_CACHE_HOME: join(folder, 'cache'),
      KUBEBUILDER_ASSETS: dirname(programs.apiServer),
    };
  });
  // The first run is like a person's, which builds them.
  afterEach(() => {
    made = { [MADE_VARIABLE]: process.env[MADE_VARIABLE] };
  });
  after(async () => {
    for (const child of children) child.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  function start(args: readonly string[], change: NodeJS.ProcessEnv = {}): Run {
    const launcher = join(projectRoot, 'packages/testbed/launch.mjs');
    const child = spawn(process.execPath, [launcher, 'start', ...args], {
      env: { ...env, ...made, ...change },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    return { child, exited: once(child, 'close').then(([code]) => code), output: () => output };
  }

  const upTo = (run: Run, text: string): Promise<unknown> =>
    eventually(`"${text}" is printed`, () => run.output().includes(text) || run.child.exitCode !== null, LIMIT_MS);
  const isNothingLeft = (): Promise<unknown> =>
    eventually('nothing is left running', () => commandsNaming(folder).length === 0, 10_000);

  it('--until-healthy ends with 0 once the sample is Healthy, and leaves neither a process nor a file', async () => {
    const run = start(['--until-healthy', '--speed', '10']);
    expect(await run.exited, run.output()).to.equal(0);
    expect(run.output())
      .to.match(/default\/demo is Healthy/)
      .and.to.match(/kubectl scale mkv\/demo --replicas=5/);
    await isNothingLeft();
    expect(readdirSync(folder).filter((name) => name.startsWith('marekvs-start-'))).to.deep.equal([]);
  });

  it('--until-healthy ends with 1 and the reason when the deadline comes first', async () => {
    // These members are never ready, so that even a slow machine reaches the deadline first.
    const mute = join(folder, 'mute');
    await writeFile(mute, '#!/bin/sh\nexec sleep 600\n');
    await chmod(mute, 0o755);
    const run = start(['--until-healthy', '--deadline-seconds', '1', '--member', mute]);
    expect(await run.exited, run.output()).to.equal(1);
    expect(run.output()).to.match(/default\/demo is not Healthy \(limit 1 s\): ./);
    await isNothingLeft();
  });

  it('--member runs any program that reads the environment of a Pod', async () => {
    const program = join(folder, 'marekvs-server');
    const member = madeProgram('member') ?? join(projectRoot, 'packages/simulator/src/bin/member.ts');
    await writeFile(
      program,
      `#!/bin/sh\nSIMULATOR_SPEED=10 exec ${process.execPath} --conditions=development ${member}\n`,
    );
    await chmod(program, 0o755);
    const run = start(['--until-healthy', '--member', program]);
    expect(await run.exited, run.output()).to.equal(0);
  });

  it('--member with a program that does not exist ends with exit code 2', async () => {
    const run = start(['--member', join(folder, 'none')]);
    expect(await run.exited).to.equal(2);
    expect(run.output()).to.match(/--member .*none: not an executable file/);
  });

  it('ends with exit code 2 when KUBEBUILDER_ASSETS is incomplete', async () => {
    const run = start([], { KUBEBUILDER_ASSETS: folder });
    expect(await run.exited).to.equal(2);
    expect(run.output()).to.match(/KUBEBUILDER_ASSETS=.* has no etcd, kube-apiserver, kubectl/);
  });

  describe('while one runs', () => {
    let first: Run;

    before(async () => {
      first = start(['--speed', '10']);
      await upTo(first, 'Try in another terminal');
    });

    it('a second one says so and ends with exit code 3', async () => {
      const second = start([]);
      expect(await second.exited).to.equal(3);
      expect(second.output()).to.match(/npm start is already running: process \d+ since .* its kubeconfig is \//);
      expect(first.child.exitCode).to.equal(null);
    });

    it('Ctrl-C ends it with 0 and leaves nothing running', async () => {
      first.child.kill('SIGINT');
      expect(await first.exited, first.output()).to.equal(0);
      expect(first.output())
        .to.match(/Ending: Ctrl-C/)
        .and.to.match(/Stopped: nothing is left running/);
      await isNothingLeft();
    });
  });

  it('leaves nothing running when it is told to end while it starts', async () => {
    const run = start([]);
    await upTo(run, 'Starting etcd');
    run.child.kill('SIGTERM');
    expect(await run.exited, run.output()).to.equal(130);
    await isNothingLeft();
  });

  it('stops everything when its launcher is killed with SIGKILL', async () => {
    const run = start(['--speed', '10']);
    await upTo(run, 'Try in another terminal');
    expect(commandsNaming(folder)).to.have.length.at.least(3);
    run.child.kill('SIGKILL');
    await isNothingLeft();
  });
});

/** Living processes whose command line or environment names the folder. */
function commandsNaming(dir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        if (command === '') return [];
        return `${command}${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(dir) ? [command] : [];
      } catch {
        return [];
      }
    });
}
