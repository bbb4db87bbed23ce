// A member that runs and accepts no known password is restarted on its volume, alone and while all others are up: its
// figures and contents show what it refuses to show over RESP.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { ClusterObservation, MemberAnswer, NodeRecord } from '../../src/index.ts';
import { planCluster } from '../../src/index.ts';
import { isUnlockingPending, LOCKED_PATIENCE_MS, lockedHold } from '../../src/operations/mending/locked-out.ts';
import { HASH, line, NOW_MS, nodes, observation, pod, silent, views, withNode } from '../support/builders.ts';
import { factsOfAll, type Shown } from '../support/facts.ts';

const IDS = [0, 1, 2, 3];
const SECRET = 'pass/password';
type Change = NonNullable<Parameters<typeof observation>[0]>;

const lockedFor = (ms: number): MemberAnswer => ({
  kind: 'silent',
  sinceMs: NOW_MS - ms,
  error: 'wrong password',
  isInvalid: false,
  isLocked: true,
});
/** What is known of a member that accepts no password. */
const UNSHOWN: Shown = { isJoining: true, generation: undefined, shownSinceMs: undefined };

/** Four members with a password, of which these have accepted no known one for so long. */
function lockedOut(ids: readonly number[], change: Change = {}, forMs = LOCKED_PATIENCE_MS): ClusterObservation {
  const { cluster = {}, ...rest } = change;
  const guarded: readonly NodeRecord[] = nodes(4).map((node) => ({ ...node, password: SECRET }));
  return observation({
    nodes: ids.reduce<readonly NodeRecord[]>((list, id) => withNode(list, id, { answer: lockedFor(forMs) }), guarded),
    facts: factsOfAll(IDS, {}, Object.fromEntries(ids.map((id) => [id, UNSHOWN]))),
    ...rest,
    cluster: {
      password: { asked: SECRET, stamped: SECRET, isUsable: true },
      ...cluster,
      spec: { nodes: 4, auth: { secretRef: { name: 'pass', key: 'password' } }, ...cluster.spec },
    },
  });
}
const turn = (o: ClusterObservation) => planCluster(o).removal.operation;
const but = (o: ClusterObservation, id: number, change: Partial<NodeRecord>): ClusterObservation => ({
  ...o,
  nodes: withNode(o.nodes, id, change),
});

describe('a turn for a member that accepts no known password', () => {
  it('begins a minute after that was found, and not a second before', () => {
    expect(turn(lockedOut([1], {}, LOCKED_PATIENCE_MS - 1_000))).to.equal(undefined);
    const operation = turn(lockedOut([1]));
    expect(operation?.roll).to.deep.include({ name: 'demo-1', cause: 'Password', previous: HASH });
  });
  it('is for the lowest id among several such members, also when no member accepts one', () => {
    expect(turn(lockedOut([2, 3]))?.roll?.name).to.equal('demo-2');
    expect(turn(lockedOut(IDS))?.roll?.name).to.equal('demo-0');
  });

  const others: Readonly<Record<string, [string, (o: ClusterObservation) => ClusterObservation]>> = {
    'another one is silent': ['MemberSilent', (o) => but(o, 3, { answer: silent })],
    'the Pod of another one is not ready': [
      'MemberNotActive',
      (o) => but(o, 3, { answer: lockedFor(90_000), pod: pod(3, { isReady: false }) }),
    ],
    'another one was told to leave': [
      'MemberLeaving',
      (o) => but(o, 3, { pod: pod(3, { isLeaving: true }), mayRestartPod: 'pod-uid-3' }),
    ],
    'another one joins': ['MemberNotActive', (o) => but(o, 3, { answer: { kind: 'joining', sinceMs: NOW_MS } })],
    'one that cannot be asked counts other members': [
      'ViewsDisagree',
      (o) => ({ ...o, facts: factsOfAll(IDS, {}, { 1: { ...UNSHOWN, figures: { members: 3 } } }) }),
    ],
    'one that cannot be asked homes other partitions': [
      'ViewsDisagree',
      (o) => ({ ...o, facts: factsOfAll(IDS, {}, { 1: { ...UNSHOWN, figures: { ownedPartitions: 7 } } }) }),
    ],
    'one that cannot be asked is not connected to all': [
      'MeshIncomplete',
      (o) => ({ ...o, facts: factsOfAll(IDS, {}, { 1: { ...UNSHOWN, meshPeers: 2 } }) }),
    ],
    'those that can be asked do not show it': [
      'ViewsDisagree',
      (o) => ({ ...o, facts: factsOfAll(IDS, { view: [0, 2, 3].map((id) => line(id)) }, { 1: UNSHOWN }) }),
    ],
    'members of other clusters come first': ['RolloutInLine', (o) => ({ ...o, isInLine: true })],
  };
  for (const [why, [reason, changed]] of Object.entries(others)) {
    it(`waits while ${why}`, () => {
      const plan = planCluster(changed(lockedOut([1])));
      expect([plan.removal.operation, plan.turnWaits?.reason]).to.deep.equal([undefined, reason]);
    });
  }

  const lastTry = (agoMs: number) => ({
    lastOperation: {
      id: '1-x',
      type: 'Roll' as const,
      outcome: 'Failed' as const,
      reason: 'PasswordRefused' as const,
      startedAt: new Date(NOW_MS - agoMs - 60_000).toISOString(),
      finishedAt: new Date(NOW_MS - agoMs).toISOString(),
      specGeneration: 1,
    },
  });
  const decided: Readonly<Record<string, [Change, RegExp]>> = {
    'the Secret has none that can be used': [
      { cluster: { password: { asked: SECRET, stamped: SECRET, isUsable: false } } },
      /none that can be used/,
    ],
    'another Secret is on its way': [
      { cluster: { password: { asked: 'other/password', stamped: SECRET, isUsable: true } } },
      /another Secret/,
    ],
    'a person restarts members': [{ cluster: { spec: { update: { type: 'OnDelete' } } } }, /OnDelete/],
    'restarts are paused': [
      { cluster: { rollout: { approved: undefined, isPaused: true, retry: undefined } } },
      /restarts are paused/,
    ],
    'the cluster is paused': [{ cluster: { spec: { paused: true } } }, /spec.paused/],
    'a restart did not help less than ten minutes ago': [{ cluster: lastTry(599_000) }, /did not help/],
  };
  for (const [why, [change, said]] of Object.entries(decided)) {
    it(`does not begin while ${why}, and a hold names the way out`, () => {
      const o = lockedOut([1], change);
      expect([turn(o), isUnlockingPending(o)]).to.deep.equal([undefined, false]);
      const hold = lockedHold(o);
      expect(hold).to.include({ reason: 'PasswordRefused', needsPerson: true });
      expect(hold?.message)
        .to.match(said)
        .and.match(/kubectl mkv restart demo-1 -n default/);
    });
  }
  it('begins again ten minutes after one that did not help', () => {
    expect(turn(lockedOut([1], { cluster: lastTry(600_000) }))?.roll?.name).to.equal('demo-1');
  });
  it('has a hold that says when it begins, and what would make it unnecessary', () => {
    const message = lockedHold(lockedOut([1, 2], {}, 0))?.message;
    expect(message).to.match(/^demo-1, demo-2 take no password/);
    expect(message)
      .to.match(/from \d\d:\d\d:\d\d on/)
      .and.match(/under password-previous of Secret pass/);
  });
  it('does not begin while every member accepts its password', () => {
    const o = lockedOut([]);
    expect([isUnlockingPending(o), lockedHold(o), turn(o)]).to.deep.equal([false, undefined, undefined]);
  });
});

describe('the turn of a member that accepts no known password', () => {
  const claimed = (o: ClusterObservation) => {
    const operation = turn(o);
    if (operation === undefined) throw new Error('it has its turn');
    return operation;
  };
  const operation = claimed(lockedOut([1, 2]));
  const going = (change: Partial<NodeRecord>, rest: Change = {}) =>
    planCluster(but(lockedOut([1, 2], { ...rest, cluster: { operation } }), 1, change)).removal;

  it('is given up before anything was done when the member can be asked after all', () => {
    const view = views(4);
    const answer: MemberAnswer = { kind: 'serving', atMs: NOW_MS, viewAtMs: 0, view, digest: 'd', isGuarded: true };
    expect(going({ answer }).ended).to.include({ outcome: 'Cancelled' });
  });
  it('first takes the member out of the Service', () => {
    expect(going({}).steps.map(({ kind }) => kind)).to.deep.equal(['isolate']);
  });
  it('does not restart the member before its records were found on its other homes', () => {
    const { steps, waits } = going(
      { intent: 'Leaving', serving: false, removalMark: operation.id },
      { isolatedSinceMs: 0 },
    );
    expect([steps, waits?.reason]).to.deep.equal([[], 'ComparingContents']);
  });
  it('fails when the new Pod accepts no password for a minute either, and first lets clients in again', () => {
    const again = { pod: pod(1, { uid: 'another' }) };
    const first = going({ ...again, serving: false, removalMark: operation.id });
    expect(first.steps.map((step) => (step.kind === 'endRestart' ? step.serving : step.kind))).to.deep.equal([true]);
    expect(going(again).ended).to.include({ outcome: 'Failed', reason: 'PasswordRefused' });
  });
});
