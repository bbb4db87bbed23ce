import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  filesOfShard,
  type Jobs,
  type JourneyFile,
  journeyFile,
  parseJobs,
  parseShard,
  runJourneyFiles,
} from '../src/journeys/journey-files.ts';

const never = new AbortController().signal;
const together = (path: string, sizeBytes = 1): JourneyFile => ({
  path,
  runsAlone: false,
  runsFirst: false,
  isOwner: false,
  sizeBytes,
});
const long = (path: string): JourneyFile => ({ ...together(path), runsFirst: true });
const forEver: Promise<unknown> = new Promise(() => undefined);
const toJobs = (jobs: number | Jobs): Jobs => (typeof jobs === 'number' ? { count: jobs, more: 0 } : jobs);
/** All that can go on now has gone on. */
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const alone = (path: string): JourneyFile => ({ ...together(path), runsAlone: true });

type Stage = Pick<Parameters<typeof runJourneyFiles>[1], 'signal' | 'room' | 'ready'>;

/** Runs files without processes: shows what was started, and can end each. */
async function stage(files: readonly JourneyFile[], jobs: number | Jobs, given: Partial<Stage> = {}) {
  const { signal = never, room = forEver, ready = Promise.resolve() } = given;
  const open = new Map<string, () => void>();
  const started: string[] = [];
  const runOne = ({ path }: JourneyFile): Promise<void> => {
    started.push(path);
    const { promise, resolve } = Promise.withResolvers<void>();
    open.set(path, resolve);
    return promise;
  };
  const all = runJourneyFiles(files, { jobs: toJobs(jobs), ready, room, runOne, signal });
  await turn();
  return {
    all,
    started,
    running: () => [...open.keys()],
    /** Resolves when the next files have been started. */
    async end(path: string): Promise<void> {
      open.get(path)?.();
      open.delete(path);
      await turn();
    },
  };
}

describe('a journey file', () => {
  it('runs alone when a line of its opening comment says why', () => {
    const text = '// What one cluster costs.\n// Runs alone: it measures CPU.\n\nimport x from "y";\n';
    expect(journeyFile('a', text)).to.deep.equal({
      path: 'a',
      runsAlone: true,
      runsFirst: false,
      isOwner: true,
      sizeBytes: text.length,
    });
    expect(journeyFile('a', text.replace('alone', 'first'))).to.include({ runsAlone: false, runsFirst: true });
  });

  it('has an API server of its own when a line of its opening comment says why, or when it runs alone', () => {
    const of = (line: string) => journeyFile('a', `// About.\n${line}\n\nimport x;\n`).isOwner;
    expect(of('// Own API server: it stops it.')).to.equal(true);
    expect(of('// Runs alone: it measures.')).to.equal(true);
    expect(of('// Own API server:')).to.equal(false);
    expect(of('// Runs first: it takes long.')).to.equal(false);
  });

  it('runs beside others when these words are anywhere else, or give no reason', () => {
    for (const text of [
      '// About.\nimport x;\n// Runs alone: it measures CPU.\n',
      '// It says "Runs alone: it measures"\n',
      '// Runs alone:\n',
      '\n// Runs alone: it measures CPU.\n',
      '',
    ]) {
      expect(journeyFile('a', text).runsAlone, text).to.equal(false);
    }
  });
});

describe('journey files', () => {
  it('run as many at once as there are jobs, and the next one starts when one ends', async () => {
    const { all, running, started, end } = await stage([together('a'), together('b'), together('c')], 2);
    expect(running()).to.deep.equal(['a', 'b']);
    await end('b');
    expect(running()).to.deep.equal(['a', 'c']);
    await end('a');
    await end('c');
    await all;
    expect(started).to.deep.equal(['a', 'b', 'c']);
  });

  it('that run at once are in different lanes', async () => {
    const busy = new Set<number>();
    const runOne = async (_file: JourneyFile, lane: number): Promise<void> => {
      expect(busy.has(lane)).to.equal(false);
      busy.add(lane);
      await turn();
      busy.delete(lane);
    };
    await runJourneyFiles(
      ['a', 'b', 'c', 'd', 'e'].map((path) => together(path)),
      { jobs: { count: 2, more: 1 }, ready: Promise.resolve(), room: Promise.resolve(), runOne, signal: never },
    );
  });

  it('run more at once when there is room', async () => {
    const room = Promise.withResolvers<void>();
    const files = ['a', 'b', 'c', 'd'].map((path) => together(path));
    const { all, running, end } = await stage(files, { count: 1, more: 1 }, { room: room.promise });
    await end('a');
    expect(running()).to.deep.equal(['b']);
    room.resolve();
    await turn();
    expect(running()).to.deep.equal(['b', 'c']);
    for (const path of ['b', 'c', 'd']) await end(path);
    await all;
  });

  it('are over when all of them have ended, even if there was never room for more', async () => {
    const { all, end } = await stage([together('a')], { count: 1, more: 1 });
    await end('a');
    await all;
  });

  it('begin with those that take long, then with the largest', async () => {
    const { started, end } = await stage([together('a', 1), together('b', 3), together('c', 2), long('d')], 1);
    for (const path of ['d', 'b', 'c']) await end(path);
    expect(started).to.deep.equal(['d', 'b', 'c', 'a']);
  });

  it('that run alone are the first, one after the other, and the others wait for all of them', async () => {
    const { all, running, end } = await stage([together('a'), alone('x'), together('b'), alone('y')], 3);
    expect(running()).to.deep.equal(['x']);
    await end('x');
    expect(running()).to.deep.equal(['y']);
    await end('y');
    expect(running()).to.deep.equal(['a', 'b']);
    await end('b');
    await end('a');
    await all;
  });

  it('run side by side only when what some of them need has been built, for which those that run alone do not wait', async () => {
    const built = Promise.withResolvers<void>();
    const { all, running, end } = await stage([together('a'), alone('x')], 1, { ready: built.promise });
    expect(running()).to.deep.equal(['x']);
    await end('x');
    expect(running()).to.deep.equal([]);
    built.resolve();
    await turn();
    expect(running()).to.deep.equal(['a']);
    await end('a');
    await all;
  });

  it('are over without what they need when the signal is aborted', async () => {
    const controller = new AbortController();
    const { all, started } = await stage([together('a')], 1, { ready: forEver, signal: controller.signal });
    controller.abort();
    await all;
    expect(started).to.deep.equal([]);
  });

  it('are not started any more once the signal is aborted, and those that run are waited for', async () => {
    const controller = new AbortController();
    const files = [together('a'), together('b'), together('c')];
    const { all, started, end } = await stage(files, 2, { signal: controller.signal });
    let isOver = false;
    const over = all.then(() => {
      isOver = true;
    });
    controller.abort();
    await end('a');
    expect(isOver).to.equal(false);
    await end('b');
    await over;
    expect(started).to.deep.equal(['a', 'b']);
  });

  it('are not started after one that ran alone when the signal was aborted meanwhile', async () => {
    const controller = new AbortController();
    const { all, started, end } = await stage([together('a'), alone('x'), alone('y')], 2, {
      signal: controller.signal,
    });
    controller.abort();
    await end('x');
    await all;
    expect(started).to.deep.equal(['x']);
  });
});

describe('--jobs', () => {
  it('is 6 by default, and 8 where there is room; 2 on a single core', () => {
    expect([1, 2, 16].map((cores) => parseJobs(undefined, cores))).to.deep.equal([
      { count: 2, more: 0 },
      { count: 6, more: 2 },
      { count: 6, more: 2 },
    ]);
  });

  it('accepts 1 to 16 and refuses anything else in one line', () => {
    expect(['1', '16'].map((text) => parseJobs(text, 2))).to.deep.equal([
      { count: 1, more: 0 },
      { count: 16, more: 0 },
    ]);
    for (const text of ['0', '17', '-1', '1.5', '2x', '', ' 2', 'two']) {
      expect(parseJobs(text, 2), text).to.equal(`--jobs ${text}: a whole number from 1 to 16 is wanted`);
    }
  });
});

describe('shards of journey files', () => {
  const files = [
    ...Array.from({ length: 10 }, (_, index) => together(`t${index}`, 10 - index)),
    long('first'),
    ...['x', 'y', 'z'].map(alone),
  ];
  const pathsOf = (text: string, of: readonly JourneyFile[] = files): string[] => {
    const shard = parseShard(text);
    if (typeof shard === 'string') throw new Error(shard);
    return filesOfShard(of, shard).map(({ path }) => path);
  };

  it('together have every file once', () => {
    for (const count of [1, 2, 3, 16]) {
      const dealt = Array.from({ length: count }, (_, index) => pathsOf(`${index + 1}/${count}`)).flat();
      expect(dealt.toSorted(), `${count} shards`).to.deep.equal(files.map(({ path }) => path).toSorted());
    }
  });

  it('differ by at most one file, and by at most one that runs alone', () => {
    expect(pathsOf('1/3')).to.deep.equal(['first', 't2', 't5', 't8', 'x']);
    expect(pathsOf('2/3')).to.deep.equal(['t0', 't3', 't6', 't9', 'y']);
    expect(pathsOf('3/3')).to.deep.equal(['t1', 't4', 't7', 'z']);
  });

  it('are the same on every machine, in whatever order it lists the files', () => {
    expect(pathsOf('2/3', files.toReversed())).to.deep.equal(pathsOf('2/3'));
  });
});

describe('--shard', () => {
  it('is everything by default', () => {
    expect(parseShard(undefined)).to.deep.equal({ index: 1, count: 1 });
  });

  it('accepts k/n and refuses anything else in one line', () => {
    expect(parseShard('16/16')).to.deep.equal({ index: 16, count: 16 });
    for (const text of ['0/3', '4/3', '1/17', '1', '1/', '/3', '1/3/5', 'a/b', ' 1/3', '']) {
      expect(parseShard(text), text).to.equal(`--shard ${text}: k/n is wanted, such as 1/3, with n up to 16`);
    }
  });
});
