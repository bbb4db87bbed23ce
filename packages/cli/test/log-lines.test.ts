// Lines of a log: empty ones, and the last one, which may lack its line feed.

import { createTransport } from '@marekvs/runtime';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type ScriptedApiServer, startScriptedApiServer } from '../../runtime/test/support/scripted-api-server.ts';
import type { Run } from '../src/connection/cli.ts';
import { type LogOptions, readLog } from '../src/members/logs.ts';

const POD = { namespace: 'default', name: 'demo-0' };

describe('a log', () => {
  let server: ScriptedApiServer;

  beforeEach(async () => {
    server = await startScriptedApiServer();
  });

  afterEach(() => server.close());

  async function read(options: LogOptions, text = 'one\ntwo'): Promise<readonly string[]> {
    const transport = createTransport(server.access, { userAgent: 'test/1' });
    const { signal } = new AbortController();
    const run = { connect: async () => ({ transport }), ports: { signal } } as unknown as Run;
    const lines: string[] = [];
    const reading = readLog(run, POD, options, (line) => lines.push(line));
    const log = (await server.next()).openWatch();
    await log.raw(text);
    log.end();
    await reading;
    await transport.close();
    return lines;
  }

  it('is read with its empty lines', async () => {
    expect(await read({ tail: 20 }, 'one\n\n\ntwo\n')).to.deep.equal(['one', '', '', 'two']);
  });

  it('is read to its end, also without a last line feed', async () => {
    expect(await read({ tail: 20 })).to.deep.equal(['one', 'two']);
  });

  it('is read without that line when it may be cut at a size', async () => {
    expect(await read({ tail: 20, maxBytes: 7 })).to.deep.equal(['one']);
  });
});
