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
    text: "return lease.note?.kind === 'ring' && lease.note.acknowledged >= generation;",
    replacement: "return lease.note?.kind === 'ring' && lease.note.acknowledged >= generation - 1;",
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
    text: 'return isSame && memory.register !== undefined',
    replacement: 'return (isSame || sight.self >= 0) && memory.register !== undefined',
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
    name: 'leases/said-by-its-holder',
    file: 'sharing/leases/lease-table.ts',
    text: 'format === own && !isPlaceholder(record)',
    replacement: 'format === own',
    caught: 'a lease is deleted under a replica that does not hear of it, and another Pod of its number does',
    without: 'What the maker of a placeholder says of itself passes for what the lost holder does.',
  },
  {
    name: 'leases/rules-for-life',
    file: 'sharing/leases/lease-table.ts',
    text: 'hasSameRules(written, firstNote) ? written : undefined',
    replacement: 'written',
    caught: 'a hand changes by how many a replica counts',
    without: 'What a hand has written into the note of a replica is believed until its next renewal.',
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
    name: 'modes/other-counts',
    file: 'sharing/foreign-claims.ts',
    text: 'if (owner !== undefined && mayHold(owner, count, sight)) return',
    replacement: 'if (owner !== undefined && mayHold(owner, count, sight) && count < 0) return',
    caught: 'a count is lowered while the last one lives',
    without: 'Replicas of two counts work on the slots that both have.',
  },
  {
    name: 'modes/other-counts-missing',
    file: 'sharing/foreign-claims.ts',
    text: 'if (lease === undefined) return !isGone(owner, sight);',
    replacement: 'if (lease === undefined) return count < 0 && !isGone(owner, sight);',
    caught: 'a count is lowered after a lease was deleted under the last one',
    without: 'A replica of another count whose lease was just deleted passes for one that has ended.',
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
    name: 'counts/all-are-known',
    file: 'sharing/known-counts.ts',
    text: 'return isComplete ? undefined :',
    replacement: 'return isComplete || own > 0 ? undefined :',
    caught: 'one starts after a lease was deleted that it never saw',
    without: 'One that has just started takes what a replica works on of which no lease tells.',
  },
  {
    name: 'counts/own-one-is-noted',
    file: 'sharing/known-counts.ts',
    text: 'if (counted !== undefined && !counted.counts.includes(own))',
    replacement: 'if (counted !== undefined && counted.counts.length === 0)',
    caught: 'one starts beside one that hears of nothing, after a lease was deleted',
    without: 'One that has just started relies on another one, which has never heard of who works.',
  },
  {
    name: 'counts/complete-since-the-term',
    file: 'sharing/share-plan.ts',
    text: ': countsWithoutTerm(sight, rules.count);',
    replacement: ': countsKnown(sight, rules.count, memory.counted);',
    caught: 'one starts beside one that was frozen and hears late, after a lease was deleted',
    without: 'One that comes back says of what it has not heard yet that it is not there.',
  },
  {
    name: 'counts/followed-since-the-list',
    file: 'sharing/seen-leases.ts',
    text: 'known = noteListed(',
    replacement: 'if (known.listedAtMs === Number.POSITIVE_INFINITY) known = noteListed(',
    caught: 'one whose watch is cut starts before a lease was made and deleted',
    without: 'What happened while a watch was cut passes for nothing.',
  },
];
