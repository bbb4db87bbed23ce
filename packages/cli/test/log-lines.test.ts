// Lines of a log: empty ones, and the last one, which may be cut.

import { createTransport } from '@marekvs/runtime';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type ScriptedApiServer, startScriptedApiServer } from '../../runtime/test/support/scripted-api-server.ts';
import type { Run } from '../src/connection/cli.ts';
import { readLog } from '../src/members/logs.ts';

const POD = { namespace: 'default', name: 'demo-0' };

describe('a log', () => {
  let server: ScriptedApiServer;

  beforeEach(async () => {
    server = await startScriptedApiServer();
  });

  afterEach(() => server.close());

  async function read(text: string): Promise<readonly string[]> {
    const transport = createTransport(server.access, { userAgent: 'test/1' });
    const { signal } = new AbortController();
    const run = { connect: async () => ({ transport }), ports: { signal } } as unknown as Run;
    const lines: string[] = [];
    const reading = readLog(run, POD, { tail: 20, maxBytes: 7 }, (line) => lines.push(line));
    const log = (await server.next()).openWatch();
    await log.raw(text);
    log.end();
    await reading;
    await transport.close();
    return lines;
  }

  it('is read with its empty lines', async () => {
    expect(await read('one\n\n\ntwo\n')).to.deep.equal(['one', '', '', 'two']);
  });

  it('is read without a last line that lacks its line feed', async () => {
    expect(await read('one\ntwo')).to.deep.equal(['one']);
  });
});
