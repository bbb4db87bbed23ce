// Guards of a hand-over, each taken out by one edit, and the bounds within which the model finds two owners without it.
import type { GuardEdit } from './guard-loader.ts';
import type { Bounds } from './hand-over-model.ts';

export interface HandOverMutant extends GuardEdit {
  readonly bounds: Partial<Bounds>;
  /** What goes wrong without it, one sentence. */
  readonly without: string;
}

const ONE_BEHIND: Partial<Bounds> = { lag: 1, faults: ['stop', 'crash'] };
/** The first clock is slower than is allowed, by what the margin covers. */
const TOO_SLOW: Partial<Bounds> = { rates: [1_400, 3_000, 4_000], faults: ['freeze'] };

export const HAND_OVER_MUTANTS: readonly HandOverMutant[] = [
  {
    name: 'ring/acknowledged-when-nothing-is-under-way',
    bounds: ONE_BEHIND,
    file: 'sharing/ring/followed-register.ts',
    text: 'acknowledged === last.generation || isAnyEnding',
    replacement: 'acknowledged === last.generation',
    without: 'A generation is acknowledged while what it took is worked on.',
  },
  {
    name: 'ring/let-go-first',
    bounds: ONE_BEHIND,
    file: 'sharing/ring/ring-share.ts',
    text: 'owner === undefined || owner === sight.self || hasLetGo(owner, generation, sight)',
    replacement: 'owner !== generation || sight.self >= 0',
    without: 'A slot is taken as soon as the register gives it, whoever had it.',
  },
  {
    name: 'ring/acknowledged-this-generation',
    bounds: ONE_BEHIND,
    file: 'sharing/ring/ring-share.ts',
    text: 'lease.note.acknowledged >= generation;',
    replacement: 'lease.note.acknowledged >= generation - 1;',
    without: 'What was acknowledged for the generation before counts for this one.',
  },
  {
    name: 'ring/register-of-the-past',
    bounds: { faultsAtMost: 2, faults: ['stop', 'put an old register back'] },
    file: 'sharing/ring/ring-share.ts',
    text: 'register !== undefined && register.generation >= lastAcknowledged(sight) ? register : undefined',
    replacement: 'register !== undefined && lastAcknowledged(sight) >= 0 ? register : undefined',
    without: 'A register that a hand has put back is followed.',
  },
  {
    name: 'leases/missing-is-not-free',
    bounds: { faults: ['delete a lease'], lag: 1 },
    file: 'sharing/leases/lease-table.ts',
    text: 'return !sight.leases.has(ordinal) && sight.nowMs - sight.absentSinceMs(ordinal) >= sight.fenceMs;',
    replacement: 'return !sight.leases.has(ordinal);',
    without: 'The lease of the old owner is not waited for when it was deleted.',
  },
  {
    name: 'leases/said-by-its-holder',
    bounds: { ordinals: [0, 1, 1], faultsAtMost: 2, faults: ['deafen', 'delete a lease'] },
    file: 'sharing/leases/lease-table.ts',
    text: 'format === own && !isPlaceholder(record)',
    replacement: 'format === own',
    without: 'What the maker of a placeholder has followed passes for what the lost holder has.',
  },
  {
    name: 'leases/freed-by-its-holder',
    bounds: { faultsAtMost: 2, faults: ['deafen', 'free a lease by hand'] },
    file: 'lease/lease-record.ts',
    text: "return holder === '' && acquireTime === undefined;",
    replacement: "return holder === '' && acquireTime !== holder;",
    without: 'A lease out of which a hand has taken the name says that nobody works.',
  },
  {
    name: 'lease/clock-rates',
    bounds: { faults: ['freeze'], lag: 1 },
    file: 'lease/lease-view.ts',
    text: 'return (leaseMs * (1 + clockRateError)) / (1 - clockRateError) + marginMs;',
    replacement: 'return leaseMs + 0 * clockRateError + marginMs;',
    without: 'A lease is waited out by the own clock alone, as if the other one were no slower.',
  },
  {
    name: 'lease/own-margin',
    bounds: TOO_SLOW,
    file: 'lease/lease-view.ts',
    text: 'return leaseMs - marginMs;',
    replacement: 'return leaseMs + 0 * marginMs;',
    without: 'One whose clock is slower than is allowed goes on until the very end of its lease.',
  },
];
