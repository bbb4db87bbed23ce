// A connection to a member's mesh port counts among its peers, and the facts about that member include it.

import type { ContentClient, ContentReader } from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { observedContents } from '../src/comparisons/observed-contents.ts';

const ADDRESS = { host: '10.0.0.2' };

function rig(open: () => Promise<ContentReader>) {
  const observed: string[] = [];
  const sampler = {
    observe(ip: string) {
      observed.push(`+${ip}`);
      return () => void observed.push(`-${ip}`);
    },
  };
  const client: ContentClient = { open };
  return { observed, contents: observedContents(client, sampler) };
}

/** A reader that has state of its own. */
class Reader {
  readonly #digest = '\0'.repeat(256);
  isClosed = false;
  async digests(partitions: readonly number[]) {
    return partitions.map(() => this.#digest);
  }
  async entries() {
    return new Map();
  }
  async records() {
    return new Map();
  }
  async stream() {
    return undefined;
  }
  close() {
    this.isClosed = true;
  }
}

describe('a reader of contents', () => {
  it('counts as an observer of the member from before it connects until it is closed', async () => {
    const during: string[][] = [];
    const reader = new Reader();
    const { observed, contents } = rig(async () => {
      during.push([...observed]);
      return reader as unknown as ContentReader;
    });
    const open = await contents.open(ADDRESS, { nodeId: 1 });
    expect(during).to.deep.equal([['+10.0.0.2']]);
    expect(await open.digests([1, 2])).to.have.lengthOf(2);
    expect((await open.entries(1, [2], '')).size).to.equal(0);
    expect(observed).to.deep.equal(['+10.0.0.2']);
    open.close();
    expect([observed, reader.isClosed]).to.deep.equal([['+10.0.0.2', '-10.0.0.2'], true]);
  });
  it('no longer counts when the connection could not be made', async () => {
    const refused = new Error('refused');
    const { observed, contents } = rig(() => Promise.reject(refused));
    const error = await contents.open(ADDRESS, { nodeId: 1 }).catch((thrown: unknown) => thrown);
    expect(error).to.equal(refused);
    expect(observed).to.deep.equal(['+10.0.0.2', '-10.0.0.2']);
  });
});
