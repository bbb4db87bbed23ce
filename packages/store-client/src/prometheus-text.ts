// Scans the Prometheus text format (version 0.0.4) in one pass and skips comments. Knows no metric by name. Labels cost
// more than all the rest, so they are built only for samples the caller wants.

import { StoreProtocolError } from './errors.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly name: string;
  /** Empty when the sample has none. */
  readonly labels: Labels;
  /** As printed; may be NaN or infinite. */
  readonly value: number;
  readonly timestampMs: number | undefined;
}

const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NO_LABELS: Labels = Object.freeze({});
const decoder = new TextDecoder();

/** Calls `onSample` for each sample line whose name `isWanted` (default: all), in order. Unwanted lines are skipped
 *  unread.
 *  @throws StoreProtocolError for a line that is neither comment nor sample, and for text that does not end in a line
 *  end */
export function scanSamples(
  text: string | Uint8Array,
  onSample: (sample: Sample) => void,
  isWanted: (name: string) => boolean = () => true,
): void {
  const whole = typeof text === 'string' ? text : decoder.decode(text);
  let at = 0;
  while (at < whole.length) {
    const first = skipBlanks(whole, at);
    const byte = whole.charCodeAt(first);
    if (byte !== LF && byte !== 0x23) {
      const nameEnd = endOfName(whole, first);
      const name = whole.slice(first, nameEnd);
      if (isWanted(name)) {
        at = scanSample(whole, name, nameEnd, onSample);
        continue;
      }
    }
    const lineEnd = whole.indexOf('\n', first);
    if (lineEnd < 0) throw new StoreProtocolError('metrics text is cut off');
    at = lineEnd + 1;
  }
}

/** Reads the rest of a sample line after its name. @returns the start of the next line */
function scanSample(whole: string, name: string, nameEnd: number, onSample: (sample: Sample) => void): number {
  let labels = NO_LABELS;
  let at = skipBlanks(whole, nameEnd);
  if (whole.charCodeAt(at) === 0x7b) [labels, at] = scanLabels(whole, at + 1);
  const lineEnd = whole.indexOf('\n', at);
  if (lineEnd < 0) throw new StoreProtocolError('metrics text is cut off');
  const valueStart = skipBlanks(whole, at);
  let valueEnd = valueStart;
  while (valueEnd < lineEnd && !isBlank(whole.charCodeAt(valueEnd))) valueEnd += 1;
  const value = parseValue(whole.slice(valueStart, valueEnd));
  const rest = whole.slice(valueEnd, lineEnd).trim();
  if (value === undefined || !/^-?[0-9]{0,15}$/.test(rest) || rest === '-') {
    throw new StoreProtocolError(`metrics text has no value for ${name}`);
  }
  onSample({ name, labels, value, timestampMs: rest === '' ? undefined : Number(rest) });
  return lineEnd + 1;
}

/** Reads `a="b",c="d"}`. @returns the labels and the position after the brace */
function scanLabels(whole: string, from: number): [Labels, number] {
  const labels: Record<string, string> = Object.create(null);
  let at = skipBlanks(whole, from);
  while (whole.charCodeAt(at) !== 0x7d) {
    const nameEnd = endOfName(whole, at);
    const name = whole.slice(at, nameEnd);
    at = skipBlanks(whole, nameEnd);
    if (whole.charCodeAt(at) !== 0x3d)
      throw new StoreProtocolError(`metrics text has a label without a value: ${name.slice(0, 60)}`);
    at = skipBlanks(whole, at + 1);
    if (whole.charCodeAt(at) !== QUOTE || name in labels)
      throw new StoreProtocolError(`metrics text has a bad label: ${name.slice(0, 60)}`);
    const close = endOfQuoted(whole, at + 1);
    labels[name] = unescapeLabel(whole.slice(at + 1, close));
    at = skipBlanks(whole, close + 1);
    if (whole.charCodeAt(at) === 0x2c) at = skipBlanks(whole, at + 1);
    else if (whole.charCodeAt(at) !== 0x7d) throw new StoreProtocolError('metrics text has labels that do not end');
  }
  return [labels, at + 1];
}

function endOfQuoted(whole: string, from: number): number {
  for (let at = from; at < whole.length; at += 1) {
    const byte = whole.charCodeAt(at);
    if (byte === QUOTE) return at;
    if (byte === LF) break;
    if (byte === BACKSLASH) at += 1;
  }
  throw new StoreProtocolError('metrics text has a label value that does not end');
}

function unescapeLabel(raw: string): string {
  if (!raw.includes('\\')) return raw;
  return raw.replace(/\\([\s\S])/g, (whole, escaped: string) => {
    if (escaped === 'n') return '\n';
    return escaped === '"' || escaped === '\\' ? escaped : whole;
  });
}

/** Metric and label names: letters, digits, `_`, `:`; never empty, never a digit first. */
function endOfName(whole: string, from: number): number {
  let at = from;
  for (; at < whole.length; at += 1) {
    const byte = whole.charCodeAt(at);
    const isLetter = (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x5f || byte === 0x3a;
    if (!isLetter && !(at > from && byte >= 0x30 && byte <= 0x39)) break;
  }
  if (at === from) {
    throw new StoreProtocolError(
      `metrics text has a line without a name: ${JSON.stringify(whole.slice(from, from + 40))}`,
    );
  }
  return at;
}

function skipBlanks(whole: string, from: number): number {
  let at = from;
  while (isBlank(whole.charCodeAt(at))) at += 1;
  return at;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09;
}

const FLOAT = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** A Go float as Prometheus prints it, or undefined. `Number` alone would take `''` for 0 and accept `0x10`. */
function parseValue(raw: string): number | undefined {
  if (FLOAT.test(raw)) return Number(raw);
  switch (raw.toLowerCase()) {
    case 'nan':
      return Number.NaN;
    case 'inf':
    case '+inf':
      return Number.POSITIVE_INFINITY;
    case '-inf':
      return Number.NEGATIVE_INFINITY;
    default:
      return undefined;
  }
}
