// The pure decisions of kubectl mkv rollout: what an update waits for, what a request to it does, and the way back from
// a template to the spec.

import { ANNOTATIONS, type MarekvsCluster, type NodeTemplate, withDefaults } from '@marekvs/api';
import { nodeStamp } from '@marekvs/operator/projections';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { anotherTry, approval, pausing, rolloutOutlook, type Update } from '../src/verbs/rollout/outlook.ts';
import { allRestarted } from '../src/verbs/rollout/restart-all.ts';
import { differences, keptApart, specOf } from '../src/verbs/rollout/template-spec.ts';
import { runFake } from './support/fake-cli.ts';
import { CLUSTERS, REF, serverWith } from './support/fake-server.ts';
import { CLUSTER_UID, type ClusterChange, cluster, clusterCondition, NOW_MS, READY, SINCE } from './support/objects.ts';

const REVISION = '00000000000000aa';
const PREVIOUS = '00000000000000bb';
const STOPPED: Update['stopped'] = {
  node: 'demo-2',
  nodeUID: 'node-uid-2',
  reason: 'CrashLooping',
  message: 'the member of demo-2 has ended 3 times with this template',
  at: SINCE,
};

type Reason = Parameters<typeof clusterCondition>[2];
function rolling(reason: Reason, update: Partial<Update> = {}, change: ClusterChange = {}): MarekvsCluster {
  const status = reason === 'RollingOut' ? 'True' : 'False';
  const conditions = [READY, clusterCondition('RollingOut', status, reason, `said: ${reason}`)];
  return cluster({
    ...change,
    status: {
      conditions,
      update: { revision: REVISION, previous: PREVIOUS, updated: 1, total: 3, ...update },
      ...change.status,
    },
  });
}
const annotated = (annotations: Readonly<Record<string, string>>): ClusterChange => ({ metadata: { annotations } });
const DONE = { updated: 3 } as const;

describe('the outlook of a rolling update', () => {
  const CASES: readonly (readonly [string, MarekvsCluster, string])[] = [
    ['every member has it', rolling('TemplateCurrent', DONE), 'inForce'],
    ['a turn is still to be closed', rolling('RollingOut', DONE, { status: { operation: turn() } }), 'underWay'],
    ['the cluster is being formed', rolling('TemplateCurrent', DONE, { status: { formed: undefined } }), 'underWay'],
    ['members are restarted', rolling('RollingOut'), 'underWay'],
    [
      'the spec is newer than what the operator saw',
      rolling('TemplateCurrent', DONE, { metadata: { generation: 2 } }),
      'unseen',
    ],
    ['an older operator manages it', cluster(), 'unseen'],
    ['it has stopped', rolling('RolloutStopped', { stopped: STOPPED }), 'stopped'],
    [
      'another try is asked for',
      rolling('RolloutStopped', { stopped: STOPPED }, annotated({ [ANNOTATIONS.rolloutRetry]: 'b' })),
      'unseen',
    ],
    [
      'that try has failed as well',
      rolling('RolloutStopped', { stopped: STOPPED, retried: 'b' }, annotated({ [ANNOTATIONS.rolloutRetry]: 'b' })),
      'stopped',
    ],
    ['its canaries wait', rolling('RolloutAwaitsApproval'), 'held'],
    [
      'its canaries wait, another revision is approved',
      rolling('RolloutAwaitsApproval', {}, annotated({ [ANNOTATIONS.rolloutApproved]: PREVIOUS })),
      'held',
    ],
    [
      'it was approved just now',
      rolling('RolloutAwaitsApproval', {}, annotated({ [ANNOTATIONS.rolloutApproved]: REVISION })),
      'unseen',
    ],
    ['it is paused', rolling('RolloutPaused', {}, annotated({ [ANNOTATIONS.rolloutPaused]: 'true' })), 'held'],
    ['it was resumed just now', rolling('RolloutPaused'), 'unseen'],
    ['it waits for Pods to be deleted', rolling('RolloutOnDelete'), 'held'],
    ['the whole cluster is paused', rolling('RollingOut', {}, { spec: { paused: true } }), 'held'],
    [
      'the whole cluster is paused, and as it should be',
      rolling('TemplateCurrent', DONE, { spec: { paused: true } }),
      'inForce',
    ],
    ['the cluster hibernates', rolling('RollingOut', {}, { spec: { hibernated: true } }), 'held'],
    [
      'the cluster hibernates, and is as it should be',
      rolling('TemplateCurrent', DONE, { spec: { hibernated: true } }),
      'inForce',
    ],
    [
      'somebody has to act for another reason',
      rolling(
        'RollingOut',
        {},
        {
          status: {
            conditions: [
              clusterCondition('RollingOut', 'True', 'RollingOut', ''),
              clusterCondition('Stalled', 'True', 'DiskFull', 'demo-1 is full'),
            ],
          },
        },
      ),
      'blocked',
    ],
  ];
  for (const [title, given, kind] of CASES) {
    it(`is ${kind} when ${title}`, () => {
      expect(rolloutOutlook(given).kind).to.equal(kind);
    });
  }

  it('waits for the approval of a canary also while the cluster hibernates, and otherwise for its waking', () => {
    const asleep = { spec: { hibernated: true } };
    const reasonOf = (reason: Reason) => {
      const outlook = rolloutOutlook(rolling(reason, {}, asleep));
      return outlook.kind === 'held' ? [outlook.reason, ...outlook.next] : [outlook.kind];
    };
    expect(reasonOf('RolloutAwaitsApproval')[0]).to.equal('RolloutAwaitsApproval');
    expect(reasonOf('RollingOut')).to.deep.equal(['Hibernated', 'kubectl mkv wake demo -n default']);
  });

  it('says that the member of a stopped update goes back, while it does', () => {
    const operation = { ...turn(), phase: 'RollingBack' as const };
    const back = rolling('RollingOut', { stopped: STOPPED }, { status: { operation } });
    expect(rolloutOutlook(back).why).to.match(/ended 3 times with this template; it goes back to the template it had$/);
  });
});

function turn() {
  const roll = { name: 'demo-2', uid: 'node-uid-2', nodeId: 2, podUID: 'pod-uid-2', previous: PREVIOUS };
  return { id: '2-a', type: 'Roll' as const, roll, specGeneration: 1, phase: 'Claimed' as const, startedAt: SINCE };
}

describe('a request to a rolling update', () => {
  it('approves only the revision that waits', () => {
    const waiting = rolling('RolloutAwaitsApproval');
    for (const wanted of [undefined, REVISION])
      expect(approval(waiting, wanted)).to.deep.include({ annotations: { [ANNOTATIONS.rolloutApproved]: REVISION } });
    expect(approval(waiting, PREVIOUS).kind).to.equal('refused');
    expect(approval(rolling('RollingOut'), undefined).kind).to.equal('refused');
    expect(approval(rolling('RolloutAwaitsApproval', {}, { metadata: { generation: 2 } }), undefined).kind).to.equal(
      'refused',
    );
  });

  it('retries only an update that has stopped', () => {
    expect(anotherTry(rolling('RolloutStopped', { stopped: STOPPED }), SINCE)).to.deep.include({
      annotations: { [ANNOTATIONS.rolloutRetry]: SINCE },
    });
    for (const other of ['RollingOut', 'TemplateCurrent', 'RolloutPaused'] as const)
      expect(anotherTry(rolling(other), SINCE).kind, other).to.equal('refused');
  });

  it('pauses and resumes only once', () => {
    const paused = rolling('RolloutPaused', {}, annotated({ [ANNOTATIONS.rolloutPaused]: 'true' }));
    expect([pausing(paused, true).kind, pausing(rolling('RollingOut'), false).kind]).to.deep.equal(['same', 'same']);
    expect(pausing(rolling('RollingOut'), true)).to.deep.include({
      annotations: { [ANNOTATIONS.rolloutPaused]: 'true' },
    });
    expect(pausing(paused, false)).to.deep.include({ annotations: { [ANNOTATIONS.rolloutPaused]: null } });
  });
});

describe('the way back from a template to spec', () => {
  const spec = (more: Partial<MarekvsCluster['spec']>): MarekvsCluster => cluster({ spec: more });
  const templateOf = (of: MarekvsCluster): NodeTemplate => nodeStamp(of, withDefaults(of.spec)).template;
  /** The fields in which two specs differ. */
  const SPECS: readonly Partial<MarekvsCluster['spec']>[] = [
    {},
    { image: 'marekvs:next', imagePullPolicy: 'Always', imagePullSecrets: [{ name: 'login' }] },
    { resources: { cpu: 2, memory: '3Gi' }, extraEnv: { A: '1', B: '2' } },
    { extraEnv: { B: '3' }, nodeSelector: { disk: 'fast' }, tolerations: [{ key: 'a', operator: 'Exists' }] },
    { nodeSelector: { zone: 'b' }, priorityClassName: 'high', hostnameSpreadWhenUnsatisfiable: 'DoNotSchedule' },
    { podMetadata: { labels: { team: 'a' }, annotations: { note: 'x' } } },
    { podMetadata: { labels: { other: 'b' } } },
    { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } } },
    { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] },
  ];

  it('leads from every spec to the template of every other one', () => {
    for (const from of SPECS)
      for (const to of SPECS) {
        const wanted = templateOf(spec(to));
        const patch = specOf(spec(from), wanted);
        const server = serverWith(0, { spec: from });
        server.patch(CLUSTERS, REF, { spec: patch });
        const changed = server.get(CLUSTERS, REF) as unknown as MarekvsCluster;
        expect(templateOf({ ...cluster(), spec: changed.spec }), JSON.stringify([from, to])).to.deep.equal(wanted);
      }
  });

  it('writes nothing when the spec means the same in another form', () => {
    const wanted = templateOf(spec({ resources: { cpu: '500m', memory: '1Gi' }, extraEnv: {} }));
    expect(specOf(spec({}), wanted)).to.deep.equal({});
  });

  it('never changes the password or the identity, but sets replicationFactor back', () => {
    const other = spec({ replicationFactor: 3, gcGraceSeconds: 60, auth: { secretRef: { name: 's', key: 'k' } } });
    const wanted = { ...templateOf(other), clusterIdentity: 'another' };
    expect(specOf(spec({}), wanted)).to.deep.equal({ replicationFactor: 3, gcGraceSeconds: 60 });
    expect(keptApart(wanted, templateOf(spec({})))).to.deep.equal(['clusterIdentity', 'authSecretRef']);
  });

  it('is shown field by field, lists as a whole', () => {
    expect(
      differences({ a: 1, b: { c: 'x', same: 1 }, l: [1] }, { b: { c: 'y', same: 1, d: true }, l: [1, 2] }),
    ).to.deep.equal([
      { path: 'a', from: '1', to: undefined },
      { path: 'b.c', from: 'x', to: 'y' },
      { path: 'b.d', from: undefined, to: 'true' },
      { path: 'l', from: '[1]', to: '[1,2]' },
    ]);
  });
});

describe('kubectl mkv rollout undo', () => {
  const template = (image: string): NodeTemplate => {
    const of = cluster({ spec: { image } });
    return nodeStamp(of, withDefaults(of.spec)).template;
  };

  function serverOf(altered: boolean) {
    const hash = nodeStamp(
      cluster({ spec: { image: 'marekvs:old' } }),
      withDefaults({ image: 'marekvs:old', nodes: 3, replicationFactor: 2 }),
    ).hash;
    const server = serverWith(3, { status: { update: { revision: REVISION, previous: hash, updated: 3, total: 3 } } });
    const { uid } = server.get(CLUSTERS, REF).metadata;
    const owner = { apiVersion: 'marekvs.io/v1alpha1', kind: 'MarekvsCluster', name: 'demo', controller: true };
    const labels = { 'app.kubernetes.io/managed-by': 'marekvs-operator', 'marekvs.io/cluster': 'demo' };
    const revision = (of: string, image: string, name = `demo-${hash}`) =>
      server.create('controllerrevisions.apps', {
        metadata: { namespace: 'default', name, labels, ownerReferences: [{ ...owner, uid: of }] },
        ...{ data: { template: template(image) }, revision: 1 },
      });
    revision(uid, altered ? 'marekvs:altered' : 'marekvs:old');
    revision(CLUSTER_UID.replace('1', '2'), 'marekvs:foreign', 'demo-ffffffffffffffff');
    return { server, hash };
  }
  const run = (line: string, server: ReturnType<typeof serverWith>) =>
    runFake(['rollout', ...line.split(' ')], { server, nowMs: NOW_MS });

  it('goes to the previous revision, or to one by its number, with one conditional write', async () => {
    for (const line of ['undo demo --yes', 'undo demo --to 1 --yes', 'undo --yes']) {
      const { server, hash } = serverOf(false);
      const { code, out, err, writes } = await run(line, server);
      expect([code, err], out).to.deep.equal([EXIT.fine, '']);
      expect(writes).to.deep.equal([
        'dry-run patch marekvsclusters default/demo',
        'patch marekvsclusters default/demo',
      ]);
      expect(out).to.include(`demo: spec back to revision ${hash}\n  spec.image: marekvs:test -> marekvs:old\n`);
      expect(server.get(CLUSTERS, REF)).to.have.nested.property('spec.image', 'marekvs:old');
    }
  });

  it('never uses a revision that somebody has altered, nor one of another cluster', async () => {
    const { server } = serverOf(true);
    const altered = await run('undo demo --yes', server);
    expect([altered.code, altered.writes]).to.deep.equal([EXIT.blocked, []]);
    expect(altered.err).to.include('does not hold what its name says');
    const foreign = await run('undo demo --yes --to ffffffffffffffff', server);
    expect([foreign.code, foreign.writes]).to.deep.equal([EXIT.notFound, []]);
    expect((await run('history demo', server)).out)
      .to.match(/previous, altered/)
      .and.not.include('ffffffff');
  });

  it('does not call a revision nobody’s because Pods may not be read, on the screen and for scripts', async () => {
    const { server } = serverOf(false);
    const unread = 'pods (403 Forbidden)';
    const shown = (line: string) =>
      runFake(['rollout', ...line.split(' ')], {
        server,
        nowMs: NOW_MS,
        refusal: ({ path }) => (path.includes('/pods') ? { code: 403, reason: 'Forbidden', message: 'no' } : undefined),
      });
    expect((await shown('history demo')).out).to.include(`not seen: ${unread}`);
    for (const line of ['history demo -o json', 'status demo -o json'])
      expect(JSON.parse((await shown(line)).out).unread, line).to.deep.equal([unread]);
  });

  it('names the revisions that there are when no previous one is known', async () => {
    const server = serverWith(3, { status: { update: { revision: REVISION, updated: 3, total: 3 } } });
    const { code, err } = await run('undo demo --yes', server);
    expect([code, err]).to.deep.equal([
      EXIT.blocked,
      'error: no revision is known that all members of demo had before. Next: kubectl mkv rollout history demo -n default lists what there is; name one with --to\n',
    ]);
  });

  it('prints no control character of stored texts', async () => {
    const { server } = serverOf(false);
    server.patch(CLUSTERS, REF, { spec: { extraEnv: { A: 'x\u001b[2J' } } });
    for (const line of ['undo demo --dry-run', 'status demo', 'history demo'])
      expect((await run(line, server)).out).to.not.include('\u001b');
    expect((await run('undo demo --dry-run', server)).out).to.include('\\u001b[2J');
  });
});

describe('kubectl mkv rollout status --watch', () => {
  it('goes on when the API server is away as the reason is searched for why the operator does nothing', async () => {
    let lists = 0;
    const { code, err } = await runFake(['rollout', 'status', 'demo', '--watch'], {
      server: serverWith(),
      nowMs: NOW_MS,
      refusal: ({ path }) =>
        path.includes('/marekvsnodes') && ++lists === 1
          ? { code: 503, reason: 'NotNow', message: 'not now' }
          : undefined,
    });
    expect([code, lists]).to.deep.equal([EXIT.blocked, 3]);
    expect(err).to.match(/^warning: [^\n]*not now[^\n]*\nerror: [^\n]*operator/);
  });
});

describe('kubectl mkv rollout restart', () => {
  const AT = '2026-01-02T03:04:05.000Z';
  const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';
  const run = (line: string, server: ReturnType<typeof serverWith>, answer?: string) => {
    const typed = answer === undefined ? {} : { typed: [answer] };
    return runFake(['rollout', ...line.split(' ')], { server, nowMs: Date.parse(AT), ...typed });
  };
  const annotationsOf = (server: ReturnType<typeof serverWith>): unknown =>
    (server.get(CLUSTERS, REF) as unknown as MarekvsCluster).spec.podMetadata;

  it('adds the time to the template, after showing the change', async () => {
    const spec = { podMetadata: { labels: { team: 'a' }, annotations: { note: 'x', [RESTARTED_AT]: SINCE } } };
    const server = serverWith(3, { spec });
    const { code, out, err, writes } = await run('restart demo --yes', server);
    expect([code, err], out).to.deep.equal([EXIT.fine, '']);
    expect(writes).to.deep.equal(['dry-run patch marekvsclusters default/demo', 'patch marekvsclusters default/demo']);
    expect(out)
      .to.match(/^demo: every member is restarted on its volume, one after the other\n {2}spec\.podMetadata/)
      .and.include(`/restartedAt: ${SINCE.slice(0, 10)}`)
      .and.match(/next: kubectl mkv rollout status demo -n default --watch\n$/);
    expect(annotationsOf(server)).to.deep.equal({
      labels: { team: 'a' },
      annotations: { note: 'x', [RESTARTED_AT]: AT },
    });
  });

  it('writes nothing in a dry run, without consent, or when nobody can be asked', async () => {
    const tries = [
      ['restart demo --dry-run', undefined, EXIT.fine],
      ['restart demo', 'n', EXIT.failed],
      ['restart demo', undefined, EXIT.usage],
    ] as const;
    for (const [line, answer, wanted] of tries) {
      const server = serverWith(3);
      const { code, out, writes } = await run(line, server, answer);
      expect([code, writes], line).to.deep.equal([wanted, ['dry-run patch marekvsclusters default/demo']]);
      expect(out).to.include('/restartedAt: not set -> ');
      expect(annotationsOf(server)).to.equal(undefined);
    }
    expect((await run('restart demo', serverWith(3), 'y')).code).to.equal(EXIT.fine);
  });

  const REFUSED: readonly (readonly [string, MarekvsCluster, string])[] = [
    ['the cluster is paused', rolling('TemplateCurrent', DONE, { spec: { paused: true } }), 'resume'],
    [
      'its updates are paused',
      rolling('RolloutPaused', {}, annotated({ [ANNOTATIONS.rolloutPaused]: 'true' })),
      'rollout resume',
    ],
    ['it is hibernated', rolling('TemplateCurrent', DONE, { spec: { hibernated: true } }), 'wake'],
    ['its update has stopped', rolling('RolloutStopped', { stopped: STOPPED }), 'rollout undo'],
  ];
  for (const [title, given, verb] of REFUSED)
    it(`is refused with what to do while ${title}`, () => {
      expect(allRestarted(given, AT)).to.include({ kind: 'refused', next: `kubectl mkv ${verb} demo -n default` });
    });

  it('says beforehand that keys with one home cannot be read meanwhile', () => {
    const how = (replicationFactor: number) =>
      allRestarted(rolling('TemplateCurrent', DONE, { spec: { replicationFactor } }), AT);
    expect(how(1))
      .to.have.property('how')
      .that.matches(/one after the other; with replicationFactor 1 its keys are away for seconds$/);
    expect(how(2))
      .to.have.property('how')
      .that.matches(/one after the other$/);
  });

  it('says when it waits for a person', () => {
    const how = (update: MarekvsCluster['spec']['update']) =>
      allRestarted(rolling('TemplateCurrent', DONE, { spec: { update } }), AT);
    expect(how({ canaryNodes: 1 }))
      .to.have.property('how')
      .that.matches(/after 1 of them it waits for an approval$/);
    expect(how({ type: 'OnDelete' }))
      .to.have.property('how')
      .that.matches(/when its Pod is deleted/);
    expect(how(undefined))
      .to.have.property('how')
      .that.matches(/one after the other$/);
  });
});
