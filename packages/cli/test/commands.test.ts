// The commands as a user types them, over an API server in memory: what they print, what they write, and how they end.

import { ANNOTATIONS, type MarekvsCluster } from '@marekvs/api';
import type { MemoryApiServer } from '@marekvs/simulator';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { CLUSTERS, NODES, put, REF, serverWith } from './support/fake-server.ts';
import { cluster, NOW_MS, pendingChange } from './support/objects.ts';

function specOf(server: MemoryApiServer): MarekvsCluster['spec'] {
  return (server.get(CLUSTERS, REF) as unknown as MarekvsCluster).spec;
}

const run = (line: string, server = serverWith(), more: Partial<FakeOptions> = {}) =>
  runFake(
    line.split(' ').filter((word) => word !== ''),
    { server, nowMs: NOW_MS, ...more },
  );

describe('kubectl mkv status', () => {
  it('shows one cluster on one screen of 80 columns', async () => {
    const { code, out } = await run(
      'status demo',
      serverWith(3, { spec: { image: `registry.example.com/${'long/'.repeat(30)}marekvs` } }),
    );
    expect(code).to.equal(EXIT.fine);
    const lines = out.split('\n');
    expect(Math.max(...lines.map((line) => line.length)), out).to.be.at.most(80);
    expect(lines[0]).to.equal('default/demo  Healthy  3 of 3 nodes ready');
    expect(out).to.match(/demo-2 +Active +3\/3 +2731 +10Gi +host-2/);
  });

  it('shows how many nodes are wanted when a cluster is about to shrink, not "4 of 3"', async () => {
    const { out } = await run('status demo', serverWith(4, { status: { desiredNodes: 3, readyNodes: 4 } }));
    expect(out.split('\n')[0]).to.equal('default/demo  Healthy  4 nodes ready, 3 wanted');
  });

  it('shows what is in force, followed by what is asked for', async () => {
    const pendingChanges = [
      pendingChange({ field: 'spec.nodes', asked: '1', effective: '3' }),
      pendingChange({ field: 'spec.replicationFactor' }),
      pendingChange({ field: 'spec.image', asked: 'marekvs:2', effective: 'marekvs:1' }),
      pendingChange({ field: 'spec.auth', asked: 'Secret one, key password', effective: 'no password' }),
    ];
    const { out } = await run('status demo', serverWith(3, { status: { phase: 'Reconciling', pendingChanges } }));
    expect(out).to.include('default/demo  Reconciling  3 of 3 nodes ready (1 asked for)');
    expect(out).to.include('replicationFactor 2 (5 asked for)');
    expect(out).to.include('image marekvs:1 (marekvs:2 asked for)');
    expect(out).to.include('auth no password (Secret one, key password asked for)');
  });

  it('lists clusters without a name, and over all namespaces with -A', async () => {
    const server = serverWith();
    put(server, CLUSTERS, cluster({ metadata: { namespace: 'other', name: 'second' } }));
    expect((await run('status', server)).out)
      .to.include('demo')
      .and.not.include('second');
    const all = await run('status -A', server);
    expect(all.out)
      .to.match(/^NAMESPACE/)
      .and.match(/other +second/);
  });

  it('prints the cluster and its nodes for programs, as a List in JSON or YAML', async () => {
    const json = JSON.parse((await run('status demo -o json')).out);
    expect(json.items.map(({ kind }: { kind: string }) => kind)).to.deep.equal([
      'MarekvsCluster',
      'MarekvsNode',
      'MarekvsNode',
      'MarekvsNode',
    ]);
    expect(load((await run('status demo -o yaml')).out)).to.deep.equal(json);
  });

  it('shows more columns with -o wide, and colours on a terminal only, never with NO_COLOR', async () => {
    expect((await run('status demo -o wide')).out).to.include('10.0.0.1');
    expect((await run('status demo')).out).to.not.include('\u001b');
    expect((await run('status demo', serverWith(), { isTty: true })).out).to.include('\u001b[32mHealthy');
    expect((await run('status demo', serverWith(), { isTty: true, env: { NO_COLOR: '1' } })).out).to.not.include(
      '\u001b',
    );
  });

  it('never prints a control character of a text from the server', async () => {
    const evil = 'fine\u001b[2J\u009b31m\u202eevil\nsecond line';
    const server = serverWith(3, { status: { message: evil } });
    for (const how of ['status demo', 'status', 'status demo -o json', 'status demo -o yaml']) {
      const { out } = await run(how, server);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(out, how).to.not.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
    expect((await run('status demo', server)).out).to.include('\\u001b[2J');
  });
});

describe('kubectl mkv, when it fails,', () => {
  const forbidden =
    (path: string) =>
    ({ path: requested }: { readonly path: string }) =>
      requested.includes(path)
        ? {
            code: 403,
            reason: 'Forbidden',
            message: `marekvsclusters.marekvs.io is forbidden: User "eve" cannot list resource "marekvsclusters" in API group "marekvs.io"`,
          }
        : undefined;

  const ENDS: readonly (readonly [string, string, number, RegExp, Partial<FakeOptions>?])[] = [
    [
      'a cluster that is not there',
      'status nope',
      EXIT.notFound,
      /no cluster nope in namespace default\. Next: kubectl mkv status -A/,
    ],
    ['a node that is not there', 'replace demo-9', EXIT.notFound, /no MarekvsNode demo-9/],
    ['a proof of nobody', 'proof other-9', EXIT.notFound, /no MarekvsNode other-9/],
    [
      'no permission',
      'status',
      EXIT.noPermission,
      /cannot list resource.*Next: .*kubectl auth can-i list marekvsclusters\.marekvs\.io -n default/,
      { refusal: forbidden('marekvsclusters') },
    ],
    [
      'no permission for a part of an object',
      'restart demo-1',
      EXIT.noPermission,
      /Next: .*kubectl auth can-i create pods --subresource=eviction -n default/,
      { refusal: forbidden('/eviction') },
    ],
    ['an unknown command', 'stats', EXIT.usage, /unknown command 'stats'/],
    ['an unknown flag', 'status --frob', EXIT.usage, /unknown option '--frob'/],
    ['a missing argument', 'scale demo', EXIT.usage, /missing required argument 'nodes'/],
    ['a size that is no number', 'scale demo many', EXIT.usage, /a whole number from 1 to 1000/],
    ['a size beyond every bound', 'scale demo 100000', EXIT.usage, /a whole number from 1 to 1000/],
    ['a name that is none', 'status ../../etc', EXIT.usage, /is no name of a cluster/],
    ['a namespace that is none', 'status -n ../x', EXIT.usage, /is no name of a namespace/],
    ['-A with one cluster', 'explain demo -A', EXIT.usage, /unknown option '-A'/],
    [
      'a size below the floor',
      'scale demo 2',
      EXIT.blocked,
      /below replicationFactor \+ 1 = 3.*Next: it has the fewest already.*kubectl mkv replace demo-2 -n default/,
    ],
  ];
  for (const [what, line, code, message, more] of ENDS) {
    it(`ends with ${code} and one line with the next step for ${what}`, async () => {
      const result = await run(line, serverWith(), more);
      expect(result.err).to.match(message);
      expect(result.err.trim().split('\n')).to.have.lengthOf(1);
      expect(result.err)
        .to.include('Next: ')
        .and.not.match(/\n\s+at /);
      expect([result.code, result.out, result.writes]).to.deep.equal([code, '', []]);
    });
  }

  it('distinguishes an API server without our definitions from one without that cluster', async () => {
    for (const line of ['status demo', 'status', 'proof demo-1']) {
      const { code, err } = await run(line, serverWith(), {
        refusal: () => ({ code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' }),
      });
      expect([code, err], line).to.satisfy(
        ([end, text]: [number, string]) =>
          end === EXIT.notFound && text.endsWith('Next: install the definitions: kubectl apply -k config/crd\n'),
      );
    }
  });

  it('names the clusters when there are several and none was named', async () => {
    const server = serverWith();
    put(server, CLUSTERS, cluster({ metadata: { name: 'second' } }));
    const { code, err } = await run('explain', server);
    expect([code, err]).to.deep.equal([
      EXIT.usage,
      'error: there are 2 clusters in namespace default. Next: name one of demo, second\n',
    ]);
  });

  it('documents every exit code in its help', async () => {
    const { code, out } = await run('--help');
    expect(code).to.equal(EXIT.fine);
    for (const [name, number] of Object.entries(EXIT)) expect(out, name).to.match(new RegExp(`^  ${number}  `, 'm'));
    expect((await run('scale --help')).out).to.include('Exit codes:');
  });
});

describe('kubectl mkv, when it changes something,', () => {
  it('scales with one conditional write, and says what happens next', async () => {
    const server = serverWith();
    const { code, out, writes } = await run('scale demo 5', server);
    expect([code, writes]).to.deep.equal([EXIT.fine, ['patch marekvsclusters default/demo']]);
    expect(out).to.match(/^demo: spec\.nodes 3 -> 5\nnext: 2 nodes join together;/);
    expect(specOf(server).nodes).to.equal(5);
    expect((await run('scale demo 5', server)).writes).to.deep.equal([]);
  });

  it('fails without a change when somebody else has edited the cluster since it was read', async () => {
    const server = serverWith();
    const { code, err } = await run('scale demo 5', server, {
      // Somebody else edits the cluster after it was read.
      refusal: ({ verb }) => {
        if (verb === 'patch' && specOf(server).image !== 'other')
          server.patch(CLUSTERS, REF, { spec: { image: 'other' } });
        return undefined;
      },
    });
    expect([code, specOf(server).nodes]).to.deep.equal([EXIT.failed, 3]);
    expect(err).to.include('run the command again');
  });

  it('sends its change again when only a status was written in between, and fails the third time', async () => {
    const during = (times: number) => {
      const server = serverWith();
      let left = times;
      const refusal = ({ verb }: { readonly verb: string }) => {
        if (verb === 'patch' && left-- > 0) server.patch(CLUSTERS, REF, { status: { opsPerSecond: left } }, 'status');
        return undefined;
      };
      return run('scale demo 5', server, { refusal });
    };
    expect((await during(2)).code).to.equal(EXIT.fine);
    expect((await during(3)).code).to.equal(EXIT.failed);
  });

  it('does not end with 0 when it is stopped before its change is made', async () => {
    const stop = new AbortController();
    const server = serverWith();
    const { code, err } = await run('scale demo 5', server, {
      signal: stop.signal,
      refusal: ({ verb }) => {
        if (verb !== 'patch') return undefined;
        stop.abort();
        return { code: 500, reason: 'Aborted', message: 'as if the connection was cut' };
      },
    });
    expect([code, specOf(server).nodes]).to.deep.equal([EXIT.failed, 3]);
    expect(err).to.include('stopped before it was done');
  });

  it('pauses and resumes, and writes nothing when the cluster is in that state already', async () => {
    const server = serverWith();
    expect((await run('resume demo', server)).writes).to.deep.equal([]);
    expect((await run('pause demo', server)).out).to.include('next: kubectl mkv resume demo -n default');
    expect(specOf(server).paused).to.equal(true);
    expect((await run('pause demo', server)).out).to.equal('demo is paused already\n');
    await run('resume demo', server);
    expect(specOf(server).paused).to.equal(false);
  });

  it('marks the node that leaves first, and lowers the size only with --shrink', async () => {
    const server = serverWith(4);
    expect((await run('remove demo-1', server)).out).to.include(
      'next: it leaves when the cluster shrinks: kubectl mkv scale demo 3',
    );
    expect(
      server.get(NODES, { namespace: 'default', name: 'demo-1' }).metadata.annotations?.[ANNOTATIONS.removeFirst],
    ).to.equal('true');
    expect(specOf(server).nodes).to.equal(4);
    await run('remove demo-1 --shrink', server);
    expect(specOf(server).nodes).to.equal(3);
  });

  it('marks nothing when --shrink would go below the floor', async () => {
    const { code, writes } = await run('remove demo-1 --shrink');
    expect([code, writes]).to.deep.equal([EXIT.blocked, []]);
  });

  it('replaces a node by deleting exactly the object that it has read, and refuses under deletionProtection', async () => {
    const server = serverWith();
    expect((await run('replace mkvnode/demo-1', server)).writes).to.deep.equal(['delete marekvsnodes default/demo-1']);
    expect(server.get(NODES, { namespace: 'default', name: 'demo-1' }).metadata.deletionTimestamp).to.be.a('string');
    const guarded = await run('replace demo-1', serverWith(3, { spec: { deletionProtection: true } }));
    expect([guarded.code, guarded.writes]).to.deep.equal([EXIT.blocked, []]);
  });

  it('forces a node out only with its UID and a reason, from flags or typed', async () => {
    const server = serverWith();
    const { uid } = server.get(NODES, { namespace: 'default', name: 'demo-1' }).metadata;
    const annotation = () =>
      server.get(NODES, { namespace: 'default', name: 'demo-1' }).metadata.annotations?.[ANNOTATIONS.forceRemove];
    expect((await run('force-remove demo-1', server)).code).to.equal(EXIT.usage);
    expect((await run('force-remove demo-1 --uid wrong --reason broken', server)).code).to.equal(EXIT.blocked);
    expect((await run(`force-remove demo-1 --uid ${uid} --reason ${'x'.repeat(257)}`, server)).code).to.equal(
      EXIT.usage,
    );
    expect(annotation()).to.equal(undefined);
    const asked = await run('force-remove demo-1', server, { typed: [uid, 'its host burned'] });
    expect(asked.err).to.include('WITHOUT proof');
    expect([asked.code, annotation()]).to.deep.equal([EXIT.fine, `${uid}/its host burned`]);
    await run('cancel demo', server);
    expect(annotation()).to.equal(undefined);
  });
});

describe('kubectl mkv explain and plan', () => {
  const lease = (renewedMs: number) => ({
    metadata: { name: 'marekvs-operator', namespace: 'marekvs-system' },
    spec: { holderIdentity: 'op_1_2', leaseDurationSeconds: 15, renewTime: new Date(renewedMs).toISOString() },
  });

  it('explain ends with 4 when a person has to act, and with 0 when nobody has to', async () => {
    const server = serverWith();
    server.create('leases.coordination.k8s.io', lease(NOW_MS - 1_000));
    const healthy = await run('explain demo', server);
    expect([healthy.code, healthy.out.split('\n')[0]]).to.deep.equal([
      EXIT.fine,
      'default/demo: it is at its desired state',
    ]);
    const other = serverWith();
    other.create('leases.coordination.k8s.io', lease(NOW_MS - 600_000));
    const { code, out } = await run('explain', other);
    expect(code).to.equal(EXIT.blocked);
    expect(out).to.match(/^no operator since \S+Z \(10m\): below is what was true then\n\ndefault\/demo: /);
    expect((await run('status demo', other)).out).to.match(/^no operator since \S+Z \(10m\): below/);
    expect((await run('status demo', server)).out).to.match(/^default\/demo/);
    expect(out).to.match(/1\. OperatorDown {2}whole cluster {2}for 10m {2}\(blocked\)/);
    expect(
      Math.max(
        ...out
          .split('\n')
          .filter((line) => !line.includes('$ '))
          .map((line) => line.length),
      ),
    ).to.be.at.most(80);
  });

  it('explain ends with 4 for a change that cannot come into force, and with 0 for one that comes by itself', async () => {
    const codeFor = async (needsPerson: boolean) => {
      const pendingChanges = [pendingChange({ field: 'spec.image', needsPerson })];
      const server = serverWith(3, { status: { pendingChanges } });
      server.create('leases.coordination.k8s.io', lease(NOW_MS - 1_000));
      const { code, out } = await run('explain demo', server);
      expect(out).to.not.include('at its desired state');
      return code;
    };
    expect([await codeFor(true), await codeFor(false)]).to.deep.equal([EXIT.blocked, EXIT.fine]);
  });

  it('explain names what this user may not read', async () => {
    const { out } = await run('explain', serverWith(), {
      refusal: ({ path }) =>
        path.includes('/leases') || path.includes('/nodes')
          ? { code: 403, reason: 'Forbidden', message: 'no' }
          : undefined,
    });
    // The paragraph is wrapped, wherever that may be.
    const text = out.replace(/\s+/g, ' ');
    expect(text).to.include('not read: ').and.include('hosts (403 Forbidden)').and.include('lease in marekvs-system');
  });

  it('status and explain treat Pods and volumes that may not be read as unknown, never as lost', async () => {
    const server = serverWith();
    server.create('leases.coordination.k8s.io', lease(NOW_MS - 1_000));
    const refusal: FakeOptions['refusal'] = ({ path }) =>
      path.includes('/pods') || path.includes('/persistentvolumeclaims')
        ? { code: 403, reason: 'Forbidden', message: 'User "eve" cannot list resource "pods"' }
        : undefined;
    const explained = await run('explain demo', server, { refusal });
    expect([explained.code, explained.out.split('\n')[0]]).to.deep.equal([
      EXIT.fine,
      'default/demo: it is at its desired state',
    ]);
    expect(explained.out).to.include('not read: pods (403 Forbidden); volume claims (403 Forbidden)');
    const shown = await run('status demo', server, { refusal });
    expect(shown.out)
      .to.match(/demo-0 .* \? +host-0/)
      .and.include('not seen: pods (403 Forbidden)');
    expect((await run('plan demo', server, { refusal })).code).to.equal(EXIT.noPermission);
  });

  it('auth grant writes nothing when Pods may not be read: one may have been made with the Secret of before', async () => {
    const server = serverWith(3, { spec: { auth: { secretRef: { name: 'after', key: 'password' } } } });
    const refusal: FakeOptions['refusal'] = ({ path }) =>
      path.includes('/pods')
        ? { code: 403, reason: 'Forbidden', message: 'User "eve" cannot list resource "pods"' }
        : undefined;
    const granted = {
      apply: await run('auth grant demo --apply', server, { refusal }),
      shown: await run('auth grant demo', server, { refusal }),
    };
    for (const { code, out, writes } of Object.values(granted))
      expect([code, out, writes]).to.deep.equal([EXIT.noPermission, '', []]);
    expect((await run('auth grant demo', server)).out).to.include('after');
  });

  it('plan names the nodes that would be created, with the operator’s own sentence for the reason', async () => {
    const server = serverWith();
    server.patch(CLUSTERS, REF, { spec: { nodes: 5 } });
    const { code, out } = await run('plan demo', server);
    expect(code).to.equal(EXIT.fine);
    expect(out)
      .to.include('create MarekvsNode demo-3 (ScalingUp)')
      .and.include('create MarekvsNode demo-4 (ScalingUp)');
  });

  it('plan names the next to leave, the checks it could make, and those only the operator can', async () => {
    const server = serverWith(4, { status: { desiredNodes: 4 } });
    server.patch(CLUSTERS, REF, { spec: { nodes: 3 } });
    const { out } = await run('plan demo', server);
    expect(out).to.include('next to leave: demo-3').and.include('it has the highest id of 4');
    expect(out)
      .to.include('passes nobodyJoining')
      .and.match(/then the operator checks meshComplete, writesAllowed/);
    expect(out).to.include('not seen from here:').and.not.include('FAILS');
  });

  it('plan ends at the check at which the operator would stop', async () => {
    const server = serverWith(4, { spec: { extraEnv: { MAREKVS_REPLICAOF: 'redis:6379' } } });
    server.patch(CLUSTERS, REF, { spec: { nodes: 3 } });
    const { code, out } = await run('plan demo', server);
    expect(code).to.equal(EXIT.blocked);
    expect(out).to.include('FAILS notFollowing: demo-3 follows an upstream Redis');
  });
});

describe('kubectl mkv acknowledge', () => {
  const AT = '2026-01-01T00:50:00Z';
  const loss = { at: AT, nodeIds: [0, 1], partitions: 1362, percent: 33.3 };
  const lossy = () => serverWith(3, { status: { data: { state: 'Lost', losses: [loss] } } });
  const annotationOf = (server: MemoryApiServer) =>
    server.get(CLUSTERS, REF).metadata.annotations?.[ANNOTATIONS.acknowledgedLoss];
  const NOW = new Date(NOW_MS).toISOString();
  const me: FakeOptions['extra'] = ({ path }) =>
    path.includes('/selfsubjectreviews') ? { status: { userInfo: { username: 'ada' } } } : undefined;

  it('writes which loss, when, and the user by the API server', async () => {
    const server = lossy();
    const { code, out } = await run('acknowledge demo --yes', server, { extra: me });
    expect([code, annotationOf(server)]).to.deep.equal([EXIT.fine, `${AT}/${NOW}/ada`]);
    expect(out).to.include('the loss is acknowledged by ada');
  });
  it('asks for the name of the cluster, and writes nothing when another word is typed', async () => {
    const server = lossy();
    const wrong = await run('acknowledge demo --by me', server, { typed: ['yes'] });
    expect([wrong.code, annotationOf(server)]).to.deep.equal([EXIT.blocked, undefined]);
    await run('acknowledge demo --by me', server, { typed: ['demo'] });
    expect(annotationOf(server)).to.equal(`${AT}/${NOW}/me`);
  });
  it('says what it would write with --dry-run', async () => {
    const server = lossy();
    const { out } = await run('acknowledge demo --dry-run --by me', server);
    expect([out.includes(`${AT}/${NOW}/me`), annotationOf(server)]).to.deep.equal([true, undefined]);
  });
  it('has nothing to do when nothing is lost', async () => {
    const { code, out } = await run('acknowledge demo --yes');
    expect([code, out]).to.deep.equal([EXIT.fine, 'demo has lost no data that nobody has acknowledged\n']);
  });
});
