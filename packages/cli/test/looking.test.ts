// The commands that only read: figures, volumes, and the permissions that the operator lacks.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { type FakeOptions, leaseAnswer, runFake } from './support/fake-cli.ts';
import { NODES, serverWith } from './support/fake-server.ts';
import { NOW_MS } from './support/objects.ts';

/** What a real member answered (packages/store-client/test/samples). */
const METRICS =
  readFileSync(join(import.meta.dirname, '../../store-client/test/samples/http_metrics.txt'), 'utf8')
    .split('\r\n\r\n')
    .at(-1) ?? '';

const run = (line: string, more: Partial<FakeOptions> = {}, server = serverWith()) =>
  runFake(line.split(' '), { server, nowMs: NOW_MS, ...more });

describe('kubectl mkv top', () => {
  it('counts commands between two readings without our own, and shows unknown figures as -', async () => {
    let readings = 0;
    const lines = (path: string): readonly string[] | undefined => {
      if (!path.includes('/pods/demo-0:9121/proxy/metrics')) return undefined;
      readings += 1;
      const set = readings === 1 ? 628 : 828;
      return METRICS.replace('commands_total{cmd="set"} 628', `commands_total{cmd="set"} ${set}`)
        .replace('commands_total{cmd="ping"} 11', `commands_total{cmd="ping"} ${readings * 900}`)
        .split('\n');
    };
    const { code, out } = await run('top demo --interval 4', { lines });
    expect(code).to.equal(EXIT.fine);
    expect(out, out).to.match(/^demo-0 +50 +1 +- +0B +71% +252GiB +ok$/m);
    expect(out).to.match(/^demo-1 +- +- +- +- +- +- +-$/m);
    expect(out)
      .to.include('the operator counts 120 ops/s')
      .and.include('not read: demo-1, demo-2 (get pods/proxy default/demo-1: 404');
  });
});

describe('kubectl mkv explain, for an operator that lacks permissions,', () => {
  it('asks the API server for each of them, and names those that are missing', async () => {
    const extra: FakeOptions['extra'] = ({ path, body }) => {
      const lease = leaseAnswer(path, NOW_MS);
      if (lease !== undefined) return lease;
      if (!path.includes('subjectaccessreviews')) return undefined;
      const { spec } = body as { spec: { user: string; resourceAttributes: { verb: string; resource: string } } };
      const { verb, resource } = spec.resourceAttributes;
      return {
        status: { allowed: !(spec.user.endsWith(':marekvs-operator') && resource === 'pods' && verb !== 'list') },
      };
    };
    const { code, out } = await run('explain demo -o json', { extra }, serverWith(3, { status: undefined }));
    const [first] = JSON.parse(out).findings;
    expect([code, first.rule]).to.deep.equal([EXIT.blocked, 'Unauthorized']);
    expect(first.message).to.include('get, watch, create, patch, delete pods');
    expect(first.commands).to.deep.equal(['kubectl apply -k config/components/cluster-role']);
  });
});

describe('kubectl mkv volumes', () => {
  it('shows volumes with and without a node, for people and for programs', async () => {
    const server = serverWith();
    server.remove(NODES, { namespace: 'default', name: 'demo-2' });
    server.patch(NODES, { namespace: 'default', name: 'demo-2' }, { metadata: { finalizers: [] } });
    const { out } = await run('volumes demo', {}, server);
    expect(out)
      .to.match(/data-demo-0 +Attached +10Gi .* no /)
      .and.match(/data-demo-2 +Detached .* unknown /);
    const { volumes } = JSON.parse((await run('volumes demo -o json', {}, server)).out);
    expect(volumes.map(({ node }: { node?: string }) => node ?? 'nobody')).to.deep.equal([
      'demo-0',
      'demo-1',
      'nobody',
    ]);
  });
});
