// Which passwords are tried with a member, what is noted about them, and the revision of a Pod whose node was given
// another Secret.

import { ANNOTATIONS, withDefaults } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { HASH, node, pod, silent } from '../../planner/test/support/builders.ts';
import { toNodeView } from '../src/caches/views.ts';
import { updateInForce } from '../src/cluster/observation/spec-in-force.ts';
import { nodeStamp, nodeTemplate, templateHash } from '../src/objects/template.ts';
import { nodeRecordOf } from '../src/pass/node-record.ts';
import type { Ports } from '../src/pass/ports.ts';
import { createMemberPasswords, wantedPassword } from '../src/secrets/member-passwords.ts';
import { notedSources, readNote } from '../src/secrets/password-note.ts';
import type { SecretState } from '../src/secrets/secrets-asked.ts';
import { clusterObject, FORMED, IDENTITY, nodeObject } from './support/objects.ts';

const KEY = 'default/demo-0';
const { signal } = new AbortController();
const ref = (name: string) => ({ name, key: 'password' });
const authOf = (name: string | undefined) => (name === undefined ? {} : { auth: { secretRef: ref(name) } });

interface Given {
  readonly asked?: string;
  readonly template?: string;
  readonly pod?: string;
  readonly noted?: string;
  readonly state?: SecretState;
  readonly isFormed?: boolean;
}

/** A member for which these Secrets are known. Each has its own name as its password, and had `old-<name>`
 *  before. */
function rig({ asked, template, pod: started = 'none', noted, state = 'present', isFormed = true }: Given) {
  const cluster = clusterObject({ spec: authOf(asked), ...(isFormed ? { status: FORMED } : {}) });
  const own = nodeObject(0);
  const { authSecretRef: _none, ...rest } = own.spec.template;
  const object = {
    ...own,
    metadata: {
      ...own.metadata,
      annotations: noted === undefined ? {} : { [ANNOTATIONS.passwordSecrets]: noted },
    },
    spec: { ...own.spec, template: { ...rest, ...(template === undefined ? {} : { authSecretRef: ref(template) }) } },
  };
  const view = toNodeView(object);
  const stores = {
    clusters: { store: { get: () => ({ uid: cluster.metadata.uid, object: cluster }) } },
    nodes: { store: { get: () => view } },
    pods: { store: { get: () => ({ ...pod(0), password: started }) } },
  };
  const read: string[] = [];
  const passwords: Pick<Ports['passwords'], 'read' | 'before'> = {
    async read({ name }) {
      read.push(name);
      if (name === 'gone') throw new Error('Secret default/gone does not exist');
      return name;
    },
    before: ({ name }) => [`old-${name}`],
  };
  const tried = createMemberPasswords(() => stores as unknown as Ports['caches'], passwords, { known: () => state });
  const all = async () => {
    const first = await tried.first(KEY, false, signal);
    const others = await tried.others(KEY, first.source, signal);
    return [first, ...others].map(({ password = 'without', isOld }) => `${password}${isOld === true ? '!' : ''}`);
  };
  return { read, all };
}

describe('the passwords tried with a member are', () => {
  const rows: readonly (readonly [string, Given, readonly string[]])[] = [
    ['none, where nothing names one', {}, ['without']],
    ['one, and the one it replaced', { asked: 'a', template: 'a', pod: 'a/password' }, ['a', 'old-a!']],
    [
      'first that of the spec, then of the template, of the Pod, and what it was given since',
      { asked: 'd', template: 'b', pod: 'a/password', noted: 'c/password' },
      ['d', 'old-d!', 'b', 'old-b!', 'a', 'old-a!', 'c', 'old-c!'],
    ],
    ['first none, when the spec names none any more', { template: 'a' }, ['without', 'a', 'old-a!']],
    [
      'that of the spec when the template had none, since a member without a password accepts any',
      { asked: 'a' },
      ['a', 'old-a!'],
    ],
    [
      'not that of the spec before the cluster is formed',
      { asked: 'b', template: 'a', isFormed: false },
      ['a', 'old-a!'],
    ],
    ['those that can be read', { asked: 'gone', template: 'a', noted: 'gone/password' }, ['a', 'old-a!', 'old-gone!']],
  ];
  for (const [title, given, expected] of rows)
    it(title, async () => {
      expect(await rig(given).all()).to.deep.equal(expected);
    });

  it('without that of the spec while it is not known to be usable, so that it is not read in vain', async () => {
    for (const state of ['missing', 'invalid', 'forbidden', 'unknown'] as const) {
      const { all, read } = rig({ asked: 'b', template: 'a', state });
      expect(await all()).to.deep.equal(['a', 'old-a!']);
      expect(read).to.deep.equal(['a']);
    }
  });

  it('none, with the error, when none can be read', async () => {
    const { all } = rig({ asked: 'gone', template: 'gone', pod: 'gone/password' });
    const error = await all().catch((reason: Error) => reason);
    expect(error).to.have.property('message', 'Secret default/gone does not exist');
  });
});

describe('the password that a spec asks for', () => {
  it('is usable when its Secret is there, and when no password is asked for', () => {
    const of = (asked: string | undefined, state: SecretState) =>
      wantedPassword(clusterObject({ spec: authOf(asked) }), { known: () => state });
    expect(of('a', 'present')).to.deep.equal({ asked: 'a/password', isUsable: true });
    expect(of('a', 'unknown')).to.deep.equal({ asked: 'a/password', isUsable: false });
    expect(of(undefined, 'unknown')).to.deep.equal({ asked: 'none', isUsable: true });
  });
});

describe('the note of the passwords that a member was given', () => {
  it('gains one entry, loses that of the template, and is removed when it is empty', () => {
    expect(notedSources(['a/password'], ref('b'), ref('c'))).to.equal('a/password,b/password');
    expect(notedSources(['a/password', 'b/password'], ref('a'), ref('b'))).to.equal('a/password');
    expect(notedSources([], undefined, undefined)).to.equal(null);
    expect(notedSources(['a/password'], undefined, ref('a'))).to.equal(null);
  });
  it('loses the earliest entry of more than eight', () => {
    const many = Array.from({ length: 9 }, (_, n) => `s${n}/password`);
    expect(notedSources(many.slice(0, 8), ref('s8'), undefined)?.split(',')).to.deep.equal(many.slice(1));
  });
  it('is read without malformed entries', () => {
    expect(readNote(undefined)).to.deep.equal([]);
    expect(readNote('a/password,,nonsense')).to.deep.equal(['a/password']);
  });
});

describe('a Pod whose node was given another Secret', () => {
  const counted = (note: string | undefined, change: Parameters<typeof pod>[1] = {}) => {
    const object = nodeObject(0);
    const annotations = note === undefined ? {} : { [ANNOTATIONS.restampedPod]: note };
    const view = toNodeView({ ...object, metadata: { ...object.metadata, annotations } });
    return nodeRecordOf(view, { pod: pod(0, change), volume: undefined, answer: silent }).pod?.templateHash;
  };
  it('counts as having the revision with that Secret', () => {
    expect(counted(`pod-uid-0/${HASH}/bbbb`)).to.equal('bbbb');
  });
  it('has its own revision when the note is about another Pod, or about another revision', () => {
    expect(counted(undefined)).to.equal(HASH);
    expect(counted(`another/${HASH}/bbbb`)).to.equal(HASH);
    expect(counted(`pod-uid-0/${HASH}/bbbb`, { templateHash: 'cccc' })).to.equal('cccc');
  });
});

describe('the stored progress of an update', () => {
  const templateFor = (image: string, secret: string | undefined) =>
    nodeTemplate(withDefaults({ image, ...authOf(secret) }), IDENTITY);
  const kept = (image: string, secret: string | undefined) => {
    const template = templateFor(image, secret);
    return { hash: templateHash(template), template };
  };
  const stamp = nodeStamp(clusterObject({ status: FORMED }), withDefaults({ image: 'marekvs:2', ...authOf('b') }));
  const before = { one: kept('marekvs:1', 'a'), two: kept('marekvs:2', 'a'), oneNow: kept('marekvs:1', 'b') };
  const stopped = { node: 'demo-0', nodeUID: 'u', reason: 'CrashLooping', message: 'm', at: 't' };
  const stored = (revision: string, previous: string) => ({
    update: { revision, previous, updated: 0, total: 3, stopped },
    rollout: { approved: revision, isPaused: false, retry: undefined },
  });

  it('goes on under the names of the revisions with the Secret that is in force', () => {
    const revisions = [before.one, before.two, before.oneNow];
    const now = updateInForce(stored(before.two.hash, before.one.hash), stamp, revisions);
    expect(now).to.deep.equal(stored(stamp.hash, before.oneNow.hash));
  });
  it('keeps the name of a revision that does not exist with that Secret', () => {
    const now = updateInForce(stored(before.two.hash, before.one.hash), stamp, [before.one, before.two]);
    expect(now).to.deep.equal(stored(stamp.hash, before.one.hash));
  });
  it('ends when more than the Secret differs', () => {
    const now = updateInForce(stored(before.one.hash, before.one.hash), stamp, [before.one]);
    expect(now.update?.revision).to.equal(before.one.hash);
  });
  it('has the same objects when nothing has changed', () => {
    const same = stored(stamp.hash, stamp.hash);
    const now = updateInForce(same, stamp, [{ hash: stamp.hash, template: stamp.template }]);
    expect([now.update === same.update, now.rollout === same.rollout]).to.deep.equal([true, true]);
    expect(updateInForce({ ...same, update: undefined }, stamp, []).update).to.equal(undefined);
  });
});

describe('a node record', () => {
  it('has the places of the passwords that its member was started with and was given', () => {
    const object = nodeObject(0);
    const view = toNodeView({
      ...object,
      metadata: { ...object.metadata, annotations: { [ANNOTATIONS.passwordSecrets]: 'b/password' } },
      spec: { ...object.spec, template: { ...object.spec.template, authSecretRef: ref('a') } },
    });
    const record = nodeRecordOf(view, { pod: undefined, volume: undefined, answer: node(0).answer });
    expect([record.password, record.passwordsGiven]).to.deep.equal(['a/password', ['b/password']]);
  });
});
