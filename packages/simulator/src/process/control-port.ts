// The test's back door to one member process: read and set knobs, freeze, wipe, kill (docs/design/server.md#a-simulated-member).
//   GET /knobs      POST /knobs {"metrics":"hang"}      POST /freeze?ms=3000      POST /wipe      POST /kill

import fs from 'node:fs';
import type net from 'node:net';
import type { HttpAnswer } from '../member/http-answers.ts';
import type { SimulatedMember } from '../member/member.ts';
import { hostOf, portOf } from '../member/settings.ts';
import { type HttpRequest, openHttpPort } from './http-port.ts';

const json = (status: HttpAnswer['status'], value: unknown): HttpAnswer => ({
  status,
  contentType: 'application/json',
  body: `${JSON.stringify(value)}\n`,
});

const maxFreezeMs = 60_000;

export function openControlPort(address: string, member: SimulatedMember, onError: (error: Error) => void): net.Server {
  return openHttpPort({
    host: hostOf(address),
    port: portOf(address),
    onError,
    answer: (request) => control(member, request),
  });
}

function control(member: SimulatedMember, { target, body }: HttpRequest): HttpAnswer {
  const [path, query] = target.split('?', 2);
  switch (path) {
    case '/knobs':
      return body === '' ? json(200, member.knobs) : setKnobs(member, body);
    case '/freeze':
      setImmediate(() => freeze(Number(new URLSearchParams(query).get('ms') ?? 0)));
      return json(200, {});
    case '/wipe':
      setImmediate(() => {
        fs.rmSync(member.settings.dataDir, { recursive: true, force: true });
        process.kill(process.pid, 'SIGKILL');
      });
      return json(200, {});
    case '/kill':
      setImmediate(() => process.kill(process.pid, 'SIGKILL'));
      return json(200, {});
    default:
      return json(404, { error: `no control at ${path ?? ''}` });
  }
}

function setKnobs(member: SimulatedMember, body: string): HttpAnswer {
  try {
    const changes: unknown = JSON.parse(body);
    if (typeof changes !== 'object' || changes === null || Array.isArray(changes)) throw new Error('want an object');
    member.setKnobs(Object.fromEntries(Object.entries(changes)));
    return json(200, member.knobs);
  } catch (error) {
    return json(500, { error: error instanceof Error ? error.message : String(error) });
  }
}

/** Stops the whole process like SIGSTOP: sockets stay open, nothing is answered, the generation stays the same. */
function freeze(ms: number): void {
  if (!(ms > 0)) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.min(ms, maxFreezeMs));
}
