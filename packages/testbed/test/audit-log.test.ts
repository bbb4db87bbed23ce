import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createAuditReader } from '../src/control-plane/audit-log.ts';

interface Change {
  readonly user?: string;
  readonly verb?: string;
  readonly stage?: string;
  readonly code?: number;
  readonly objectRef?: object;
}

const line = (change: Change = {}): string =>
  `${JSON.stringify({
    stage: change.stage ?? 'ResponseComplete',
    verb: change.verb ?? 'get',
    requestURI: '/api/v1/pods?limit=1',
    user: { username: change.user ?? 'operator' },
    objectRef: change.objectRef ?? { resource: 'pods', namespace: 'default', name: 'demo-0' },
    responseStatus: { code: change.code ?? 200 },
    requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
  })}\n`;

describe('requests counted from the audit log', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audit-'));
    path = join(folder, 'audit.log');
    await writeFile(path, '');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are those of one user, by verb, resource with subresource, and code', async () => {
    const status = { resource: 'pods', subresource: 'status', name: 'demo-0' };
    await writeFile(
      path,
      [line(), line(), line({ verb: 'patch', objectRef: status }), line({ code: 404 }), line({ user: 'other' })].join(
        '',
      ),
    );
    const { counts, total, writes } = await createAuditReader(path, { user: 'operator' }).read();
    expect({ total, writes }).to.deep.equal({ total: 4, writes: 1 });
    expect(counts).to.deep.equal([
      { verb: 'get', resource: 'pods', code: 200, count: 2 },
      { verb: 'patch', resource: 'pods/status', code: 200, count: 1 },
      { verb: 'get', resource: 'pods', code: 404, count: 1 },
    ]);
  });

  it('count a watch once, when it starts, and a refused one when it is refused', async () => {
    const watch = { verb: 'watch' };
    await writeFile(
      path,
      [
        line({ ...watch, stage: 'ResponseStarted' }),
        line({ ...watch, stage: 'ResponseComplete' }),
        line({ ...watch, code: 403 }),
      ].join(''),
    );
    const { counts } = await createAuditReader(path, { user: 'operator' }).read();
    expect(counts.map(({ code, count }) => [code, count])).to.deep.equal([
      [200, 1],
      [403, 1],
    ]);
  });

  it('do not count leases among the writes', async () => {
    await writeFile(
      path,
      [line({ verb: 'update', objectRef: { resource: 'leases' } }), line({ verb: 'create' })].join(''),
    );
    const { writes, withoutWatchesAndLeases } = await createAuditReader(path, { user: 'operator' }).read();
    expect({ writes, withoutWatchesAndLeases }).to.deep.equal({ writes: 1, withoutWatchesAndLeases: 1 });
  });

  it('continue where the last reading stopped, and include a half-written line once it is complete', async () => {
    const reader = createAuditReader(path, { user: 'operator' });
    const second = line({ verb: 'list' });
    await appendFile(path, line() + second.slice(0, 40));
    expect((await reader.read()).total).to.equal(1);
    await appendFile(path, second.slice(40));
    expect((await reader.read()).requests.map(({ verb }) => verb)).to.deep.equal(['list']);
    expect((await reader.read()).total).to.equal(0);
  });

  it('begin after what was skipped', async () => {
    await writeFile(path, line());
    const reader = createAuditReader(path, { user: 'operator' });
    await reader.skip();
    await appendFile(path, line({ verb: 'delete' }));
    expect((await reader.read()).requests.map(({ verb }) => verb)).to.deep.equal(['delete']);
  });

  it('tolerate a line that is not JSON, and a multi-byte name that is split between two readings', async () => {
    const reader = createAuditReader(path, { user: 'operator' });
    const bytes = Buffer.from(`garbage operator "operator"\n${line({ objectRef: { resource: 'pods', name: 'ä' } })}`);
    const cut = bytes.indexOf(0xc3) + 1;
    await appendFile(path, bytes.subarray(0, cut));
    expect((await reader.read()).total).to.equal(0);
    await appendFile(path, bytes.subarray(cut));
    expect((await reader.read()).requests.map(({ name }) => name)).to.deep.equal(['ä']);
  });
});
