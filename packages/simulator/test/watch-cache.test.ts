// The rule of watch-cache.ts, line by line: what a server that is behind may answer, and what it may not.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemoryApiServer, openWatch, START_WALL_MS, seededRandom, VirtualClock, WatchCache } from '../src/index.ts';

const INITIAL = '/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=300';

function behind(keepsPromise = true) {
  const clock = new VirtualClock();
  const server = new MemoryApiServer({ nowMs: () => START_WALL_MS + clock.now(), random: seededRandom(1) });
  server.create('namespaces', { metadata: { name: 'default' } });
  const create = (name: string) => server.create('pods', { metadata: { name, namespace: 'default' } });
  const cache = new WatchCache({ server, resource: 'pods', keepsPromise });
  create('a');
  const past = server.version;
  server.remove('pods', { namespace: 'default', name: 'a' });
  create('a');
  create('b');
  cache.holdAt(past);
  const lines: string[] = [];
  const open = (path: string, oldestVersion = 0) =>
    openWatch({
      server,
      clock,
      path,
      lagMs: () => 0,
      cache,
      oldestVersion: () => oldestVersion,
      onOpen: () => lines.push('open'),
      onRefused: ({ code, causes }) => lines.push(`refused ${code} ${causes[0]?.reason}`),
      onLine(line) {
        const { type, object } = JSON.parse(line);
        lines.push(`${type} ${object.metadata?.name ?? object.metadata?.resourceVersion ?? object.code}`);
      },
      onEnd: () => lines.push('end'),
    });
  const from = (version: number) => `/api/v1/pods?watch=true&resourceVersion=${version}&timeoutSeconds=300`;
  return { clock, server, cache, past, lines, open, from, create };
}

describe('a stream from a server that is behind', () => {
  it('does not begin with a state older than the request, but is refused after three seconds', () => {
    const { clock, lines, open } = behind();
    open(INITIAL);
    clock.advance(2_999);
    expect(lines).to.deep.equal([]);
    clock.advance(1);
    expect(lines).to.deep.equal(['refused 504 ResourceVersionTooLarge']);
  });

  it('begins with the state of the request as soon as the server has caught up', () => {
    const { clock, server, cache, lines, open } = behind();
    open(INITIAL);
    const asked = server.version;
    clock.advance(1_000);
    cache.holdAt(asked);
    clock.advance(1);
    expect(lines).to.deep.equal(['open', 'ADDED a', 'ADDED b', `BOOKMARK ${asked}`]);
  });

  it('from a version on has, with a delay, what came after it, and nothing up to it', () => {
    const { clock, server, cache, past, lines, open, from } = behind();
    open(from(past + 3));
    clock.advance(70_000);
    expect(lines, 'not even a bookmark of the past').to.deep.equal(['open']);
    cache.release();
    clock.advance(1);
    expect(lines).to.deep.equal(['open', 'ADDED b']);
    clock.advance(60_000);
    expect(lines.at(-1)).to.equal(`BOOKMARK ${server.version}`);
  });

  it('stays open without events while the server gets none, and then has all in order', () => {
    const { clock, cache, past, lines, open, from, create } = behind();
    open(from(past));
    create('c');
    clock.advance(50_000);
    expect(lines).to.deep.equal(['open']);
    cache.holdAt(past + 1);
    clock.advance(1);
    cache.release();
    clock.advance(1);
    expect(lines).to.deep.equal(['open', 'MODIFIED a', 'DELETED a', 'ADDED a', 'ADDED b', 'ADDED c']);
  });

  it('ends with 410 when the server does not remember the version any more', () => {
    const { clock, past, lines, open, from } = behind();
    open(from(past), past + 1);
    clock.advance(1);
    expect(lines).to.deep.equal(['open', 'ERROR 410', 'end']);
  });

  it('begins with an older state only when the promise is broken on purpose', () => {
    const { clock, cache, past, lines, open } = behind(false);
    open(INITIAL);
    clock.advance(1);
    expect(lines).to.deep.equal(['open', 'ADDED a', `BOOKMARK ${past}`]);
    cache.release();
    clock.advance(1);
    expect(lines.slice(3)).to.deep.equal(['MODIFIED a', 'DELETED a', 'ADDED a', 'ADDED b']);
  });
});
