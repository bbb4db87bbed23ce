import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { startControlPlane } from '../src/control-plane/control-plane.ts';
import { waitUntilReady } from '../src/control-plane/readiness.ts';
import { DiskFullError, PortInUseError, ProgramFailedError } from '../src/errors.ts';
import { findDiskFull, requireSpace } from '../src/processes/disk.ts';
import { findFreePort, requireFreePort, reserveLoopbackRange } from '../src/processes/ports.ts';
import { isSameProcess, processStartTicks } from '../src/processes/process-identity.ts';
import { takeLock } from '../src/processes/process-lock.ts';
import { createProcessGroup } from '../src/processes/processes.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'testbed-unit-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('did not fail'),
    (err: unknown) => err,
  );
}

/** A process of its own that has taken the lock; resolves once it has. */
async function otherHolder(path: string): Promise<ChildProcess> {
  const module = new URL('../src/processes/process-lock.ts', import.meta.url).href;
  const script = `const { takeLock } = await import(${JSON.stringify(module)});
    const { kind } = await takeLock(${JSON.stringify(path)});
    process.stdout.write(kind);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--conditions=development', '--input-type=module', '-e', script]);
  const [said] = await once(child.stdout, 'data');
  expect(String(said)).to.equal('held');
  return child;
}

describe('a lock of one process at a time', () => {
  it('is refused while its holder lives, with the name of the holder', async () => {
    const path = join(folder, 'a.lock');
    const first = await takeLock(path, 'kubeconfig at /x');
    const second = await takeLock(path);
    expect(first.kind).to.equal('held');
    expect(second.kind === 'taken' && [second.holder?.pid, second.holder?.note]).to.deep.equal([
      process.pid,
      'kubeconfig at /x',
    ]);
    if (first.kind === 'held') first.release();
    const third = await takeLock(path);
    expect(third.kind).to.equal('held');
    if (third.kind === 'held') third.release();
  });

  it('is refused while another process has it, and free once that was killed', async () => {
    const path = join(folder, 'b.lock');
    const other = await otherHolder(path);
    const refused = await takeLock(path);
    expect(refused.kind === 'taken' && refused.holder?.pid).to.equal(other.pid);
    const ended = once(other, 'close');
    other.kill('SIGKILL');
    await ended;
    const outcome = await takeLock(path);
    expect(outcome.kind).to.equal('held');
    if (outcome.kind === 'held') outcome.release();
  });

  it('says that nobody is known when its note holds garbage', async () => {
    const path = join(folder, 'c.lock');
    const first = await takeLock(path);
    await writeFile(path, 'garbage');
    expect(await takeLock(path)).to.deep.equal({ kind: 'taken', holder: undefined });
    if (first.kind === 'held') first.release();
  });

  it('is won by exactly one of many who want it when its last holder has gone', async () => {
    const path = join(folder, 'd.lock');
    const gone = await takeLock(path);
    if (gone.kind === 'held') gone.release();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => takeLock(path)));
    const held = outcomes.filter((outcome) => outcome.kind === 'held');
    expect(held).to.have.length(1);
    for (const outcome of held) outcome.release();
  });
});

describe('ports', () => {
  it('are refused with their number when somebody listens on them', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const err = await errorOf(requireFreePort('kube-apiserver', '127.0.0.1', port));
      expect(err).to.be.instanceOf(PortInUseError);
      expect(String(err)).to.match(new RegExp(`start kube-apiserver: port ${port} on 127.0.0.1 is in use`));
      const programs = {
        etcd: '/none',
        apiServer: '/none',
        kubectl: '/none',
        controllerManager: undefined,
        controllerManagerMissing: undefined,
      };
      expect(
        await errorOf(startControlPlane({ dir: join(folder, 'cp'), programs, apiServerPort: port })),
      ).to.be.instanceOf(PortInUseError);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('come from a range of 127.0.0.0/8 that two testbeds never share', async () => {
    const first = await reserveLoopbackRange(20);
    const second = await reserveLoopbackRange(first.octet);
    expect(second.octet).not.to.equal(first.octet);
    await first.release();
    const third = await reserveLoopbackRange(first.octet);
    expect(third.octet).to.equal(first.octet);
    await Promise.all([second.release(), third.release()]);
  });
});

describe('the check for room on the disk', () => {
  it('fails with both figures below what is needed, and passes with exactly that', async () => {
    const mib = 1024 * 1024;
    const err = await errorOf(requireSpace(folder, 512 * mib, () => Promise.resolve(512 * mib - 1)));
    expect(err).to.be.instanceOf(DiskFullError);
    expect(String(err)).to.match(/511 MiB are free, 512 MiB are needed/);
    await requireSpace(folder, 512 * mib, () => Promise.resolve(512 * mib));
  });

  it('is made before the control plane starts anything', async () => {
    const programs = {
      etcd: '/none',
      apiServer: '/none',
      kubectl: '/none',
      controllerManager: undefined,
      controllerManagerMissing: undefined,
    };
    expect(
      await errorOf(startControlPlane({ dir: folder, programs, neededBytes: Number.MAX_SAFE_INTEGER })),
    ).to.be.instanceOf(DiskFullError);
  });

  for (const text of ['write /x: no space left on device', 'Error: ENOSPC: write', 'Disk quota exceeded']) {
    it(`recognizes a full disk in "${text}"`, () => {
      expect(findDiskFull(`started\n${text}\nbye`)).to.equal(text);
    });
  }
});

describe('a program that does not become ready', () => {
  async function startNode(script: string): Promise<unknown> {
    const group = createProcessGroup();
    try {
      const program = group.spawn({
        name: 'etcd',
        command: process.execPath,
        args: ['-e', script],
        env: {},
        logPath: join(folder, 'log'),
      });
      return await errorOf(waitUntilReady(program, { url: `http://127.0.0.1:${await findFreePort()}/` }, folder));
    } finally {
      await group.stopAll(0);
    }
  }

  it('is reported as a full disk when it says so', async () => {
    const err = await startNode('console.error("mkdir: no space left on device"); process.exit(1)');
    expect(err).to.be.instanceOf(DiskFullError);
    expect(String(err)).to.include(folder);
  });

  it('is reported with its exit code and its last lines otherwise', async () => {
    const err = await startNode('console.error("bad flag"); process.exit(3)');
    expect(err).to.be.instanceOf(ProgramFailedError);
    expect(String(err))
      .to.match(/etcd: ended with exit code 3/)
      .and.to.match(/bad flag/);
  });

  it('is reported when it cannot be started at all', async () => {
    const group = createProcessGroup();
    const program = group.spawn({
      name: 'etcd',
      command: join(folder, 'none'),
      args: [],
      env: {},
      logPath: join(folder, 'log'),
    });
    const err = await errorOf(waitUntilReady(program, { url: 'http://127.0.0.1:1/' }, folder));
    await group.stopAll(0);
    expect(String(err)).to.match(/could not be started: spawn .*ENOENT/);
  });
});

describe('processes', () => {
  it('that ignore SIGTERM are killed after the grace period', async () => {
    const group = createProcessGroup();
    const script =
      'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); require("fs").writeFileSync(process.env.UP, "")';
    const stubborn = group.spawn({
      name: 's',
      command: process.execPath,
      args: ['-e', script],
      env: { UP: join(folder, 'up') },
      logPath: join(folder, 'log'),
    });
    expect((await stubborn.stop(0)).signal).to.be.oneOf(['SIGKILL', 'SIGTERM']);
    expect(isSameProcess({ pid: stubborn.pid, startTicks: undefined })).to.equal(false);
    await group.stopAll();
  });

  it('are distinguished from later ones with the same pid by their start time', () => {
    const startTicks = processStartTicks(process.pid);
    expect(isSameProcess({ pid: process.pid, startTicks })).to.equal(true);
    expect(isSameProcess({ pid: process.pid, startTicks: (startTicks ?? 0) + 1 })).to.equal(false);
  });
});
