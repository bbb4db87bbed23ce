// Guards of leases and of sharing, each removed by one edit, and the story that shows it.

import type { GuardEdit } from './guard-loader.ts';
import type { ShareStory } from './share-stories.ts';

export interface GuardMutant extends GuardEdit {
  /** The story in which that is seen. */
  readonly caught: ShareStory;
  /** What is seen in it. @default two work on one slot */
  readonly violation?: RegExp;
  /** What goes wrong without the guard, in one sentence. */
  readonly without: string;
}

export const GUARD_MUTANTS: readonly GuardMutant[] = [
  {
    name: 'lease/fence-time',
    file: 'lease/lease-view.ts',
    text: 'return isSameLease && isReleased(next) ? nowMs : nowMs + waitMs;',
    replacement: 'return nowMs;',
    caught: 'a Pod of the same number comes',
    without: 'A lease is taken while its holder may still believe in it.',
  },
  {
    name: 'lease/another-one-under-its-name',
    file: 'lease/lease-view.ts',
    text: 'return isSameLease && isReleased(next)',
    replacement: 'return isReleased(next)',
    caught: 'a lease is deleted and made again, free, under a replica that does not hear of it',
    without: 'A lease that was deleted and made again passes for one that was released.',
  },
  {
    name: 'lease/own-time-is-over',
    file: 'lease/term.ts',
    text: 'if (leftMs() > 0) return grant;',
    replacement: 'return grant;',
    caught: 'a replica is frozen and wakes up',
    without: 'One that was frozen goes on with a grant that ended long ago.',
  },
  {
    name: 'lease/named-somebody-else',
    file: 'lease/leader-election.ts',
    text: 'if (isNews && isTakenFrom(identity, record)) term?.end(',
    replacement: "if (isNews && identity.text === '') term?.end(",
    caught: 'a lease is given to somebody else by hand',
    without: 'One whose lease names another goes on until its time is over.',
  },
  {
    name: 'ring/acknowledged-when-nothing-is-under-way',
    file: 'sharing/ring/followed-register.ts',
    text: 'acknowledged === last.generation || isAnyEnding',
    replacement: 'acknowledged === last.generation',
    caught: 'a replica comes and another ends',
    without: 'The next owner begins while a pass of the last one is under way.',
  },
  {
    name: 'ring/let-go-first',
    file: 'sharing/ring/ring-share.ts',
    text: 'owner === undefined || owner === sight.self || hasLetGo(owner, generation, sight)',
    replacement: 'owner !== generation || sight.self >= 0',
    caught: 'a replica comes and another ends',
    without: 'A slot is taken as soon as the register gives it, whoever had it.',
  },
  {
    name: 'ring/acknowledged-this-generation',
    file: 'sharing/ring/ring-share.ts',
    text: 'lease.note.acknowledged >= generation;',
    replacement: 'lease.note.acknowledged >= generation - 1;',
    caught: 'a replica comes and another ends',
    without: 'What was acknowledged for the generation before counts for this one.',
  },
  {
    name: 'ring/register-of-the-past',
    file: 'sharing/ring/ring-share.ts',
    text: 'register !== undefined && register.generation >= lastAcknowledged(sight) ? register : undefined',
    replacement: 'register !== undefined && lastAcknowledged(sight) >= 0 ? register : undefined',
    caught: 'a register of the past is put back by hand',
    without: 'A register that a hand has put back is followed.',
  },
  {
    name: 'ring/no-register',
    file: 'sharing/ring/followed-register.ts',
    text: 'if (!isSame(goodRegister(sight, registerKey), last)) return',
    replacement: 'if (goodRegister(sight, registerKey)?.generation === -1) return',
    caught: 'the register is damaged while a replica hears of nothing',
    without: 'One that remembers an old register goes by it while there is none.',
  },
  {
    name: 'ring/decided-on-what-is-replaced',
    file: 'sharing/share-plan.ts',
    text: 'return isSame ? planFollowed',
    replacement: 'return isSame || sight.self >= 0 ? planFollowed',
    caught: 'one comes back while its coordinator hears late',
    without: 'A coordinator that hears late writes a second register of one generation over the first.',
  },
  {
    name: 'leases/missing-is-not-free',
    file: 'sharing/leases/lease-table.ts',
    text: 'return !sight.leases.has(ordinal) && sight.nowMs - sight.absentSinceMs(ordinal) >= sight.fenceMs;',
    replacement: 'return !sight.leases.has(ordinal);',
    caught: 'a lease is deleted under a replica that does not hear of it',
    without: 'A replica whose lease was deleted a moment ago passes for one that has ended.',
  },
  {
    name: 'leases/free-since-when',
    file: 'sharing/leases/lease-table.ts',
    text: 'return isAnother || !isReleased(record) ? nowMs + fenceMs : nowMs;',
    replacement: 'return isReleased(record) ? nowMs : nowMs + fenceMs;',
    caught: 'a lease is deleted and made again, free, under a replica that does not hear of it',
    without: 'A lease that a hand has made in the place of a deleted one says that nobody works.',
  },
  {
    name: 'leases/freed-by-its-holder',
    file: 'lease/lease-record.ts',
    text: "return holder === '' && acquireTime === undefined;",
    replacement: "return holder === '' && acquireTime !== holder;",
    caught: 'a lease is freed by hand under a replica that does not hear of it',
    without: 'A lease out of which a hand has taken the name says that nobody works.',
  },
  {
    name: 'ring/goes-on-without-its-coordinator',
    file: 'sharing/share-plan.ts',
    text: 'const isValid = termVersion !== undefined;',
    replacement: "const isValid = termVersion !== undefined && sight.leader?.holder !== '';",
    caught: 'those that coordinate end one after the other',
    violation: /has given up/,
    without: 'Owners stop while nobody coordinates the ring (F34).',
  },
  {
    name: 'modes/alone-waits',
    file: 'sharing/sole-ownership.ts',
    text: 'if (isHeld(lease, sight.nowMs) && !isSilent(lease, sight) && note?.yieldsTo !== holder)',
    replacement:
      'if (isHeld(lease, sight.nowMs) && !isSilent(lease, sight) && note?.yieldsTo === holder && holder === record.name)',
    caught: 'one that leads alone comes beside a frozen replica',
    without: 'One that leads alone begins while others still share.',
  },
  {
    name: 'leases/listed-again',
    file: 'sharing/seen-leases.ts',
    text: 'known = noteListed(',
    replacement: 'if (known.listedAtMs === Number.POSITIVE_INFINITY) known = noteListed(',
    caught: 'a lease is made and deleted while the watch of another replica is cut, which coordinates next',
    without: 'What happened while a watch was cut passes for nothing.',
  },
];
