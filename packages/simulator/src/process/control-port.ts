// The test's back door to one member process: read and set knobs, freeze, wipe, kill
// (docs/design/server.md#a-simulated-member).
//   GET /knobs      POST /knobs {"metrics":"hang"}      POST /freeze?ms=3000      POST /wipe      POST /kill

import fs from 'node:fs';
import type { HttpAnswer } from '../member/http/http-answers.ts';
import type { SimulatedMember } from '../member/member.ts';
import { hostOf, portOf } from '../member/settings/settings.ts';
import { type HttpRequest, openHttpPort } from './http-port.ts';
import type { OpenPort } from './listener.ts';
import type { Place } from './place.ts';

const json = (status: HttpAnswer['status'], value: unknown): HttpAnswer => ({
  status,
  contentType: 'application/json',
  body: `${JSON.stringify(value)}\n`,
});

const maxFreezeMs = 60_000;

export function openControlPort(
  address: string,
  member: SimulatedMember,
  place: Pick<Place, 'run' | 'freeze' | 'kill'>,
  onError: (error: Error) => void,
): OpenPort {
  return openHttpPort({
    host: hostOf(address),
    port: portOf(address),
    onError,
    run: place.run,
    answer: (request) => control(member, place, request),
  });
}

function control(
  member: SimulatedMember,
  place: Pick<Place, 'freeze' | 'kill'>,
  { target, body }: HttpRequest,
): HttpAnswer {
  const [path, query] = target.split('?', 2);
  switch (path) {
    case '/knobs':
      return body === '' ? json(200, member.knobs) : setKnobs(member, body);
    case '/freeze':
      setImmediate(() => place.freeze(freezeMs(new URLSearchParams(query).get('ms'))));
      return json(200, {});
    case '/wipe':
      setImmediate(() => {
        fs.rmSync(member.settings.dataDir, { recursive: true, force: true });
        place.kill();
      });
      return json(200, {});
    case '/kill':
      setImmediate(() => place.kill());
      return json(200, {});
    default:
      return json(404, { error: `no control at ${path ?? ''}` });
  }
}

function freezeMs(text: string | null): number {
  return Math.min(Math.max(0, Number(text ?? 0) || 0), maxFreezeMs);
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
