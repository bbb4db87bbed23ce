// The commands that only read: figures, logs, events, volumes, and the permissions that the operator lacks.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
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

describe('kubectl mkv logs', () => {
  const lines = (path: string) =>
    /pods\/(demo-\d)\/log/.exec(path) ? [`of ${RegExp.$1}`, 'red \u001b[31malert'] : undefined;

  it('prints the lines of one node without control characters, and those of a cluster with the name of each node', async () => {
    expect((await run('logs demo-1', { lines })).out).to.equal('of demo-1\nred \\u001b[31malert\n');
    const all = (await run('logs demo', { lines })).out.split('\n');
    expect(all.filter((line) => line.includes(' of '))).to.deep.equal([
      'demo-0  of demo-0',
      'demo-1  of demo-1',
      'demo-2  of demo-2',
    ]);
  });

  it('prints the logs of the others when one member has no Pod, and fails only when it can read none', async () => {
    const some = (path: string) => (path.includes('/demo-1/') ? undefined : lines(path));
    const heard = await run('logs demo', { lines: some });
    expect([heard.code, heard.out.includes('of demo-2')]).to.deep.equal([EXIT.fine, true]);
    expect(heard.err).to.match(/^demo-1: .*404/);
    expect((await run('logs demo', { lines: () => undefined })).code).to.equal(EXIT.notFound);
  });

  it('ends with 0 when following is stopped with Ctrl-C', async () => {
    const stop = new AbortController();
    const follow = (path: string): readonly string[] | undefined => {
      stop.abort();
      return path.includes('follow=true') ? undefined : [];
    };
    const { code, err } = await run('logs demo-1 --follow', { lines: follow, signal: stop.signal });
    expect([code, err]).to.deep.equal([EXIT.fine, '']);
  });

  it('asks for as many lines as wanted, of the container before, and names the permission that is missing', async () => {
    const asked: string[] = [];
    const refusal: FakeOptions['refusal'] = ({ path }) => {
      asked.push(path);
      return path.includes('/log')
        ? { code: 403, reason: 'Forbidden', message: 'User "eve" cannot get resource "pods/log"' }
        : undefined;
    };
    const { code, err } = await run('logs demo-1 --tail 7 --previous', { refusal });
    expect(asked.at(-1)).to.include('/pods/demo-1/log?tailLines=7&previous=true');
    expect([code, err.includes('kubectl auth can-i get pods --subresource=log -n default')]).to.deep.equal([
      EXIT.noPermission,
      true,
    ]);
  });
});

describe('kubectl mkv events', () => {
  it('shows the events of the cluster and its parts, also of parts that are gone, and no others', async () => {
    const server = serverWith();
    const tell = (name: string, kind: string, type: string, reason: string, secondsAgo: number) =>
      server.create('events.events.k8s.io', {
        metadata: { name: `${name}.${reason.toLowerCase()}`, namespace: 'default' },
        ...{
          regarding: { kind, name },
          type,
          reason,
          note: `${reason} of ${name}`,
          eventTime: new Date(NOW_MS - secondsAgo * 1000).toISOString(),
        },
      });
    tell('demo', 'MarekvsCluster', 'Normal', 'ClusterFormed', 300);
    tell('demo-7', 'MarekvsNode', 'Warning', 'CrashLooping', 100);
    tell('data-demo-1', 'PersistentVolumeClaim', 'Warning', 'ProvisioningFailed', 10);
    tell('demo-other', 'Pod', 'Warning', 'Failed', 5);
    const { out } = await run('events demo', {}, server);
    expect(out)
      .to.match(/mkv\/demo +ClusterFormed[\s\S]*mkvnode\/demo-7 +CrashLooping[\s\S]*pvc\/data-demo-1/)
      .and.not.include('demo-other');
    expect((await run('events demo --warnings', {}, server)).out).to.not.include('ClusterFormed');
  });
});

describe('kubectl mkv explain, for an operator that lacks permissions,', () => {
  it('asks the API server for each of them, and names those that are missing', async () => {
    const extra: FakeOptions['extra'] = ({ path, body }) => {
      if (path.includes('/leases/'))
        return {
          metadata: { name: 'marekvs-operator' },
          spec: { holderIdentity: 'op_1_2', leaseDurationSeconds: 15, renewTime: new Date(NOW_MS).toISOString() },
        };
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
