// What an API server gets when it asks the local kubelet for the log of a container, and that nobody else gets it.
import { mkdirSync, rmSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createAuthority } from '../src/control-plane/users.ts';
import { KUBELET_PORT, type LogServer, lastLines, startLogServer } from '../src/kubelet/server/log-server.ts';
import { type LoopbackRange, reserveLoopbackRange } from '../src/processes/ports.ts';

describe('the logs of the local kubelet', () => {
  let folder: string;
  let range: LoopbackRange;
  let server: LogServer;
  let host: string;
  let log: string;
  const FIRST_LIFE = 'one\ntwo\n';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'marekvs-logs-'));
    log = join(folder, 'member.log');
    await writeFile(log, `${FIRST_LIFE}three\nfour\n`);
    await createAuthority(folder);
    range = await reserveLoopbackRange();
    host = `127.${range.octet}.254.1`;
    server = await startLogServer(folder, [host], (namespace, pod, isPrevious) => {
      if (pod === 'demo-1') return { waitsFor: 'CreateContainerConfigError' };
      if (`${namespace}/${pod}` !== 'default/demo-0') return undefined;
      return isPrevious
        ? { path: log, from: 0, to: FIRST_LIFE.length }
        : { path: log, from: FIRST_LIFE.length, to: undefined };
    });
  });
  after(async () => {
    await server.close();
    await range.release();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = async (path: string, certificate: string | undefined = 'kubelet-client'): Promise<IncomingMessage> => {
    const ca = await readFile(join(folder, 'ca.crt'));
    const read = (ending: string) =>
      certificate === undefined ? undefined : readFile(join(folder, `${certificate}.${ending}`));
    const [cert, key] = await Promise.all([read('crt'), read('key')]);
    return new Promise((resolve, reject) =>
      request({ host, port: KUBELET_PORT, path, ca, cert, key, servername: 'localhost' }, resolve)
        .once('error', reject)
        .end(),
    );
  };
  const answer = async (path: string): Promise<readonly [number | undefined, string]> => {
    const response = await ask(path);
    return [response.statusCode, await text(response)];
  };

  it('are those of the running container, only its last lines, or those of the previous container', async () => {
    expect(await answer('/containerLogs/default/demo-0/marekvs')).to.deep.equal([200, 'three\nfour\n']);
    expect(await answer('/containerLogs/default/demo-0/marekvs?tailLines=1')).to.deep.equal([200, 'four\n']);
    expect(await answer('/containerLogs/default/demo-0/marekvs?limitBytes=3')).to.deep.equal([200, 'thr']);
    expect(await answer('/containerLogs/default/demo-0/marekvs?previous=true')).to.deep.equal([200, FIRST_LIFE]);
  });

  it('can be followed as lines are written', async () => {
    const response = await ask('/containerLogs/default/demo-0/marekvs?tailLines=0&follow=true');
    await appendFile(log, 'five\n');
    for await (const chunk of response) {
      expect(String(chunk)).to.equal('five\n');
      break;
    }
  });

  it('end when what was followed cannot be read any more, and others are served', async () => {
    const response = await ask('/containerLogs/default/demo-0/marekvs?tailLines=0&follow=true');
    rmSync(log);
    // Longer than the log was, and nothing that can be read.
    mkdirSync(log);
    const isCut = await text(response).then(
      () => false,
      () => true,
    );
    await rm(log, { recursive: true });
    await writeFile(log, `${FIRST_LIFE}three\nfour\n`);
    expect([isCut, (await answer('/containerLogs/default/demo-0/marekvs'))[1]]).to.deep.equal([true, 'three\nfour\n']);
  });

  it('of a container that does not exist are refused with the sentence of a real kubelet', async () => {
    expect(await answer('/containerLogs/default/demo-9/marekvs')).to.deep.equal([
      400,
      'container "marekvs" in pod "demo-9" not found',
    ]);
    expect(await answer('/containerLogs/default/demo-1/marekvs')).to.deep.equal([
      400,
      'container "marekvs" in pod "demo-1" is waiting to start: CreateContainerConfigError',
    ]);
    expect((await answer('/pods'))[0]).to.equal(404);
  });

  it('are served only to the API server', async () => {
    const failed = await ask('/containerLogs/default/demo-0/marekvs', 'serving').then(
      ({ statusCode }) => statusCode,
      () => 'no connection',
    );
    expect(failed).to.be.oneOf([401, 'no connection']);
  });

  it('can be limited to a number of last lines', () => {
    const lines = (count: number | undefined, from = 'a\nb\nc\n') => String(lastLines(Buffer.from(from), count));
    expect([lines(2), lines(0), lines(9), lines(undefined), lines(1, 'a\n'), lines(2, '')]).to.deep.equal([
      'b\nc\n',
      '',
      'a\nb\nc\n',
      'a\nb\nc\n',
      'a\n',
      '',
    ]);
  });
});
