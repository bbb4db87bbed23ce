// kubectl mkv verify, over an API server in memory in which an operator answers step by step, one step per poll.

import { ANNOTATIONS, type MarekvsClusterStatus } from '@marekvs/api';
import { progressText } from '@marekvs/planner';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { partitionsIn } from '../src/verification/outlook.ts';
import { type FakeOptions, type FakeResult, leaseAnswer, runFake } from './support/fake-cli.ts';
import { CLUSTERS, REF, serverWith } from './support/fake-server.ts';
import { NOW_MS, notReady, SINCE } from './support/objects.ts';

type Verification = NonNullable<MarekvsClusterStatus['verification']>;
type Step = Partial<MarekvsClusterStatus> | 'nothing';

const ASKED = 'asked';
/** Marks an answer as one to the request that was made. */
const answer = (state: Verification['state'], message: string, more: Partial<Verification> = {}): Step => ({
  verification: { state, at: SINCE, message, requested: ASKED, ...more },
});
const underWay = (state: Verification['state'], message: string): Step => ({
  verification: { state, at: SINCE, message },
});

const MEMBERS: Verification['members'] = [
  { name: 'demo-0', partitionsDone: 4096, records: 66_700 },
  { name: 'demo-1', partitionsDone: 4096, records: 66_512 },
  { name: 'demo-2', partitionsDone: 4094, records: 66_530, missing: [{ home: 'demo-1', partitions: 2, records: 3 }] },
];
const whole = MEMBERS.map(({ missing: _, ...member }) => ({ ...member, partitionsDone: 4096 }));
const COVERED = answer('Covered', '12,288 partitions compared, no record is missing', { members: whole });
const missing = (records: number): Step =>
  answer('Missing', `${records} records of demo-2 missing on demo-1`, {
    members: [{ name: 'demo-2', partitionsDone: 4095, missing: [{ home: 'demo-1', partitions: 1, records }] }],
  });

interface World extends Partial<FakeOptions> {
  /** What the operator has written at each poll; the last one stays. */
  readonly steps: readonly Step[];
}

interface Verified extends FakeResult {
  readonly looks: number;
  readonly requested: string | undefined;
}

async function verify(line: string, { steps, ...more }: World, server = serverWith()): Promise<Verified> {
  let looks = -1;
  const requested = () => server.get(CLUSTERS, REF).metadata.annotations?.[ANNOTATIONS.verify];
  const result = await runFake(line.split(' '), {
    server,
    nowMs: NOW_MS,
    ...more,
    refusal: (request) => {
      if (request.verb === 'get' && request.path.endsWith('/marekvsclusters/demo')) {
        const step = steps[Math.min(looks, steps.length - 1)] ?? 'nothing';
        looks += 1;
        if (step !== 'nothing') server.patch(CLUSTERS, REF, { status: withRequest(step, requested()) }, 'status');
      }
      return more.refusal?.(request);
    },
  });
  return { ...result, looks, requested: requested() };
}

/** The step as a merge patch that removes what the step does not have. */
function withRequest(step: Exclude<Step, 'nothing'>, requested: string | undefined): Readonly<Record<string, unknown>> {
  const { verification } = step;
  const own = verification?.requested === ASKED ? { requested } : {};
  const none = { members: null, requested: verification?.requested ?? null };
  return {
    operation: null,
    ...step,
    ...(verification === undefined ? {} : { verification: { ...none, ...verification, ...own } }),
  };
}

const leaseOf =
  (renewedMs: number): NonNullable<FakeOptions['extra']> =>
  ({ path }) =>
    leaseAnswer(path, renewedMs);

describe('kubectl mkv verify', () => {
  it('asks by one write of an annotation with the time, and shows records and partitions of every member', async () => {
    const { code, out, writes, requested } = await verify('verify demo', { steps: [COVERED] });
    expect([code, writes]).to.deep.equal([EXIT.fine, ['patch marekvsclusters default/demo']]);
    expect(requested).to.match(/^2026-01-01T01:00:00\.000Z\/[0-9a-f]{8}$/);
    expect(out)
      .to.include('default/demo: every record is on every home of it')
      .and.include('12,288 partitions compared, no record is missing')
      .and.match(/demo-0 +about 66,700 +4,096 of 4,096 +none/);
    expect(Math.max(...out.split('\n').map((line) => line.length)), out).to.be.at.most(80);
  });

  it('uses the only cluster of the namespace when none is named', async () => {
    expect((await verify('verify', { steps: [COVERED] })).code).to.equal(EXIT.fine);
  });

  it('prints each step once, on a line of its own, when the output is no terminal', async () => {
    const half = underWay('Running', '1,412 of 12,288 partitions compared, 3 records of demo-2 missing on demo-1');
    const { out } = await verify('verify demo', { steps: ['nothing', half, half, COVERED] });
    expect(out.split('\n').slice(0, 3)).to.deep.equal([
      'asked for',
      '[##------------------]  11 %  1,412 of 12,288 partitions compared, 3 records of…',
      'default/demo: every record is on every home of it',
    ]);
    expect(out).to.not.include('\u001b');
  });

  it('redraws its bar on a terminal, and leaves only the answer', async () => {
    const half = underWay('Running', '6,144 of 12,288 partitions compared');
    const { out } = await verify('verify demo', { steps: [half, COVERED], isTty: true, env: { NO_COLOR: '1' } });
    expect(out).to.include('\r\u001b[2K[##########----------]  50 %  6,144 of 12,288 partitions compared');
    expect(out.split('\r\u001b[2K').at(-1)).to.match(/^default\/demo: every record is on every home of it\n/);
  });

  it('ends with 4 when records stay missing, and names how many of which member are missing where', async () => {
    const steps = [answer('Missing', '3 records of demo-2 missing on demo-1', { members: MEMBERS })];
    const { code, out, looks } = await verify('verify demo', { steps });
    expect(code).to.equal(EXIT.blocked);
    expect(out)
      .to.include('default/demo: records are missing')
      .and.match(/demo-2 +about 66,530 +4,094 of 4,096 +3 records in 2 partitions/)
      .and.include('next: kubectl mkv explain demo -n default');
    expect(looks, 'copies on their way were waited for').to.equal(16);
  });

  it('does not report records as missing that were on their way and arrive', async () => {
    const covered = answer('Covered', '12,288 partitions compared, no record is missing');
    const { code, out } = await verify('verify demo', { steps: [missing(3), missing(3), covered] });
    expect([code, out.includes('records are missing')]).to.deep.equal([EXIT.fine, false]);
    expect(out, 'figures of the look before').to.match(/demo-2 +- +4,096 of 4,096 +none/);
  });

  it('goes on polling as long as fewer records are missing, and stops when the number only changes', async () => {
    const falling = Array.from({ length: 40 }, (_, i) => missing(100 - i));
    expect(await verify('verify demo', { steps: [...falling, COVERED] })).to.include({ code: EXIT.fine, looks: 41 });
    const moving = Array.from({ length: 40 }, (_, i) => missing(5 + (i % 2)));
    expect(await verify('verify demo', { steps: [...moving, COVERED] })).to.include({ code: EXIT.blocked, looks: 16 });
  });

  it('ends with 4 when a member cannot be read for a while, and not at the first failure', async () => {
    const closed = underWay('Unreadable', 'the contents of demo-1 cannot be read: connection refused');
    const { code, out } = await verify('verify demo', { steps: [closed] });
    expect(code).to.equal(EXIT.blocked);
    expect(out).to.include('it is not known whether').and.include('demo-1 cannot be read: connection refused');
    expect((await verify('verify demo', { steps: [closed, closed, COVERED] })).code).to.equal(EXIT.fine);
  });

  it('ignores answers to an earlier request, and comparisons that nobody asked for', async () => {
    const earlier = answer('Covered', 'of yesterday', { requested: '2025-12-31T00:00:00.000Z/12345678' });
    const steps = [earlier, underWay('Missing', 'nobody asked'), COVERED];
    const { code, out } = await verify('verify demo', { steps });
    expect([code, out.includes('of yesterday'), out.includes('nobody asked')]).to.deep.equal([EXIT.fine, false, false]);
  });

  it('accepts the answer to a request that somebody else has made after it', async () => {
    const server = serverWith();
    let gets = 0;
    const refusal: FakeOptions['refusal'] = ({ verb, path }) => {
      if (verb === 'get' && path.endsWith('/demo') && ++gets === 2)
        server.patch(CLUSTERS, REF, { metadata: { annotations: { [ANNOTATIONS.verify]: 'later/somebody' } } });
      return undefined;
    };
    const { code, requested } = await verify('verify demo', { steps: ['nothing', COVERED], refusal }, server);
    expect([code, requested]).to.deep.equal([EXIT.fine, 'later/somebody']);
  });

  it('with --no-wait only asks', async () => {
    const { code, out, looks, writes } = await verify('verify demo --no-wait', { steps: ['nothing'] });
    expect([code, looks, writes.length]).to.deep.equal([EXIT.fine, 0, 1]);
    expect(out).to.include('next: kubectl mkv status demo -n default');
  });

  it('prints only one document with the outcome for programs', async () => {
    const steps = [underWay('Running', '6,144 of 12,288 partitions compared'), COVERED];
    const { out, requested } = await verify('verify demo -o json', { steps });
    const document = JSON.parse(out);
    expect(document).to.deep.include({ namespace: 'default', cluster: 'demo', requested, outcome: 'Covered' });
    expect(document.verification.members).to.have.lengthOf(3);
    const asked = await verify('verify demo --no-wait -o yaml', { steps: ['nothing'] });
    expect(load(asked.out)).to.include({ cluster: 'demo', requested: asked.requested });
    const late = await verify('verify demo -o json --timeout 5s', { steps });
    expect(JSON.parse(late.out).outcome).to.equal('Covered');
  });

  it('prints no control character of a message', async () => {
    const { out } = await verify('verify demo', { steps: [answer('Covered', 'fine\u001b[2J\u202e')] });
    expect(out).to.include('fine\\u001b[2J\\u202e');
  });
});

describe('kubectl mkv verify, when no answer comes,', () => {
  it('does not ask in a paused cluster, and says how to resume it', async () => {
    const { code, err, writes } = await verify('verify demo', { steps: [] }, serverWith(3, { spec: { paused: true } }));
    expect([code, writes]).to.deep.equal([EXIT.blocked, []]);
    expect(err).to.match(/demo is paused.*Next: kubectl mkv resume demo -n default/);
  });

  it('ends when the cluster is paused meanwhile, or its request is removed', async () => {
    const changes: readonly (readonly [Readonly<Record<string, unknown>>, RegExp])[] = [
      [{ spec: { paused: true } }, /demo is paused/],
      [{ metadata: { annotations: { [ANNOTATIONS.verify]: null } } }, /taken the annotation marekvs.io\/verify off/],
    ];
    for (const [change, said] of changes) {
      const server = serverWith();
      let gets = 0;
      const refusal: FakeOptions['refusal'] = ({ verb, path }) => {
        if (verb === 'get' && path.endsWith('/demo') && ++gets === 3) server.patch(CLUSTERS, REF, change);
        return undefined;
      };
      const { code, err } = await verify('verify demo', { steps: ['nothing'], refusal }, server);
      expect(code, err).to.equal(EXIT.blocked);
      expect(err).to.match(said);
    }
  });

  it('explains after some seconds that the operator is away', async () => {
    const { code, err, looks } = await verify('verify demo', { steps: ['nothing'], extra: leaseOf(NOW_MS - 600_000) });
    expect([code, looks]).to.deep.equal([EXIT.blocked, 10]);
    expect(err).to.match(/OperatorDown, the operator op has stopped renewing its lease.*Next: kubectl get deploy/);
  });

  it('names the member that the operator waits for, and waits until its time is over', async () => {
    const silent = 'demo-1 of 3 members did not answer: no answer within 2000 ms';
    const step: Step = { conditions: [notReady('MemberMissing', silent)] };
    const world = { steps: [step], extra: leaseOf(NOW_MS + 60_000) };
    const { code, out, err, looks } = await verify('verify demo --timeout 1m', world);
    expect([code, looks]).to.deep.equal([EXIT.blocked, 60]);
    expect(out).to.include(`MemberMissing: ${silent}`);
    expect(err).to.match(/no answer within 60s: MemberMissing, demo-1 of 3 members/);
  });

  it('waits for a removal that is under way, and says what that waits for', async () => {
    const operation: MarekvsClusterStatus['operation'] = {
      id: '2-a',
      type: 'Remove',
      target: { name: 'demo-2', uid: 'u', nodeId: 2 },
      specGeneration: 1,
      phase: 'Proving',
      startedAt: SINCE,
      blocked: { reason: 'MemberSilent', message: 'demo-1 has not answered', since: SINCE },
    };
    const steps: readonly Step[] = [{ operation }, { operation }, COVERED];
    const { code, out } = await verify('verify demo', { steps });
    expect([code, out.split('\n')[0]]).to.deep.equal([
      EXIT.fine,
      'it comes after the removal of demo-2, which waits (MemberSilent: demo-1 has not answered)',
    ]);
  });

  it('ends with 1 after --timeout, and says how far the comparison is and that it goes on', async () => {
    const steps = [underWay('Running', '1,412 of 12,288 partitions compared')];
    const { code, err } = await verify('verify demo --timeout 90s', { steps });
    expect(code).to.equal(EXIT.failed);
    expect(err).to.match(/no answer within 90s: 1,412 of 12,288 partitions compared\. Next: it goes on; kubectl mkv/);
    const { out } = await verify('verify demo --timeout 2s -o json', { steps });
    expect(JSON.parse(out)).to.include({ outcome: 'Unanswered' });
  });

  it('goes on after a short outage of the API server, and ends when the cluster is gone', async () => {
    const down = (status: number): NonNullable<FakeOptions['refusal']> => {
      let gets = 0;
      return ({ verb, path }) =>
        verb === 'get' && path.endsWith('/demo') && ++gets === 2
          ? { code: status, reason: 'NotThere', message: 'marekvsclusters "demo" not here' }
          : undefined;
    };
    const back = await verify('verify demo', { steps: ['nothing', COVERED], refusal: down(503) });
    expect([back.code, back.err.startsWith('warning: ')]).to.deep.equal([EXIT.fine, true]);
    expect((await verify('verify demo', { steps: ['nothing', COVERED], refusal: down(404) })).code).to.equal(
      EXIT.notFound,
    );
  });

  it('goes on when the API server has too much to do, and when it is away as the reason is searched for', async () => {
    const first = (isMeant: (path: string) => boolean, code: number): NonNullable<FakeOptions['refusal']> => {
      let asked = 0;
      return ({ verb, path }) =>
        verb !== 'patch' && isMeant(path) && ++asked === (code === 429 ? 2 : 1)
          ? { code, reason: 'NotNow', message: 'not now' }
          : undefined;
    };
    const idle = Array.from({ length: 12 }, (): Step => 'nothing');
    const extra = leaseOf(NOW_MS + 60_000);
    for (const refusal of [
      first((path) => path.endsWith('/marekvsclusters/demo'), 429),
      first((path) => path.includes('/marekvsnodes'), 503),
    ]) {
      const { code, err } = await verify('verify demo', { steps: [...idle, COVERED], refusal, extra });
      expect([code, err]).to.deep.equal([EXIT.fine, err.match(/^warning: [^\n]*not now[^\n]*\n$/)?.[0]]);
    }
  });

  it('names the permission that is missing', async () => {
    const refusal: FakeOptions['refusal'] = ({ verb }) =>
      verb === 'patch'
        ? { code: 403, reason: 'Forbidden', message: 'User "eve" cannot patch resource "marekvsclusters"' }
        : undefined;
    const { code, err } = await verify('verify demo', { steps: [], refusal });
    expect(code).to.equal(EXIT.noPermission);
    expect(err).to.include('kubectl auth can-i patch marekvsclusters.marekvs.io -n default');
  });

  for (const time of ['0', '0s', 'soon', '10d', '-5s', '1.5m'])
    it(`refuses ${time} as a time before anything is read`, async () => {
      const { code, looks } = await verify(`verify demo --timeout=${time}`, { steps: [] });
      expect([code, looks]).to.deep.equal([EXIT.usage, -1]);
    });
});

describe('the figures of a comparison', () => {
  it('are read from the sentence as the planner makes it', () => {
    const report = {
      partitionsDone: 1_412,
      partitionsTotal: 12_288,
      missing: [{ sourceId: 2, homeId: 1, partitions: 1, records: 3 }],
    } as unknown as Parameters<typeof progressText>[0];
    const text = progressText(report, (id) => `demo-${id}`);
    expect(partitionsIn(text)).to.deep.equal({ done: 1_412, total: 12_288 });
    expect(partitionsIn('3 records of demo-2 missing on demo-1')).to.equal(undefined);
  });
});

describe('kubectl mkv status and proof, about the contents of members,', () => {
  const run = (line: string, change: Partial<MarekvsClusterStatus>) =>
    runFake(line.split(' '), { server: serverWith(3, { status: change }), nowMs: NOW_MS });
  const found: Verification = {
    state: 'Missing',
    at: SINCE,
    message: '3 records of demo-2 missing on demo-1',
    members: MEMBERS ?? [],
  };

  it('show what is missing where and since when', async () => {
    const { out } = await run('status demo', { verification: found });
    expect(out)
      .to.include('contents  Missing since 5m\n  3 records of demo-2 missing on demo-1\n')
      .and.include('  demo-2: 3 records in 2 partitions on demo-1\n');
    expect((await run('proof demo-2', { verification: found })).out).to.match(
      /contents: Missing for 5m, 3 records of demo-2\s+missing on demo-1/,
    );
    const covered: Verification = { state: 'Covered', at: SINCE, message: 'compared' };
    expect((await run('status demo', { verification: covered })).out).to.include(
      '\ncontents  Covered since 5m\n\nNODE',
    );
    expect((await run('status demo', {})).out).to.not.include('contents');
  });

  it('show how much was compared for a proof, and when', async () => {
    const pre = {
      operationId: '2-a',
      stage: 'Pre' as const,
      at: '2026-01-01T00:54:59Z',
      coveredAt: '2026-01-01T00:54:58Z',
      partitions: 4096,
      records: 66_530,
      targetUid: 'u',
      topologyHash: 'abcdef0123456789',
      generations: { 0: '1', 10: '1', 2: '1' },
      inputs: [{ name: 'contents', passed: true, value: '4,096 partitions covered' }],
    };
    const lastOperation = {
      id: '2-a',
      type: 'Remove' as const,
      target: { name: 'demo-9', uid: 'u', nodeId: 9 },
      outcome: 'Succeeded' as const,
      reason: 'RemovalFinished',
      startedAt: SINCE,
      finishedAt: SINCE,
      proof: { pre },
    };
    const { out } = await run('proof demo-9 -o wide', { lastOperation });
    expect(out)
      .to.include('before the removal: 5m ago')
      .and.include('4,096 partitions compared')
      .and.include('about 66,530 records, all of 2026-01-01T00:54:58Z is on every other home')
      .and.include('members 0, 2, 10, topology abcdef012345')
      .and.match(/contents +yes +4,096 partitions covered/);
  });
});
