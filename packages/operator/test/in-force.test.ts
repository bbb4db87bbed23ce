// Which fields of a spec are in force according to Pods, volumes and members; what is alarming about a password; and
// whether its Secret exists.

import type { MarekvsNodeSpec } from '@marekvs/api';
import { type MemberAnswer, type NodeRecord, planCluster } from '@marekvs/planner';
import { ApiError, type KubeClient } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { node, nodes, observation, pod, serving, silent, views, volume } from '../../planner/test/support/builders.ts';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { toNodeView } from '../src/caches/views.ts';
import { authHolds, nodesInForce, pendingOf, type SeenInForce } from '../src/cluster/observation/parts-in-force.ts';
import { nodeTemplate, templateHash } from '../src/objects/template.ts';
import { createSecretsAsked } from '../src/secrets/secrets-asked.ts';
import { clusterObject, IDENTITY, nodeObject } from './support/objects.ts';

const template = nodeTemplate(observation().cluster.spec, IDENTITY);
const hash = templateHash(template);
const asking = { ...template, authSecretRef: { name: 'one', key: 'password' } };
const viewOf = (id: number, spec: Partial<MarekvsNodeSpec> = {}) => toNodeView(nodeObject(id, { spec }));

describe('the template that a node runs with', () => {
  const shown = (change: Partial<NodeRecord>, isFormed = true) =>
    nodesInForce(observation({ cluster: { isFormed } }), [
      { record: node(0, { templateHash: hash, pod: pod(0, { templateHash: hash }), ...change }), view: viewOf(0) },
    ]);

  it('is that of its node when its Pod has the same hash', () => {
    const [shownNode] = shown({});
    expect(shownNode?.name).to.equal('demo-0');
    expect(shownNode?.template).to.deep.equal(viewOf(0).object.spec.template);
  });
  it('is that of its node also when the Pod has no hash, as after a take-over, and while there is no Pod', () => {
    expect(shown({ pod: pod(0, { templateHash: undefined }) })[0]?.template).to.not.equal(undefined);
    expect(shown({ pod: undefined })[0]?.template).to.not.equal(undefined);
  });
  it('is unknown when its Pod has another hash, since it has not been restarted yet', () => {
    expect(shown({ pod: pod(0, { templateHash: 'an older one' }) })[0]).to.include({ template: undefined });
  });
  it('does not count for a node that goes or has lost its volume, nor before the cluster is formed', () => {
    expect(shown({ isDeleting: true })).to.deep.equal([]);
    expect(shown({ volume: undefined })).to.deep.equal([]);
    expect(shown({}, false)).to.deep.equal([]);
  });
  it('comes with the size in the status of its claim, and what prevents a larger one', () => {
    const [grown] = shown({ volume: volume(0, { requestedSize: '20Gi' }) });
    expect([grown?.storageSize, grown?.volumeWaits?.reason]).to.deep.equal(['10Gi', 'VolumeChanging']);
  });
  it('is not compared while the spec breaks a rule', () => {
    const o = observation({ cluster: { problems: [{ path: 'spec.image', message: 'is wrong' }] } });
    const seen: SeenInForce = { template: { ...template, image: 'other' }, nodes: shown({}), secret: undefined };
    expect(pendingOf(clusterObject(), o, planCluster(o), seen)).to.deep.equal([]);
    const fine = observation();
    expect(pendingOf(clusterObject(), fine, planCluster(fine), seen).map(({ field }) => field)).to.deep.equal([
      'spec.image',
    ]);
  });
});

describe('the reported state of the password of a cluster', () => {
  const open: MemberAnswer = serving(views(3));
  const guarded: MemberAnswer = { ...serving(views(3)), isGuarded: true };
  const seen = (change: Partial<SeenInForce> = {}): SeenInForce => ({
    template: asking,
    nodes: [],
    secret: 'present',
    ...change,
  });
  const holds = (answers: readonly MemberAnswer[], change: Partial<SeenInForce> = {}) => {
    const o = observation({ nodes: nodes(3).map((one, id) => ({ ...one, answer: answers[id] ?? silent })) });
    return authHolds(clusterObject(), o, seen(change)).map((one) => [one.reason, one.message, one.needsPerson]);
  };
  /** The alarm while a password is being given, this long after it was asked for, in a cluster with this spec. */
  const whileGiven = (sinceMs: number, spec: { readonly paused?: boolean } = {}) => {
    const o = observation({
      nodes: nodes(3).map((one, id) => ({ ...one, answer: id === 0 ? guarded : open })),
      cluster: { password: { asked: 'one/password', isUsable: true, stamped: 'none' } },
    });
    const since = new Date(o.nowMs - sinceMs).toISOString();
    const pendingChanges = [
      {
        field: 'spec.auth',
        asked: 'a',
        effective: 'b',
        reason: 'PasswordRotating',
        why: '',
        wayOut: '',
        needsPerson: false,
        since,
      },
    ];
    const object = clusterObject();
    const cluster = { ...object, spec: { ...object.spec, ...spec }, status: { ...object.status, pendingChanges } };
    return authHolds(cluster, o, seen()).map(({ reason }) => reason);
  };

  it('is fine when all members want it, or none is asked for', () => {
    expect(holds([guarded, guarded, guarded])).to.deep.equal([]);
    expect(holds([open, open, open], { template, secret: undefined })).to.deep.equal([]);
  });
  it('is an alarm when members answer without a password', () => {
    expect(holds([open, open, open])).to.deep.equal([
      ['AuthNotInForce', 'demo-0, demo-1, demo-2 answer without a password although spec.auth asks for one', true],
    ]);
  });
  it('is an alarm when some members want it and others do not, whatever the spec says', () => {
    const mixed = ['AuthMixed', 'only demo-1 of 3 members want a password: demo-0, demo-2 answer without one', true];
    expect(holds([open, guarded, open])).to.deep.equal([mixed]);
    expect(holds([open, guarded, open], { template, secret: undefined })).to.deep.equal([mixed]);
  });
  it('is no alarm while members are being given it, which takes seconds, until a minute has passed', () => {
    expect(whileGiven(59_999)).to.deep.equal([]);
    expect(whileGiven(60_000)).to.deep.equal(['AuthMixed']);
  });
  it('is an alarm at once in a paused cluster, whose members are given nothing', () => {
    expect(whileGiven(0, { paused: true })).to.deep.equal(['AuthMixed']);
  });
  it('ignores a member that does not answer', () => {
    expect(holds([guarded, guarded, silent])).to.deep.equal([]);
    expect(holds([silent, silent, silent])).to.deep.equal([]);
  });
  it('is an alarm when its Secret is known not to exist', () => {
    const missing = ['SecretMissing', 'spec.auth names Secret one with key password, which is not there', true];
    expect(holds([guarded, guarded, guarded], { secret: 'missing' })).to.deep.equal([missing]);
    expect(holds([guarded, guarded, guarded], { secret: 'unknown' })).to.deep.equal([]);
  });
});

describe('the existence of a Secret', () => {
  const REF = { namespace: 'default', name: 'one', key: 'password' };
  const refused = (status: number, reason: string) =>
    new ApiError({ verb: 'get', subject: 'secrets default/one', path: '/', status, reason });

  function rig(answer: () => { readonly data?: Readonly<Record<string, string>> }) {
    const clock = createManualClock();
    const told: string[] = [];
    let reads = 0;
    const client = {
      async get() {
        reads += 1;
        return { metadata: { uid: 'secret-uid' }, ...answer() };
      },
    };
    const asked = createSecretsAsked({
      client: client as Partial<KubeClient> as KubeClient,
      clock,
      onAnswer: (key) => void told.push(key),
      onVersion: () => {},
    });
    void asked.run(new AbortController().signal);
    return { clock, told, asked, reads: () => reads, settled: () => new Promise((resolve) => setImmediate(resolve)) };
  }
  const absent = () => {
    throw refused(404, 'NotFound');
  };
  const there = () => ({ data: { password: 'eA==' } });

  it('is asked in the background, reported once, and not asked again for ten minutes', async () => {
    const { asked, clock, told, reads, settled } = rig(there);
    expect(asked.ask('default/demo', REF)).to.equal('unknown');
    await settled();
    expect([asked.ask('default/demo', REF), told]).to.deep.equal(['present', ['default/demo']]);
    clock.advance(599_000);
    asked.ask('default/demo', REF);
    expect(reads()).to.equal(1);
    clock.advance(1_000);
    asked.ask('default/demo', REF);
    expect(reads()).to.equal(2);
  });
  it('causes a pass every 30 s while the Secret is missing, since no event tells that it was created', async () => {
    const { asked, clock, told, settled } = rig(absent);
    asked.ask('default/demo', REF);
    await settled();
    expect([asked.ask('default/demo', REF), told.length]).to.deep.equal(['missing', 1]);
    clock.advance(30_000);
    expect(told).to.have.length(2);
  });
  it('counts as missing also without the key, or with an empty value', async () => {
    for (const data of [{}, { password: '' }]) {
      const { asked, settled } = rig(() => ({ data }));
      asked.ask('default/demo', REF);
      await settled();
      expect(asked.ask('default/demo', REF)).to.equal('missing');
    }
  });
  it('is reported as forbidden where no right was granted, and asked for again every 30 s, since a grant causes no event', async () => {
    const { asked, settled, clock, reads } = rig(() => {
      throw refused(403, 'Forbidden');
    });
    asked.ask('default/demo', REF);
    await settled();
    expect(asked.ask('default/demo', REF)).to.equal('forbidden');
    clock.advance(30_000);
    asked.ask('default/demo', REF);
    await settled();
    expect(reads()).to.equal(2);
  });
  it('is unknown while the API server does not answer', async () => {
    let isAway = true;
    const { asked, settled, clock, told } = rig(() => {
      if (isAway) throw refused(503, 'ServiceUnavailable');
      return there();
    });
    asked.ask('default/demo', REF);
    await settled();
    clock.advance(29_999);
    expect([asked.ask('default/demo', REF), told.length]).to.deep.equal(['unknown', 0]);
    clock.advance(1);
    expect(told, 'a cluster at rest has no other pass').to.have.length(1);
    isAway = false;
    asked.ask('default/demo', REF);
    await settled();
    expect(asked.ask('default/demo', REF)).to.equal('present');
  });
  it('counts as invalid when the value cannot be a variable of a member', async () => {
    for (const [text, expected] of [
      ['with a \0 in it', 'invalid'],
      [' with blanks ', 'present'],
      ['x'.repeat(131_052), 'invalid'],
      ['', 'missing'],
    ] as const) {
      const { asked, settled } = rig(() => ({ data: { password: Buffer.from(text).toString('base64') } }));
      asked.ask('default/demo', REF);
      await settled();
      expect(asked.ask('default/demo', REF), JSON.stringify(text.slice(0, 20))).to.equal(expected);
    }
  });
  it('is asked for again for another Secret', async () => {
    const { asked, settled, reads } = rig(there);
    asked.ask('default/demo', REF);
    await settled();
    expect(asked.ask('default/demo', { ...REF, name: 'two' })).to.equal('unknown');
    expect(reads()).to.equal(2);
  });
  it('causes no more passes for a cluster that is gone or names another Secret', async () => {
    let isAbsent = true;
    const { asked, settled, clock, told } = rig(() => (isAbsent ? absent() : there()));
    for (const key of ['default/gone', 'default/other']) asked.ask(key, REF);
    await settled();
    expect(told).to.deep.equal(['default/gone', 'default/other']);
    asked.forget('default/gone');
    isAbsent = false;
    asked.ask('default/other', { ...REF, name: 'two' });
    await settled();
    told.length = 0;
    clock.advance(60_000);
    expect(told).to.deep.equal([]);
  });
});
