import fs from 'node:fs';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Version } from '../src/index.ts';
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

  it('gives back what was stored, with what merges and what expires', () => {
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
    const first = openFolder(dir, fail);
    for (const version of versions) first.storeVersion(version);
    first.close();
    // Twice: opening writes the log anew.
    openFolder(dir, fail).close();
    const last = openFolder(dir, fail);
    expect([...last.loadVersions()]).to.deep.equal(versions);
    last.close();
  });
});
