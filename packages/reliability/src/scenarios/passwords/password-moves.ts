// The spec names another Secret, another key, a password where there was none, or no password any more. Running members
// get it without a restart, and the setting for new Pods follows once all members require it.

import { findCondition, type MarekvsClusterSpec } from '@marekvs/api';
import type { Fate } from '../../fate/fate.ts';
import type { Goal, Scenario } from '../../life/scenario.ts';
import { NAMESPACE } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { replaceOperators } from '../steps/operator-ends.ts';

type Auth = NonNullable<MarekvsClusterSpec['auth']>;
/** A password that the spec may refer to. */
interface Place {
  readonly secret: string;
  readonly key: string;
  readonly text: string;
}

/** No password. */
const NONE = 'none' as const;
type Wish = Place | typeof NONE;

const FIRST: Place = { secret: 'pass', key: 'password', text: 'first password' };
const THIRD: Place = { secret: 'other', key: 'password', text: 'third password' };
const PLACES: readonly Place[] = [
  FIRST,
  { secret: 'pass', key: 'next', text: 'second password' },
  THIRD,
  { secret: 'other', key: 'same', text: 'first password' },
];
/** From the edit of the spec until all members require the password. */
const WINDOW_MS = 10_000;

export const passwordMoved: Scenario = {
  name: 'password-moved',
  story:
    'The spec names another Secret or key, of the same or of another password: within ten seconds all want that, and no member was restarted.',
  async run(world, fate) {
    await guardedBy(world, fate, fate.whole(3, 5), FIRST);
    return edited(world, fate.pick(PLACES.slice(1)));
  },
};

export const passwordSet: Scenario = {
  name: 'password-set',
  story: 'A cluster without a password gets one: within ten seconds all members want it, and no member was restarted.',
  async run(world, fate) {
    await guardedBy(world, fate, fate.whole(3, 5), NONE);
    return edited(world, FIRST);
  },
};

export const passwordTakenOut: Scenario = {
  name: 'password-taken-out',
  story: 'spec.auth is taken out: within ten seconds no member wants a password any more, and no member was restarted.',
  async run(world, fate) {
    await guardedBy(world, fate, fate.whole(3, 5), FIRST);
    return edited(world, NONE);
  },
};

export const passwordTurnedBack: Scenario = {
  name: 'password-turned-back',
  story:
    'The spec is set back while some have the other password, one of them does not answer, and the operator ends: no member refuses the operator.',
  async run(world, fate) {
    const before = fate.pick<Wish>([FIRST, NONE]);
    await guardedBy(world, fate, 4, before);
    const id = fate.pick(world.nodeIds());
    fate.count('memberFrozen');
    world.freeze(id);
    const lives = livesOf(world);
    edit(world, fate.pick(PLACES.slice(1, 3)));
    await world.advance(fate.between(0, 1_500));
    world.restartMs = fate.between(500, 4_000);
    fate.count('operatorKilled');
    world.operator.crash();
    if (fate.chance(0.5)) await world.advance(fate.between(0, 6_000));
    edit(world, before);
    await world.advance(fate.between(5_000, 30_000));
    world.thaw(id);
    // The status includes a member that was away once it is back.
    await world.advance(60_000);
    return goal(world, before, lives);
  },
};

export const passwordMovedAgain: Scenario = {
  name: 'password-moved-again',
  story:
    'The spec names one Secret after the other, or none, before all members want the last one; operators come and go.',
  async run(world, fate) {
    await guardedBy(world, fate, 3, fate.pick<Wish>([FIRST, NONE]));
    const lives = livesOf(world);
    world.restartMs = fate.between(200, 3_000);
    for (let n = 0; n < 4; n += 1) {
      edit(world, fate.pick<Wish>([...PLACES, NONE]));
      await world.advance(fate.between(0, 1_200));
      if (fate.chance(0.4)) await replaceOperators(world, fate, 1, 0, 500);
    }
    const last = fate.pick<Wish>([...PLACES, NONE]);
    edit(world, last);
    return goal(world, last, lives);
  },
};

export const passwordMovedStruck: Scenario = {
  name: 'password-moved-struck',
  story:
    'While members are given the password of another Secret one starts anew: it starts with one of the two, and is told.',
  async run(world, fate) {
    await guardedBy(world, fate, 4, fate.pick<Wish>([FIRST, NONE]));
    const id = fate.pick(world.nodeIds());
    const last = fate.pick<Wish>([...PLACES.slice(1, 3), NONE]);
    const isKilled = fate.chance(0.5);
    edit(world, last);
    await world.advance(fate.between(0, 1_500));
    if (isKilled) {
      fate.count('memberKilled');
      world.kill(id);
    } else {
      fate.count('podDeleted');
      world.removeObject('pods', `demo-${id}`);
    }
    await world.advance(60_000);
    return goal(world, last);
  },
};

export const passwordMovedKilled: Scenario = {
  name: 'password-moved-killed',
  story: 'The operator ends again and again while members are given the password of another Secret.',
  async run(world, fate) {
    await guardedBy(world, fate, 3, fate.pick<Wish>([FIRST, NONE]));
    const lives = livesOf(world);
    world.restartMs = fate.between(200, 3_000);
    const last = fate.pick<Wish>([...PLACES.slice(1, 3), NONE]);
    edit(world, last);
    await replaceOperators(world, fate, 5, 50, 2_000);
    return goal(world, last, lives);
  },
};

export const passwordOldGone: Scenario = {
  name: 'password-old-gone',
  story:
    'The Secret of before is deleted once the other one is in force: a process that ends in its old Pod comes back all the same.',
  async run(world, fate) {
    await guardedBy(world, fate, 3, FIRST);
    const last = THIRD;
    edit(world, last);
    await world.until(() => isInForce(world, last), 60_000, 'the other one is in force');
    world.removeObject('secrets', FIRST.secret);
    await world.advance(fate.between(0, 30_000));
    fate.count('memberKilled');
    world.kill(fate.pick(world.nodeIds()));
    await world.advance(30_000);
    return goal(world, last);
  },
};

export const passwordUnusable: Scenario = {
  name: 'password-unusable',
  story:
    'The spec names what cannot be a password, and asks for one node more: the status reports it, members keep what they have, and the node joins.',
  async run(world, fate) {
    const before = fate.pick<Wish>([FIRST, NONE]);
    await guardedBy(world, fate, 3, before);
    const lives = livesOf(world);
    const [key, reason] = fate.pick([
      ['absent', 'SecretMissing'],
      ['empty', 'SecretMissing'],
      ['nul', 'PasswordInvalid'],
      ['long', 'PasswordInvalid'],
    ] as const);
    world.edit({ auth: { secretRef: { name: 'other', key } }, nodes: 4 });
    await world.until(() => stalledBy(world) === reason, 60_000, `${reason} is said`);
    await world.until(() => world.isHealthy(4), 600_000, 'the node has joined');
    const isKept = allWant(world, before) && livesOf(world).startsWith(lives);
    const last = THIRD;
    edit(world, last);
    const problem = () => (isKept ? undefined : 'members want something else, or were restarted');
    return { ...goal(world, last), nodes: 4, problem };
  },
};

export const passwordMovedRolling: Scenario = {
  name: 'password-moved-rolling',
  story:
    'Another Secret is named together with another image, before it, or while members take their turns: each is restarted once, for the image.',
  async run(world, fate) {
    await guardedBy(world, fate, 4, fate.pick<Wish>([FIRST, NONE]));
    const last = fate.pick<Wish>([...PLACES.slice(1, 3), NONE]);
    const before = world.nodeIds().map((id) => world.pod(id)?.metadata.uid);
    let made = 0;
    world.kube.server.onEvent(({ resource, type }) => {
      if (resource === 'pods' && type === 'ADDED') made += 1;
    });
    const isFirst = fate.chance(0.5);
    if (isFirst) edit(world, last, 'marekvs:2');
    else {
      world.edit({ image: 'marekvs:2' });
      await world.advance(fate.between(0, 60_000));
      edit(world, last);
    }
    const problem = (): string | undefined => {
      const changed = world.nodeIds().filter((id, index) => world.pod(id)?.metadata.uid !== before[index]);
      return changed.length === 4 && made === 4
        ? undefined
        : `${made} Pods were made, and ${changed.length} are other ones`;
    };
    return { ...goal(world, last), withinMs: 900_000, problem };
  },
};

export const passwordOfOther: Scenario = {
  name: 'password-of-other',
  story:
    'The spec names another Secret, for once: whatever becomes of any write, all come to want that, and no member is restarted.',
  async run(world, fate) {
    await guardedBy(world, fate, 3, FIRST);
    const lives = livesOf(world);
    edit(world, THIRD);
    return goal(world, THIRD, lives);
  },
};

export const PASSWORD_MOVES: readonly Scenario[] = [
  passwordMoved,
  passwordSet,
  passwordTakenOut,
  passwordTurnedBack,
  passwordMovedAgain,
  passwordMovedStruck,
  passwordMovedKilled,
  passwordOldGone,
  passwordUnusable,
  passwordMovedRolling,
  passwordOfOther,
];

/** A cluster at rest. No stored object but the Secrets may ever contain a password. */
async function guardedBy(world: MemberWorld, fate: Fate, nodes: number, place: Wish): Promise<void> {
  const { server } = world.kube;
  for (const secret of ['pass', 'other']) {
    const own = PLACES.filter((one) => one.secret === secret).map(({ key, text }) => [key, base64(text)]);
    const bad =
      secret === 'pass' ? [] : Object.entries({ empty: '', nul: base64('a\0b'), long: base64('x'.repeat(140_000)) });
    const data: Readonly<Record<string, string>> = Object.fromEntries([...own, ...bad]);
    const object = { metadata: { name: secret, namespace: NAMESPACE }, data };
    server.create('secrets', object);
  }
  server.onEvent(({ resource, object }) => {
    if (resource !== 'secrets' && /(?:first|second|third) password/.test(JSON.stringify(object)))
      world.kube.violated(`a password is in ${resource} ${object.metadata.name}`);
  });
  await world.formed(nodes, place === NONE ? {} : { auth: authOf(place) });
  await world.advance(30_000);
  fate.begin();
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function authOf({ secret, key }: Place): Auth {
  return { secretRef: { name: secret, key } };
}

function textOf(place: Wish): string {
  return place === NONE ? '' : place.text;
}

function edit(world: MemberWorld, place: Wish, image?: string): void {
  const auth = place === NONE ? null : authOf(place);
  world.edit({ auth, ...(image === undefined ? {} : { image }) });
}

/** The edit alone, without any fault. */
async function edited(world: MemberWorld, place: Wish): Promise<Goal> {
  const lives = livesOf(world);
  const sinceMs = world.nowMs;
  edit(world, place);
  await world.until(() => allWant(world, place), WINDOW_MS, 'all want it');
  world.kube.transcript.add('world', `all want it after ${Math.round(world.nowMs - sinceMs)} ms`);
  await world.until(() => isInForce(world, place), WINDOW_MS, 'new Pods start with it');
  world.kube.transcript.add('world', `new Pods start with it after ${Math.round(world.nowMs - sinceMs)} ms`);
  return goal(world, place, lives);
}

function allWant(world: MemberWorld, place: Wish): boolean {
  return world.nodeIds().every((id) => world.member(id)?.requirepass === textOf(place));
}

/** Whether the nodes' templates refer to it too, and all members require it. */
function isInForce(world: MemberWorld, place: Wish): boolean {
  const wanted = place === NONE ? [] : [place.secret, place.key];
  const isStamped = world.nodes().every(({ spec: { template } }) => {
    const { name, key } = template.authSecretRef ?? {};
    return name === wanted[0] && key === wanted[1];
  });
  return isStamped && allWant(world, place);
}

/** @param lives given when no member may have been restarted */
function goal(world: MemberWorld, place: Wish, lives?: string): Goal {
  const nodes = world.nodeIds().length;
  const unmet = (): string | undefined => {
    if (!world.isHealthy(Number(world.cluster()?.spec.nodes)) || world.condition('PendingChange') === 'True')
      return `not at rest: ${world.condition('PendingChange')}`;
    return isInForce(world, place) ? undefined : 'it is not in force';
  };
  const problem = () => (lives === undefined || livesOf(world) === lives ? undefined : 'somebody was restarted');
  return { nodes, unmet, problem };
}

function stalledBy(world: MemberWorld): string | undefined {
  const stalled = findCondition(world.cluster()?.status?.conditions, 'Stalled');
  return stalled?.status === 'True' ? stalled.reason : undefined;
}

/** The Pods, and how often the process of each has ended. */
function livesOf(world: MemberWorld): string {
  const lives = world.nodeIds().map((id) => {
    const { metadata, status } = world.pod(id) ?? {};
    return `${metadata?.uid} ${JSON.stringify(status?.containerStatuses).match(/"restartCount":(\d+)/)?.[1]}`;
  });
  return lives.join(', ');
}
