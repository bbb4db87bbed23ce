// Kubernetes quantities, exactly: `1` is `1000m`, `1.5Gi` is `1536Mi`. Values are milli-units in a BigInt, the finest
// the API server keeps of a resource request; floating point would make two equal sizes differ and cause a write for
// nothing.

import { oncePerText } from './once-per.ts';

const MAX_LENGTH = 64;

const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };
/** Three digits of an exponent: with more, a very short text could make a very large number. */
const PATTERN = /^([+-]?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:([KMGTPE]i)|[eE]([+-]?[0-9]{1,3})|([numkMGTPE]?))$/;

export interface Quantity {
  /** The value in thousandths; finer parts are rounded away from zero, as the API server does. */
  readonly millis: bigint;
}

export class QuantityError extends Error {
  override readonly name = 'QuantityError';
  readonly text: string;

  constructor(text: string) {
    super(
      `parse quantity ${JSON.stringify(text.slice(0, MAX_LENGTH))}: not a Kubernetes quantity such as 500m, 2 or 10Gi`,
    );
    this.text = text;
  }
}

/** Reads a quantity as the API server does, including its rounding up to milli-units.
 *  @throws QuantityError for anything else, texts of more than 64 characters and exponents of more than three digits */
export function parseQuantity(value: string | number): Quantity {
  const text = String(value);
  const quantity = quantityOf(text);
  if (quantity === undefined) throw new QuantityError(text);
  return quantity;
}

/** The quantity, or undefined where parseQuantity() would throw. */
export function tryParseQuantity(value: string | number): Quantity | undefined {
  return quantityOf(String(value));
}

/** The same few texts are read in every pass over every node. */
const MAX_KNOWN = 256;
const quantityOf = oncePerText(MAX_KNOWN, read);

function read(text: string): Quantity | undefined {
  const match = text.length <= MAX_LENGTH ? PATTERN.exec(text) : null;
  if (match === null) return undefined;
  const [, sign, number = '', binary, exponent, decimal = ''] = match;
  const [whole = '', fraction = ''] = number.split('.');
  const digits = BigInt(whole + fraction);
  const negative = sign === '-';
  if (binary !== undefined) {
    return scaled(digits << (BINARY[binary] ?? 0n), -fraction.length, negative);
  }
  const power = exponent === undefined ? (DECIMAL[decimal] ?? 0) : Number(exponent);
  return scaled(digits, power - fraction.length, negative);
}

/** Negative, zero or positive, like a sort function. Compares values, not texts: `1` equals `1000m`.
 *  @throws QuantityError */
export function compareQuantities(a: string | number, b: string | number): number {
  const left = parseQuantity(a).millis;
  const right = parseQuantity(b).millis;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** digits * 10^power as milli-units. */
function scaled(digits: bigint, power: number, negative: boolean): Quantity {
  const shift = power + 3;
  const millis = shift >= 0 ? digits * 10n ** BigInt(shift) : divideUp(digits, 10n ** BigInt(-shift));
  return { millis: negative ? -millis : millis };
}

/** Rounds away from zero. */
function divideUp(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  if (value % by === 0n) return quotient;
  return value > 0n ? quotient + 1n : quotient - 1n;
}
