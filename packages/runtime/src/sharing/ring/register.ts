// Which replica has which slots, as it is stored: a text of less than a kilobyte. Its checksum tells a register that a
// replica has written from one that was changed by hand or by accident (docs/design/runtime.md#sharing).
import { type Assignment, MAX_REPLICAS, type Ordinal } from '../slots/assignment.ts';
import { hash32, SLOTS } from '../slots/slots.ts';

export interface Register {
  /** Starts at 1 and only grows. */
  readonly generation: number;
  readonly now: Assignment;
  /** The owners before this generation; undefined: unknown, any replica may have had any slot. */
  readonly before: Assignment | undefined;
}

const DIGITS = '0123456789abcdef';
const NOBODYS = '-';
const MAX_LENGTH = 1_000;

export function formatRegister({ generation, now, before }: Register): string {
  const body = { generation, now: digits(now), ...(before === undefined ? {} : { before: digits(before) }) };
  return JSON.stringify({ ...body, sum: sumOf(body.generation, body.now, body.before) });
}

/** Undefined for anything that no replica can have written. */
export function parseRegister(text: string | undefined): Register | undefined {
  if (text === undefined || text.length > MAX_LENGTH) return undefined;
  const stored = parsed(text);
  if (stored === undefined) return undefined;
  const { generation, now, before, sum } = stored;
  const isWhole = Number.isSafeInteger(generation) && typeof now === 'string' && typeof generation === 'number';
  if (!isWhole || generation < 1 || (before !== undefined && typeof before !== 'string')) return undefined;
  if (sum !== sumOf(generation, now, before)) return undefined;
  const assigned = owners(now);
  const had = before === undefined ? undefined : owners(before);
  if (assigned === undefined || (before !== undefined && had === undefined)) return undefined;
  return { generation, now: assigned, before: had };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function sumOf(generation: number, now: string, before: string | undefined): string {
  return hash32(`${generation} ${now} ${before ?? '?'}`).toString(16);
}

function digits(assignment: Assignment): string {
  return assignment.map((owner) => (owner === undefined ? NOBODYS : DIGITS[owner])).join('');
}

function owners(text: string): Assignment | undefined {
  const all = [...text].map((digit): Ordinal | undefined => (digit === NOBODYS ? undefined : DIGITS.indexOf(digit)));
  return all.length === SLOTS && all.every((owner) => owner === undefined || (owner >= 0 && owner < MAX_REPLICAS))
    ? all
    : undefined;
}

/** All replicas that the register names, as owners now or before. */
export function namedIn({ now, before }: Register): ReadonlySet<Ordinal> {
  return new Set([...now, ...(before ?? [])].filter((owner) => owner !== undefined));
}
