// The question for the permissions at start: for which answers the operator waits, and with which it ends.

import { ApiError, silentLogger, type Transport, TransportError } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { checkAccess } from '../src/api-server/access-check.ts';

const VERB = 'create';
const PATH = '/';
const refused = (status: number) => new ApiError({ verb: VERB, subject: 's', path: PATH, status, reason: 'No' });

/** How the check ends when the API server answers with these errors first, and how often it was asked by then. */
async function checked(...errors: readonly Error[]): Promise<readonly [unknown, number]> {
  const clock = createManualClock();
  let asked = 0;
  const request = async () => {
    const error = errors[asked];
    asked += 1;
    if (error !== undefined) throw error;
    return { status: { incomplete: true } };
  };
  const transport = { request } as Partial<Transport> as Transport;
  const { signal } = new AbortController();
  const ended = checkAccess({ transport, namespace: 'default', clock, logger: silentLogger }, signal).then(
    () => 'fine',
    (error: unknown) => error,
  );
  await clock.run(60_000);
  return [await ended, asked];
}

describe('the permissions at start', () => {
  const away: readonly (readonly [string, Error])[] = [
    ['is not reached', new TransportError('no', { verb: VERB, path: PATH, phase: 'connect' })],
    ['has failed', refused(503)],
    ['has too much to do', refused(429)],
  ];
  for (const [title, error] of away)
    it(`are asked for again while the API server ${title}`, async () => {
      expect(await checked(error, error)).to.deep.equal(['fine', 3]);
    });

  for (const status of [401, 403])
    it(`end the operator when the API server answers with ${status}`, async () => {
      const error = refused(status);
      expect(await checked(error)).to.deep.equal([error, 1]);
    });
});
