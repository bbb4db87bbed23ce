// A Secret gets another password, and running members get it from the operator: no member is restarted, and no client
// is locked out.

import type { Fate } from '../../fate/fate.ts';
import type { Goal, Scenario } from '../../life/scenario.ts';
import { CLUSTERS, NAMESPACE } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { burst, delayRepairs } from '../steps/only-there.ts';
import { replaceOperators } from '../steps/operator-ends.ts';
import { lateFor } from '../unseen/unseen.ts';

const SECRET = 'pass';
const REF = { secretRef: { name: SECRET, key: 'password' } };
/** Counted from the change of the Secret. */
const WINDOW_MS = 10_000;

export const passwordRotated: Scenario = {
  name: 'password-rotated',
  story:
    'The Secret gets another password, with blanks in it: within ten seconds all members want that, and no member was restarted.',
  async run(world, fate) {
    await guarded(world, fate, fate.whole(3, 5));
    const lives = livesOf(world);
    const sinceMs = world.nowMs;
    putPassword(world, 'second  pass word ');
    await world.until(() => allWant(world, 'second  pass word '), WINDOW_MS, 'all want the second');
    world.kube.transcript.add('world', `all want the second password after ${Math.round(world.nowMs - sinceMs)} ms`);
    return goal(world, 'second  pass word ', () => (livesOf(world) === lives ? undefined : 'somebody was restarted'));
  },
};

export const passwordRotatedAgain: Scenario = {
  name: 'password-rotated-again',
  story: 'The password changes again while members are being given another one, or goes back to the first.',
  async run(world, fate) {
    await guarded(world, fate, 4);
    for (let n = 0; n < 3; n += 1) {
      putPassword(world, `${fate.pick(['first', 'second', 'third'])} password`);
      await world.advance(fate.between(0, 3_000));
    }
    putPassword(world, 'last password');
    return goal(world, 'last password');
  },
};

export const passwordStruck: Scenario = {
  name: 'password-struck',
  story: 'While members are given another password one of them is killed, frozen for a while, or its Pod is deleted.',
  async run(world, fate) {
    await guarded(world, fate, 4);
    const id = fate.pick(world.nodeIds());
    const blow = fate.pick(['killed', 'frozen', 'deleted'] as const);
    if (blow === 'frozen') world.freeze(id);
    putPassword(world, 'second password');
    await world.advance(fate.between(0, 1_500));
    if (blow === 'killed') {
      fate.count('memberKilled');
      world.kill(id);
    } else if (blow === 'deleted') {
      fate.count('podDeleted');
      world.removeObject('pods', `demo-${id}`);
    } else {
      fate.count('memberFrozen');
      await world.advance(fate.between(2_000, 60_000));
      world.thaw(id);
    }
    // The status includes a member that was away once it is back.
    await world.advance(60_000);
    return goal(world, 'second password');
  },
};

export const passwordUnseen: Scenario = {
  name: 'password-unseen',
  story:
    'The password changes while no operator runs: the status reports that members refuse it, and the previous one in the Secret lets the operator in.',
  async run(world, fate) {
    await guarded(world, fate, 3);
    const lives = livesOf(world);
    world.restartMs = 20_000;
    fate.count('operatorKilled');
    world.operator.crash();
    putPassword(world, 'second password');
    const isSaid = () => world.nodes().every(({ status }) => reasonOf(status) === 'PasswordRefused');
    await world.until(isSaid, 120_000, 'that nobody takes it is said');
    await world.advance(fate.between(0, 40_000));
    putPassword(world, 'second password', 'first password');
    return goal(world, 'second password', () => (livesOf(world) === lives ? undefined : 'somebody was restarted'));
  },
};

export const passwordInvalid: Scenario = {
  name: 'password-invalid',
  story:
    'The Secret gets what cannot be a password, or loses its key: the status reports it, and members keep what they have.',
  async run(world, fate) {
    await guarded(world, fate, 3);
    const how = fate.pick(['nul', 'empty', 'gone'] as const);
    putPassword(world, how === 'nul' ? 'second\0password' : '');
    if (how === 'gone') world.removeObject('secrets', SECRET);
    const reason = how === 'nul' ? 'PasswordInvalid' : 'SecretMissing';
    await world.until(() => stalledBy(world) === reason, 60_000, `${reason} is said`);
    const isKept = allWant(world, 'first password');
    if (how === 'gone') makeSecret(world, 'third password');
    else putPassword(world, 'third password');
    return goal(world, 'third password', () => (isKept ? undefined : 'members want something else'));
  },
};

export const passwordPaused: Scenario = {
  name: 'password-paused',
  story: 'The password changes while the cluster is paused: members keep what they have until it goes on.',
  async run(world, fate) {
    await guarded(world, fate, 3);
    world.edit({ paused: true });
    await world.advance(fate.between(0, 500));
    putPassword(world, 'second password');
    await world.advance(fate.between(20_000, 60_000));
    const isKept = allWant(world, 'first password');
    world.edit({ paused: false });
    return goal(world, 'second password', () => (isKept ? undefined : 'a paused cluster was told'));
  },
};

export const passwordRotatedWithBoth: Scenario = {
  name: 'password-rotated-with-both',
  story:
    'The Secret gets another password and keeps the one before beside it: whatever becomes of the operator meanwhile, all come to want the new one, and no member is restarted.',
  async run(world, fate) {
    await guarded(world, fate, 3);
    const lives = livesOf(world);
    putPassword(world, 'second password', 'first password');
    world.restartMs = fate.between(200, 3_000);
    if (fate.chance(0.7)) await replaceOperators(world, fate, 3, 50, 1_000);
    return goal(world, 'second password', () => (livesOf(world) === lives ? undefined : 'somebody was restarted'));
  },
};

export const passwordRotatedPlain: Scenario = {
  name: 'password-rotated-plain',
  story:
    'The Secret gets another password and nobody keeps the one before: whatever becomes of the operator meanwhile, all come to want the new one.',
  async run(world, fate) {
    await guarded(world, fate, 3);
    putPassword(world, 'second password');
    world.restartMs = fate.between(200, 3_000);
    if (fate.chance(0.7)) await replaceOperators(world, fate, 3, 0, 300);
    return goal(world, 'second password');
  },
};

export const passwordUnheard: Scenario = {
  name: 'password-unheard',
  story:
    'The cluster is paused, its password changes, and the operator hears of the pause late: a live read right before keeps members as they are.',
  async run(world, fate) {
    await guarded(world, fate, 3);
    lateFor(world, CLUSTERS);
    world.edit({ paused: true });
    await world.advance(fate.between(10, 200));
    putPassword(world, 'second password');
    await world.advance(fate.between(20_000, 40_000));
    const isKept = allWant(world, 'first password');
    world.lagMs = () => 2;
    world.edit({ paused: false });
    return goal(world, 'second password', () => (isKept ? undefined : 'a paused cluster was told'));
  },
};

export const passwordHalfTold: Scenario = {
  name: 'password-half-told',
  story:
    'The operator ends for good after it has told some members the new password, and nobody has kept the one before: the others are restarted in turns, and nobody else is.',
  async run(world, fate) {
    await guarded(world, fate, fate.whole(3, 5));
    const ids = world.nodeIds();
    const first = fate.whole(0, ids.length - 1);
    const untold = ids.filter((_, i) => i === first || fate.chance(0.4)).slice(0, ids.length - 1);
    for (const id of untold) world.freeze(id);
    const told = ids.filter((id) => !untold.includes(id));
    const lives = livesOf(world, told);
    putPassword(world, 'second password');
    const areTold = () => told.every((id) => world.member(id)?.requirepass === 'second password');
    await world.until(areTold, WINDOW_MS, 'some want the second');
    fate.count('operatorKilled');
    world.endOperator(world.operator);
    for (const id of untold) world.thaw(id);
    await world.advance(fate.between(1_000, 40_000));
    world.startOperator();
    return goal(world, 'second password', () =>
      livesOf(world, told) === lives ? undefined : 'somebody was restarted who wants it',
    );
  },
};

export const passwordAllUnseen: Scenario = {
  name: 'password-all-unseen',
  story:
    'The password changes while no operator runs, and nobody keeps the previous one: all members are restarted, one at a time.',
  async run(world, fate) {
    await guarded(world, fate, fate.whole(3, 5));
    await unseenChange(world, fate);
    world.restartMs = fate.between(200, 3_000);
    if (fate.chance(0.5)) await replaceOperators(world, fate, 3, 10_000, 60_000);
    return goal(world, 'second password');
  },
};

export const passwordUnpushed: Scenario = {
  name: 'password-unpushed',
  story:
    'Nobody has kept the password of before, and the member that is the first to be restarted has records that nobody else has yet: it is not before they have them.',
  async run(world, fate) {
    await guarded(world, fate, 3);
    delayRepairs(world, fate.between(100_000, 140_000));
    await burst(world, 0, 60);
    await unseenChange(world, fate);
    await world.advance(150_000);
    delayRepairs(world, 0);
    return goal(world, 'second password');
  },
};

export const passwordBesideSilent: Scenario = {
  name: 'password-beside-silent',
  story:
    'Nobody has kept the password of before, and one member hangs: no other member is kept from its clients before it is back.',
  async run(world, fate) {
    await guarded(world, fate, fate.whole(3, 4));
    const id = fate.pick(world.nodeIds());
    await unseenChange(world, fate);
    const lives = livesOf(world);
    await world.advance(fate.between(0, 50_000));
    fate.count('memberFrozen');
    world.freeze(id);
    await world.advance(fate.between(60_000, 120_000));
    const isTouched = world.nodes().some(({ spec }) => spec.intent === 'Leaving') || livesOf(world) !== lives;
    world.thaw(id);
    await world.advance(60_000);
    return goal(world, 'second password', () => (isTouched ? 'somebody was to be restarted beside it' : undefined));
  },
};

export const PASSWORD_STORIES: readonly Scenario[] = [
  passwordRotated,
  passwordRotatedAgain,
  passwordStruck,
  passwordUnseen,
  passwordInvalid,
  passwordPaused,
  passwordRotatedWithBoth,
  passwordUnheard,
  passwordHalfTold,
  passwordAllUnseen,
  passwordUnpushed,
  passwordBesideSilent,
  passwordRotatedPlain,
];

/** Changes the password while no operator runs, so none knows the earlier password afterwards. */
async function unseenChange(world: MemberWorld, fate: Fate): Promise<void> {
  fate.count('operatorKilled');
  world.endOperator(world.operator);
  putPassword(world, 'second password');
  await world.advance(fate.between(1_000, 40_000));
  world.startOperator();
}

/** A cluster at rest whose members require a password. No stored object but the Secret may ever contain one. */
async function guarded(world: MemberWorld, fate: Fate, nodes: number): Promise<void> {
  makeSecret(world, 'first password');
  world.kube.server.onEvent(({ resource, object }) => {
    if (resource !== 'secrets' && /(?:first|second|third|last) {1,2}pass ?word/.test(JSON.stringify(object)))
      world.kube.violated(`a password is in ${resource} ${object.metadata.name}`);
  });
  await world.formed(nodes, { auth: REF });
  await world.advance(30_000);
  fate.begin();
}

function makeSecret({ kube }: MemberWorld, password: string): void {
  const secret = { metadata: { name: SECRET, namespace: NAMESPACE }, data: { password: base64(password) } };
  kube.server.create('secrets', secret);
}

/** Like `kubectl edit secret`. */
function putPassword(world: MemberWorld, password: string, previous?: string): void {
  world.kube.transcript.add('user', 'changes the password in the Secret');
  const data = {
    password: base64(password),
    ...(previous === undefined ? {} : { 'password-previous': base64(previous) }),
  };
  const patch = { metadata: {}, data };
  world.kube.server.patch('secrets', { namespace: NAMESPACE, name: SECRET }, patch);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function allWant(world: MemberWorld, password: string): boolean {
  return world.nodeIds().every((id) => world.member(id)?.requirepass === password);
}

function goal(world: MemberWorld, password: string, problem?: () => string | undefined): Goal {
  const nodes = world.nodeIds().length;
  const unmet = (): string | undefined => {
    if (!world.isHealthy(nodes) || world.condition('PendingChange') === 'True') return `not at rest at ${nodes}`;
    return allWant(world, password) ? undefined : 'not all want it';
  };
  return { nodes, unmet, ...(problem === undefined ? {} : { problem }) };
}

type Conditions = {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
};

function reasonOf(status: Conditions | undefined): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
}

function stalledBy(world: MemberWorld): string | undefined {
  return world.cluster()?.status?.conditions?.find(({ type, status }) => type === 'Stalled' && status === 'True')
    ?.reason;
}

function livesOf(world: MemberWorld, ids = world.nodeIds()): string {
  return ids.map((id) => `${world.pod(id)?.metadata.uid} ${world.member(id)?.requirepass === undefined}`).join(', ');
}
