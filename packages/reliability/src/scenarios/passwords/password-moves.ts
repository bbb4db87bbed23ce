// The spec names another Secret, another key, a password where there was none, or no password any more. Running members
// get it without a restart, and the setting for new Pods follows once all members require it.

import { findCondition } from '@marekvs/api';
import type { Scenario } from '../../life/scenario.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { replaceOperators } from '../steps/operator-ends.ts';
import {
  allWant,
  edit,
  edited,
  FIRST,
  goal,
  guardedBy,
  isInForce,
  livesOf,
  NONE,
  type PasswordWish,
  PLACES,
  THIRD,
} from './password-places.ts';

export const PASSWORD_MOVES: readonly Scenario[] = [
  {
    name: 'password-moved',
    story:
      'The spec names another Secret or key, of the same or of another password: within ten seconds all want that, and no member was restarted.',
    async run(world, fate) {
      await guardedBy(world, fate, fate.whole(3, 5), FIRST);
      return edited(world, fate.pick(PLACES.slice(1)));
    },
  },
  {
    name: 'password-set',
    story:
      'A cluster without a password gets one: within ten seconds all members want it, and no member was restarted.',
    async run(world, fate) {
      await guardedBy(world, fate, fate.whole(3, 5), NONE);
      return edited(world, FIRST);
    },
  },
  {
    name: 'password-taken-out',
    story:
      'spec.auth is taken out: within ten seconds no member wants a password any more, and no member was restarted.',
    async run(world, fate) {
      await guardedBy(world, fate, fate.whole(3, 5), FIRST);
      return edited(world, NONE);
    },
  },
  {
    name: 'password-turned-back',
    story:
      'The spec is set back while some have the other password, one of them does not answer, and the operator ends: no member refuses the operator.',
    async run(world, fate) {
      const before = fate.pick<PasswordWish>([FIRST, NONE]);
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
  },
  {
    name: 'password-moved-again',
    story:
      'The spec names one Secret after the other, or none, before all members want the last one; operators come and go.',
    async run(world, fate) {
      await guardedBy(world, fate, 3, fate.pick<PasswordWish>([FIRST, NONE]));
      const lives = livesOf(world);
      world.restartMs = fate.between(200, 3_000);
      for (let n = 0; n < 4; n += 1) {
        edit(world, fate.pick<PasswordWish>([...PLACES, NONE]));
        await world.advance(fate.between(0, 1_200));
        if (fate.chance(0.4)) await replaceOperators(world, fate, 1, 0, 500);
      }
      const last = fate.pick<PasswordWish>([...PLACES, NONE]);
      edit(world, last);
      return goal(world, last, lives);
    },
  },
  {
    name: 'password-moved-struck',
    story:
      'While members are given the password of another Secret one starts anew: it starts with one of the two, and is told.',
    async run(world, fate) {
      await guardedBy(world, fate, 4, fate.pick<PasswordWish>([FIRST, NONE]));
      const id = fate.pick(world.nodeIds());
      const last = fate.pick<PasswordWish>([...PLACES.slice(1, 3), NONE]);
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
  },
  {
    name: 'password-moved-killed',
    story: 'The operator ends again and again while members are given the password of another Secret.',
    async run(world, fate) {
      await guardedBy(world, fate, 3, fate.pick<PasswordWish>([FIRST, NONE]));
      const lives = livesOf(world);
      world.restartMs = fate.between(200, 3_000);
      const last = fate.pick<PasswordWish>([...PLACES.slice(1, 3), NONE]);
      edit(world, last);
      await replaceOperators(world, fate, 5, 50, 2_000);
      return goal(world, last, lives);
    },
  },
  {
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
  },
  {
    name: 'password-unusable',
    story:
      'The spec names what cannot be a password, and asks for one node more: the status reports it, members keep what they have, and the node joins.',
    async run(world, fate) {
      const before = fate.pick<PasswordWish>([FIRST, NONE]);
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
  },
  {
    name: 'password-moved-rolling',
    story:
      'Another Secret is named together with another image, before it, or while members take their turns: each is restarted once, for the image.',
    async run(world, fate) {
      await guardedBy(world, fate, 4, fate.pick<PasswordWish>([FIRST, NONE]));
      const last = fate.pick<PasswordWish>([...PLACES.slice(1, 3), NONE]);
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
  },
  {
    name: 'password-of-other',
    story:
      'The spec names another Secret, for once: whatever becomes of any write, all come to want that, and no member is restarted.',
    async run(world, fate) {
      await guardedBy(world, fate, 3, FIRST);
      const lives = livesOf(world);
      edit(world, THIRD);
      return goal(world, THIRD, lives);
    },
  },
];

function stalledBy(world: MemberWorld): string | undefined {
  const stalled = findCondition(world.cluster()?.status?.conditions, 'Stalled');
  return stalled?.status === 'True' ? stalled.reason : undefined;
}
