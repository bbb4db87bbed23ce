import fs from 'node:fs';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { FolderLockedError, type Version } from '../src/index.ts';
import { openFolder } from '../src/process/folder.ts';
import { createFolder } from './process-support.ts';

describe('the data folder of a member process', () => {
  let dir = '';
  const fail = (error: Error) => {
    throw error;
  };
  beforeEach(() => {
    dir = createFolder();
  });
  afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

  it('gives back all stored records, including those that merge or expire', () => {
    const versions: readonly Version[] = [
      { key: 'plain', clock: 1, origin: 1, value: 'v', isDead: false },
      { key: 'dead', clock: 2, origin: 1, value: '', isDead: true },
      { key: 'brief', clock: 3, origin: 2, value: 'v', isDead: false, expiresAtMs: 1_795_262_237_000 },
      {
        key: 'counter',
        clock: 4,
        origin: 2,
        value: '5',
        isDead: false,
        merged: {
          kind: 'counter',
          base: { clock: 1, origin: 1, value: 4 },
          slots: [{ id: 2, increments: 3, decrements: 2 }],
        },
      },
    ];
    const locks = new Set<string>();
    const first = openFolder(dir, fail, locks);
    for (const version of versions) first.storeVersion(version);
    first.close();
    // Twice, because opening rewrites the log.
    openFolder(dir, fail, locks).close();
    const last = openFolder(dir, fail, locks);
    expect([...last.loadVersions()]).to.deep.equal(versions);
    last.close();
  });

  it('loses what was not in the files yet when its process is killed, and can be used by the next process', () => {
    const locks = new Set<string>();
    const version = (key: string): Version => ({ key, clock: 1, origin: 1, value: 'v', isDead: false });
    const killed = openFolder(dir, fail, locks);
    killed.storeVersion(version('flushed'));
    killed.flush();
    killed.storeVersion(version('pending'));
    killed.abandon();
    const next = openFolder(dir, fail, locks);
    expect([...next.loadVersions()].map(({ key }) => key)).to.deep.equal(['flushed']);
    next.close();
  });

  it('cannot be used by a second member of the same process', () => {
    const locks = new Set<string>();
    const first = openFolder(dir, fail, locks);
    expect(() => openFolder(dir, fail, locks)).to.throw(FolderLockedError);
    first.close();
    openFolder(dir, fail, locks).close();
  });
});
