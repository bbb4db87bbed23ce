// Marks and how to take them back, restarts, and --dry-run and --yes, which every verb that writes accepts.

import { ANNOTATIONS, type MarekvsNode } from '@marekvs/api';
import type { MemoryApiServer } from '@marekvs/simulator';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { processPorts } from '../src/connection/process-ports.ts';
import { EXIT } from '../src/index.ts';
import { createProgram } from '../src/run.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { CLUSTERS, NODES, REF, serverWith } from './support/fake-server.ts';
import { NOW_MS } from './support/objects.ts';

const run = (line: string, server = serverWith(), more: Partial<FakeOptions> = {}) =>
  runFake(line.split(' '), { server, nowMs: NOW_MS, ...more });
const nodeRef = (name: string) => ({ namespace: 'default', name });
const marksOf = (server: MemoryApiServer, name: string) => server.get(NODES, nodeRef(name)).metadata.annotations ?? {};
const operationOn = (server: MemoryApiServer, name: string, phase = 'Isolating') =>
  server.patch(
    CLUSTERS,
    REF,
    {
      status: {
        operation: {
          id: 'op-1',
          type: 'Remove',
          phase,
          target: { name, uid: server.get(NODES, nodeRef(name)).metadata.uid, nodeId: 3 },
        },
      },
    },
    'status',
  );

describe('kubectl mkv unmark', () => {
  it('removes the marks of a person, and writes nothing when there are none', async () => {
    const server = serverWith(4);
    expect((await run('unmark demo-1', server)).writes).to.deep.equal([]);
    await run('remove demo-1', server);
    expect(marksOf(server, 'demo-1')).to.have.property(ANNOTATIONS.removeFirst, 'true');
    const { code, out } = await run('unmark demo-1', server);
    expect([code, out]).to.deep.equal([EXIT.fine, 'demo-1 is no longer marked to leave first\n']);
    expect(marksOf(server, 'demo-1')).to.not.have.property(ANNOTATIONS.removeFirst);
  });

  it('refuses a node that is already leaving, and names how to take the removal back', async () => {
    const server = serverWith(4);
    await run('remove demo-3', server);
    operationOn(server, 'demo-3');
    const { code, err } = await run('unmark demo-3', server);
    expect([code, err.includes('kubectl mkv cancel demo -n default')]).to.deep.equal([EXIT.blocked, true]);
  });
});

describe('kubectl mkv cancel, for marked nodes,', () => {
  it('removes the mark of the node that stays, and names the nodes that are still marked', async () => {
    const server = serverWith(4);
    await run('remove demo-1', server);
    await run('remove demo-3 --shrink', server);
    operationOn(server, 'demo-3');
    const { code, out } = await run('cancel demo', server);
    expect(code).to.equal(EXIT.fine);
    expect(out)
      .to.include('demo-3 is no longer marked to leave first')
      .and.include('still marked to leave first: demo-1; kubectl mkv unmark demo-1 -n default takes that off');
    expect(marksOf(server, 'demo-3')).to.not.have.property(ANNOTATIONS.removeFirst);
    expect(marksOf(server, 'demo-1')).to.have.property(ANNOTATIONS.removeFirst, 'true');
  });

  it('names the marked nodes even when nothing is under way', async () => {
    const server = serverWith(4);
    await run('remove demo-1', server);
    expect((await run('cancel demo', server)).out).to.include('still marked to leave first: demo-1');
  });
});

describe('kubectl mkv restart', () => {
  /** Needed because the API server in memory has no evictions. */
  const evictions = (answer: () => unknown = () => ({})) => {
    const asked: unknown[] = [];
    const extra: FakeOptions['extra'] = ({ path, body }) => {
      if (!path.includes('/eviction')) return undefined;
      asked.push({ path, body });
      return answer();
    };
    return { asked, extra };
  };
  const down = (server: MemoryApiServer, name: string) => {
    const { status } = server.get(NODES, nodeRef(name)) as unknown as MarekvsNode;
    const conditions = (status?.conditions ?? []).map((one) =>
      one.type === 'Ready' ? { ...one, status: 'False', reason: 'MemberSilent' } : one,
    );
    server.patch(NODES, nodeRef(name), { status: { ...status, phase: 'Unknown', conditions } }, 'status');
  };

  it('asks for the eviction of exactly the Pod that it has read', async () => {
    const server = serverWith();
    const { uid } = server.get('pods', nodeRef('demo-1')).metadata;
    const { asked, extra } = evictions();
    const { code, out } = await run('restart demo-1', server, { extra });
    expect(code).to.equal(EXIT.fine);
    expect(out).to.match(/^demo-1 is restarted on its volume\nnext: /);
    expect(asked).to.have.lengthOf(1);
    expect(asked[0]).to.have.nested.property('body.deleteOptions.preconditions.uid', uid);
    expect(asked[0]).to.have.property('path', '/api/v1/namespaces/default/pods/demo-1/eviction');
  });

  it('is refused while another member is down or being removed, unless it is forced', async () => {
    const away = serverWith();
    down(away, 'demo-2');
    const refused = await run('restart demo-1', away, evictions());
    expect([refused.code, refused.writes]).to.deep.equal([EXIT.blocked, []]);
    expect(refused.err).to.match(/demo-2 is not up, and demo-1 may have the only copy.*or --force/);
    const removing = serverWith(4);
    operationOn(removing, 'demo-3');
    expect((await run('restart demo-1', removing, evictions())).err).to.match(/demo-3 is being removed/);
    const forced = await run('restart demo-1 --force', away, evictions());
    expect([forced.code, forced.writes]).to.deep.equal([EXIT.fine, ['delete pods default/demo-1']]);
  });

  it('says of an update or a hibernation that it is under way, and of no node that it is removed', async () => {
    const refusalDuring = async (operation: object): Promise<string> => {
      const server = serverWith();
      server.patch(CLUSTERS, REF, { status: { operation: { id: 'op-1', ...operation } } }, 'status');
      return (await run('restart demo-1', server, evictions())).err;
    };
    const roll = { name: 'demo-2', uid: 'uid-2', nodeId: 2 };
    expect(await refusalDuring({ type: 'Roll', phase: 'CatchingUp', roll })).to.match(
      /^error: Roll of demo-2 is under way \(phase CatchingUp\)\. Next: wait for it/,
    );
    expect(await refusalDuring({ type: 'Hibernate', phase: 'Stopping' })).to.match(
      /^error: Hibernate of all members is under way \(phase Stopping\)\./,
    );
  });

  it('restarts a member that is down itself', async () => {
    const server = serverWith();
    down(server, 'demo-1');
    expect((await run('restart demo-1', server, evictions())).code).to.equal(EXIT.fine);
  });

  it('is refused when nobody would start the member again, even with --force', async () => {
    const server = serverWith(3, { spec: { paused: true } });
    for (const line of ['restart demo-1', 'restart demo-1 --force']) {
      const { code, err, writes } = await run(line, server, evictions());
      expect([code, writes], line).to.deep.equal([EXIT.blocked, []]);
      expect(err).to.include('kubectl mkv resume demo -n default');
    }
  });

  it('says that the disruption budget refuses, and what helps', async () => {
    const refusal: FakeOptions['refusal'] = ({ path }) =>
      path.includes('/eviction')
        ? { code: 429, reason: 'TooManyRequests', message: 'Cannot evict pod as it would violate the budget' }
        : undefined;
    const { code, err } = await run('restart demo-1', serverWith(), { refusal });
    expect(code).to.equal(EXIT.blocked);
    expect(err).to.match(/disruption budget of demo allows no restart of demo-1 now.*kubectl mkv verify demo/);
  });
});

describe('--dry-run and --yes', () => {
  const program = createProgram(processPorts(new AbortController().signal), () => undefined);
  const WRITING = [
    'acknowledge',
    'adopt',
    'cancel',
    'force-remove',
    'hibernate',
    'pause',
    'release',
    'remove',
    'replace',
    'restart',
    'resume',
    'resume-member',
    'scale',
    'suspend',
    'unmark',
    'verify',
    'wake',
  ];

  it('are accepted by every verb that writes, and by no other', () => {
    const flagsOf = (name: string) =>
      program.commands.find((one) => one.name() === name)?.options.map(({ long }) => long) ?? [];
    const takers = program.commands.map((one) => one.name()).filter((name) => flagsOf(name).includes('--dry-run'));
    expect(takers.sort()).to.deep.equal(WRITING);
    for (const name of WRITING) expect(flagsOf(name), name).to.include('--yes');
  });

  const LINES = [
    'scale demo 5',
    'scale demo 3',
    'remove demo-1',
    'remove demo-1 --shrink',
    'replace demo-1',
    'restart demo-1 --force',
    'pause demo',
    'verify demo',
  ];
  for (const line of LINES)
    it(`have \`${line}\` checked by the API server without a change`, async () => {
      const server = serverWith(4);
      const before = JSON.stringify([server.list(CLUSTERS), server.list(NODES), server.list('pods')]);
      const { code, out, writes } = await run(`${line} --dry-run`, server);
      expect([code, out.trim().split('\n').length]).to.deep.equal([EXIT.fine, 1]);
      expect(out).to.match(/ \(dry run\)\n$/);
      expect(writes).to.not.be.empty;
      for (const write of writes) expect(write).to.match(/^dry-run /);
      expect(JSON.stringify([server.list(CLUSTERS), server.list(NODES), server.list('pods')])).to.equal(before);
    });

  it('report a refusal like the change itself', async () => {
    const refusal: FakeOptions['refusal'] = ({ verb }) =>
      verb === 'patch'
        ? { code: 403, reason: 'Forbidden', message: 'ValidatingAdmissionPolicy quota: no more than 3 nodes here' }
        : undefined;
    const { code, err } = await run('scale demo 5 --dry-run', serverWith(), { refusal });
    expect([code, err.includes('no more than 3 nodes here')]).to.deep.equal([EXIT.blocked, true]);
  });

  it('replace the question that is asked before something is deleted or restarted', async () => {
    for (const line of ['replace demo-1', 'remove demo-1 --shrink', 'scale demo 3', 'restart demo-1 --force']) {
      const no = await run(line, serverWith(4), { typed: [''] });
      expect([no.code, no.writes], line).to.deep.equal([EXIT.failed, []]);
      expect(no.err).to.include('nothing was changed');
      expect((await run(line, serverWith(4), { typed: ['y'] })).writes, line).to.not.be.empty;
      expect((await run(`${line} --yes`, serverWith(4), { typed: [] })).writes, line).to.not.be.empty;
      expect((await run(line, serverWith(4))).writes, line).to.not.be.empty;
    }
    expect((await run('scale demo 5', serverWith(), { typed: [] })).code).to.equal(EXIT.fine);
  });
});
