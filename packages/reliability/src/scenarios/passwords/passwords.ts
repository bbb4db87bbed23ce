// A Secret gets another password, and running members get it from the operator: no member is restarted, and no client
// is locked out.

import type { Scenario } from '../../life/scenario.ts';
import { CLUSTERS } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { replaceOperators } from '../steps/operator-ends.ts';
import { lateFor } from '../unseen/unseen.ts';
import { allWant, goal, guarded, livesOf, makeSecret, putPassword, SECRET, WINDOW_MS } from './guarded.ts';

export const PASSWORD_STORIES: readonly Scenario[] = [
  {
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
  },
  {
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
  },
  {
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
  },
  {
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
  },
  {
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
  },
  {
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
  },
  {
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
  },
  {
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
  },
];

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
