// Which member is given another password, when templates follow, and that no member is restarted for it.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  isWantedByAll,
  type MemberAnswer,
  NO_PASSWORD,
  type NodeRecord,
  passwordSource,
  planCluster,
  planNode,
  secretOfSource,
  wantsPassword,
} from '../src/index.ts';
import { passwordHold, passwordSteps } from '../src/members/passwords.ts';
import { planNextTurn } from '../src/operations/rolling/next-turn.ts';
import { isOutdatedUnstarted } from '../src/templates/template-without-turn.ts';
import {
  HASH,
  NOW_MS,
  node,
  nodeObservation,
  observation,
  pod,
  serving,
  silent,
  views,
  volume,
  withNode,
} from './support/builders.ts';

const ONE = 'one/password';
const TWO = 'two/password';

/** The answer of a member that takes the password from that place, or any client. */
function wanting(source: string, isOld = false): MemberAnswer {
  const answer = serving(views(3));
  if (source === NO_PASSWORD) return answer;
  return { ...answer, isGuarded: true, wants: source, ...(isOld ? { hasOldPassword: true } : {}) };
}

/** Three nodes whose Pods were made with the first Secret, and whose members want the given passwords. */
function members(...sources: readonly string[]): readonly NodeRecord[] {
  return [0, 1, 2].map((id) =>
    node(id, { password: ONE, pod: pod(id, { password: ONE }), answer: wanting(sources[id] ?? ONE) }),
  );
}

function asked(
  nodes: readonly NodeRecord[],
  change: { readonly asked?: string; readonly stamped?: string; readonly isUsable?: boolean } = {},
) {
  return observation({ nodes, cluster: { password: { asked: TWO, stamped: ONE, isUsable: true, ...change } } });
}

describe('the place of a password', () => {
  it('is its Secret and key, or none, and can be read back', () => {
    const ref = { name: 'one', key: 'password' };
    expect([passwordSource(ref), passwordSource(undefined)]).to.deep.equal([ONE, NO_PASSWORD]);
    expect([secretOfSource(ONE), secretOfSource(NO_PASSWORD)]).to.deep.equal([ref, undefined]);
  });
});

describe('the password that a member wants', () => {
  it('is known from its own answer about exactly this place', () => {
    expect(wantsPassword({ answer: wanting(TWO) }, TWO)).to.equal(true);
    expect(wantsPassword({ answer: wanting(ONE) }, TWO)).to.equal(false);
    expect(wantsPassword({ answer: wanting(NO_PASSWORD) }, TWO)).to.equal(false);
    expect(wantsPassword({ answer: wanting(TWO, true) }, TWO)).to.equal(false);
  });
  it('is none when it lets in any client', () => {
    expect(wantsPassword({ answer: wanting(NO_PASSWORD) }, NO_PASSWORD)).to.equal(true);
    expect(wantsPassword({ answer: wanting(ONE) }, NO_PASSWORD)).to.equal(false);
  });
  it('is unknown for a member that does not answer', () => {
    for (const source of [TWO, NO_PASSWORD]) expect(wantsPassword({ answer: silent }, source)).to.equal(false);
  });
});

describe('that all members want a password', () => {
  const all = members(TWO, TWO, TWO);
  const rows: readonly (readonly [string, readonly NodeRecord[], boolean])[] = [
    ['holds when each has shown it', all, true],
    ['does not hold while one wants another', members(TWO, ONE, TWO), false],
    ['does not hold while one that runs is silent', withNode(all, 1, { answer: silent }), false],
    ['needs no word of one without a Pod', withNode(all, 1, { answer: silent, pod: undefined }), true],
    [
      'needs no word of one whose container cannot start',
      withNode(all, 1, {
        answer: silent,
        pod: pod(1, { waiting: { reason: 'CreateContainerConfigError', message: '' } }),
      }),
      true,
    ],
    [
      'needs no word of one that never joined',
      withNode(all, 1, { answer: silent, serving: false, wasActive: false }),
      true,
    ],
    ['does not hold where nobody runs', all.map((one) => ({ ...one, pod: undefined, answer: silent })), false],
  ];
  for (const [title, nodes, holds] of rows)
    it(title, () => {
      expect(isWantedByAll(nodes, TWO)).to.equal(holds);
    });
});

describe('a node whose member wants another password', () => {
  const told = (own: NodeRecord, change: Parameters<typeof nodeObservation>[1] = {}) =>
    planNode(nodeObservation(own, { password: { asked: TWO, isUsable: true }, ...change })).step;
  const [own = node(0)] = members(ONE);

  it('first notes that the member may want it, and only then gives it', () => {
    expect(told(own)).to.deep.equal({ kind: 'notePassword', source: TWO });
    const noted = { ...own, passwordsGiven: [TWO] };
    expect(told(noted)).to.deep.equal({ kind: 'setPassword', pod: own.pod, source: TWO });
  });
  it('needs no note for the password in its template, nor to take a password away', () => {
    expect(told({ ...own, password: TWO })).to.deep.include({ kind: 'setPassword', source: TWO });
    const none = { password: { asked: NO_PASSWORD, isUsable: true } };
    expect(told(own, none)).to.deep.include({ kind: 'setPassword', source: NO_PASSWORD });
  });
  it('gives one to a member that lets in any client', () => {
    expect(told({ ...own, password: TWO, answer: wanting(NO_PASSWORD) })).to.deep.include({ kind: 'setPassword' });
  });
  it('does nothing when the member wants it already, or while it is unknown what the member wants', () => {
    expect(told({ ...own, answer: wanting(TWO) })).to.equal(undefined);
    expect(told({ ...own, answer: silent })).to.equal(undefined);
  });
  it('does nothing while the password is unusable or its cluster is unknown', () => {
    expect(told(own, { password: { asked: TWO, isUsable: false } })).to.equal(undefined);
    expect(told(own, { password: undefined })).to.equal(undefined);
  });
  it('does nothing before its cluster is formed, where a new Pod takes up the password', () => {
    expect(told({ ...own, serving: false }, { isClusterFormed: false })?.kind).to.not.match(/Password/);
  });
});

describe('the templates of nodes', () => {
  const kinds = (o: Parameters<typeof passwordSteps>[0]) =>
    passwordSteps(o).map((step) => [step.kind, 'node' in step ? step.node.name : '']);

  it('stay while not all members want the new password', () => {
    expect(kinds(asked(members(TWO, TWO, ONE)))).to.deep.equal([]);
  });
  it('follow once all do, each that names another Secret', () => {
    const nodes = withNode(members(TWO, TWO, TWO), 1, { password: TWO });
    expect(kinds(asked(nodes, { stamped: TWO }))).to.deep.equal([
      ['stampPassword', 'demo-0'],
      ['stampPassword', 'demo-2'],
    ]);
  });
  it('follow before any other stamp, and lead to no turn', () => {
    const o = asked(members(TWO, TWO, TWO), { stamped: TWO });
    const other = { ...o, cluster: { ...o.cluster, templateHash: 'bbbbbbbbbbbbbbbb' } };
    const plan = planCluster(other);
    expect(plan.removal.operation).to.equal(undefined);
    expect(plan.steps.filter(({ kind }) => kind.startsWith('stamp')).map(({ kind }) => kind)).to.deep.equal(
      Array(3).fill('stampPassword'),
    );
  });
  it('lose their notes when all members want the password of the spec, except a note of what a Pod was made with', () => {
    const settled = members(ONE, ONE, ONE);
    const noted = withNode(withNode(settled, 0, { passwordsGiven: [TWO] }), 1, { passwordsGiven: [ONE] });
    expect(kinds(asked(noted, { asked: ONE }))).to.deep.equal([['forgetPasswords', 'demo-0']]);
    const away = withNode(noted, 2, { answer: silent });
    expect(kinds(asked(away, { asked: ONE }))).to.deep.equal([]);
  });
});

describe('turns of an update in a cluster with a password', () => {
  const outdated = (o: ReturnType<typeof asked>) =>
    planNextTurn({ ...o, cluster: { ...o.cluster, templateHash: 'bbbbbbbbbbbbbbbb' } });

  it('wait while members are given another password', () => {
    const o = asked(members(TWO, ONE, TWO));
    expect(passwordHold(o)?.message).to.equal('the password of the spec is given to demo-1 first');
    expect(outdated(o).operation).to.equal(undefined);
    expect(outdated(o).waits?.reason).to.equal('PasswordRotating');
  });
  it('wait while templates follow it', () => {
    expect(passwordHold(asked(members(TWO, TWO, TWO)))?.reason).to.equal('PasswordRotating');
    expect(passwordHold(asked(members(ONE, TWO, TWO), { stamped: TWO, isUsable: false }))?.reason).to.equal(
      'PasswordRotating',
    );
  });
  it('do not wait while the password is unusable, nor for a member that does not answer', () => {
    expect(passwordHold(asked(members(ONE, ONE, ONE), { isUsable: false }))).to.equal(undefined);
    const away = withNode(members(TWO, TWO, TWO), 1, { answer: silent });
    expect(passwordHold(asked(away))).to.equal(undefined);
  });
  it('do not wait when nothing is left to do about the password', () => {
    expect(passwordHold(asked(members(ONE, ONE, ONE), { asked: ONE }))).to.equal(undefined);
  });
});

describe('a Pod that was made with another Secret than its node names now', () => {
  const made = (change: Parameters<typeof pod>[1], answer: MemberAnswer = silent) =>
    node(0, { password: TWO, wasActive: true, answer, pod: pod(0, { password: ONE, templateHash: HASH, ...change }) });
  const isRemade = (one: NodeRecord) =>
    one.pod !== undefined && isOutdatedUnstarted([one], one, one.pod, { isFormed: true, nowMs: NOW_MS });
  const stuck = {
    isReady: false,
    waiting: { reason: 'CreateContainerConfigError', message: 'secret "one" not found' },
  };

  it('is created anew when its container cannot start', () => {
    expect(isRemade(made(stuck))).to.equal(true);
  });
  it('is left alone while its volume is being deleted, which would go with it', () => {
    expect(isRemade({ ...made(stuck), volume: volume(0, { isTerminating: true }) })).to.equal(false);
  });
  it('is left alone when it runs, and when a new Pod would be the same', () => {
    expect(isRemade(made({}, wanting(TWO)))).to.equal(false);
    expect(isRemade({ ...made(stuck), password: ONE })).to.equal(false);
    expect(isRemade(made({ ...stuck, password: undefined }))).to.equal(false);
  });
});
