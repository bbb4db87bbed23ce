// What one question to a member found, as the planner reads it, and the log lines for an administrator.

import type { LogFields, Logger } from '@marekvs/runtime';
import {
  digestOfNodes,
  type MemberMetrics,
  type MemberPoll,
  StoreAuthError,
  type StoreClient,
  StoreProtocolError,
  StoreUnreachableError,
} from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createProblemLog } from '../src/caches/cache-problem-log.ts';
import { createProbe } from '../src/members/probe.ts';

const METRICS = { isFresh: true } as MemberMetrics;
const answered = { kind: 'answered', value: METRICS } as MemberPoll['metrics'];
const failed = <E>(error: E) => ({ kind: 'failed' as const, error });
const refused = new StoreUnreachableError('refused', 'connection refused');
const timeout = new StoreUnreachableError('timeout', 'no answer in 2000 ms');
const garbage = new StoreProtocolError('not a RESP reply');
const unauthorized = new StoreAuthError('wrongPassword');

const ask = (poll: { readonly metrics: unknown; readonly view: unknown }) => {
  const store = { poll: async () => poll };
  const probe = createProbe(store as Partial<Record<keyof StoreClient, unknown>> as StoreClient);
  return probe({ host: '127.0.0.1' }, new AbortController().signal);
};

describe('a question to a member', () => {
  const nodes = [
    { id: 0, generation: 5, primarySlots: 8192, rangeCount: 1, slotsDigest: '00000000000000aa' },
    { id: 1, generation: 6, primarySlots: 0, rangeCount: 0, slotsDigest: '0000000000000000' },
  ];
  const view = { kind: 'answered', value: { nodes } };

  it('finds it serving when it shows its list, including which members have primaries', async () => {
    expect(await ask({ metrics: answered, view })).to.deep.equal({
      kind: 'serving',
      view: [
        { id: 0, generation: 5, hasPrimaries: true, primaryPartitions: 2_048 },
        { id: 1, generation: 6, hasPrimaries: false, primaryPartitions: 0 },
      ],
      digest: digestOfNodes(nodes as never),
      metrics: METRICS,
    });
  });
  it('finds that it wants a password when it accepted the given one, and not because one was given', async () => {
    const askGuarded = async (isTaken: boolean) => {
      const store = {
        async poll(_address: unknown, { onGuarded }: { readonly onGuarded: () => void }) {
          if (isTaken) onGuarded();
          return { metrics: answered, view };
        },
      };
      const probe = createProbe(store as Partial<Record<keyof StoreClient, unknown>> as StoreClient);
      return probe({ host: '127.0.0.1', password: 'x' }, new AbortController().signal);
    };
    const found = [await askGuarded(true), await askGuarded(false)];
    expect(found.map((one) => 'isGuarded' in one)).to.deep.equal([true, false]);
  });
  it('finds it serving also without its metrics', async () => {
    expect(await ask({ metrics: failed(timeout), view })).to.deep.include({ kind: 'serving', metrics: undefined });
  });
  it('finds it joining when its metrics answer and nothing listens for commands', async () => {
    expect(await ask({ metrics: answered, view: failed(refused) })).to.deep.equal({
      kind: 'joining',
      metrics: METRICS,
    });
  });

  describe('of which nobody reaches the port for commands', () => {
    /** What it was asked for, and what was found. */
    async function askSealed(metrics: () => Promise<MemberMetrics>) {
      const asked: string[] = [];
      const unasked = (what: string) => async () => {
        asked.push(what);
        throw refused;
      };
      const store = {
        poll: unasked('poll'),
        nodes: unasked('nodes'),
        glance: unasked('glance'),
        metrics: () => {
          asked.push('metrics');
          return metrics();
        },
      };
      const probe = createProbe(store as Partial<Record<keyof StoreClient, unknown>> as StoreClient);
      const found = await probe({ host: '127.0.0.1' }, new AbortController().signal, { onlyFigures: true });
      return { asked, found };
    }

    it('is for its figures alone', async () => {
      const { asked, found } = await askSealed(async () => METRICS);
      expect([asked, found]).to.deep.equal([['metrics'], { kind: 'figures', metrics: METRICS }]);
    });
    it('finds it silent without these', async () => {
      const { asked, found } = await askSealed(async () => Promise.reject(timeout));
      expect(asked).to.deep.equal(['metrics']);
      expect(found).to.deep.include({ kind: 'silent', isInvalid: false, isUnauthorized: false });
    });
  });

  const silent = [
    {
      name: 'neither port answers',
      poll: { metrics: failed(refused), view: failed(refused) },
      isInvalid: false,
      isUnauthorized: false,
    },
    {
      name: 'commands are not answered in time',
      poll: { metrics: answered, view: failed(timeout) },
      isInvalid: false,
      isUnauthorized: false,
    },
    {
      name: 'the password is refused',
      poll: { metrics: answered, view: failed(unauthorized) },
      isInvalid: false,
      isUnauthorized: true,
    },
    {
      name: 'commands are answered with garbage',
      poll: { metrics: answered, view: failed(garbage) },
      isInvalid: true,
      isUnauthorized: false,
    },
    {
      name: 'metrics are garbage and nobody listens for commands',
      poll: { metrics: failed(garbage), view: failed(refused) },
      isInvalid: true,
      isUnauthorized: false,
    },
  ];
  for (const { name, poll, isInvalid, isUnauthorized } of silent) {
    it(`finds it silent${isInvalid ? ', and not marekvs,' : ''} when ${name}`, async () => {
      expect(await ask(poll)).to.deep.include({ kind: 'silent', isInvalid, isUnauthorized });
    });
  }
  it('returns the figures of a member that accepts no password, and of no other silent one', async () => {
    const found = await Promise.all(silent.map(async ({ poll }) => 'metrics' in (await ask(poll))));
    expect(found).to.deep.equal(silent.map(({ isUnauthorized }) => isUnauthorized));
  });
});

function capture() {
  const lines: (LogFields & { readonly msg: string })[] = [];
  const note = (msg: string, fields: LogFields = {}) => void lines.push({ ...fields, msg });
  const logger: Partial<Logger> = { info: note, warn: note };
  return { lines, logger: logger as Logger };
}

describe('the log of what prevents a cache from following', () => {
  const problem = {
    kind: 'not-found',
    resource: 'marekvsclusters.marekvs.io',
    namespace: undefined,
    error: new Error('404'),
    retryInMs: 1_000,
  } as const;

  it('has the first problem at once and repeats it no more than once a minute', () => {
    const { lines, logger } = capture();
    const clock = createManualClock();
    const log = createProblemLog(logger, clock);
    log(problem);
    clock.advance(59_999);
    log(problem);
    expect(lines).to.have.lengthOf(1);
    clock.advance(1);
    log(problem);
    expect(lines).to.have.lengthOf(2);
  });
  it('treats kinds and resources separately', () => {
    const { lines, logger } = capture();
    const log = createProblemLog(logger, createManualClock());
    log(problem);
    log({ ...problem, resource: 'pods' });
    log({ ...problem, kind: 'forbidden' });
    expect(lines).to.have.lengthOf(3);
  });
  it('tells what to do when the CRDs are not installed (F15) or access is missing (F14)', () => {
    const { lines, logger } = capture();
    const log = createProblemLog(logger, createManualClock());
    log(problem);
    log({ ...problem, kind: 'forbidden' });
    expect(lines[0]?.msg).to.include('kubectl apply -f crds');
    expect(lines[1]?.msg).to.include('RBAC');
  });
});
