// Text for a terminal: what came from a server is made harmless, what is too long is cut, and colours are named. Pure.

import { timeMs } from '@marekvs/planner';

/** C0 and C1 controls, line and paragraph separators, and the marks that turn the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for
const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One harmless line: somebody who can write a status or a log must not control the terminal of its reader. */
export function harmless(text: string): string {
  return text.replace(HARMFUL, (char) => (char === '\n' || char === '\t' ? ' ' : `\\u${hex(char)}`));
}

/** JSON and YAML escape some of these themselves; the rest is escaped here, in strings where both read it back. */
export function harmlessDocument(text: string): string {
  return text.replace(HARMFUL, (char) => (char === '\n' ? char : `\\u${hex(char)}`));
}

function hex(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(4, '0');
}

/** At most `width` characters; what is cut ends in `…`. */
export function fit(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** Words in lines of at most `width` characters, each after the indent. A longer word has a line of its own. */
export function wrap(text: string, width: number, indent = ''): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter((one) => one !== '')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && indent.length + longer.length > width) {
      lines.push(indent + line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, indent + line];
}

export type Colour = 'red' | 'yellow' | 'green' | 'bold' | 'dim';
const CODES: Readonly<Record<Colour, string>> = { red: '31', yellow: '33', green: '32', bold: '1', dim: '2' };

export type Paint = (colour: Colour, text: string) => string;
export const plain: Paint = (_colour, text) => text;
export const coloured: Paint = (colour, text) => `\u001b[${CODES[colour]}m${text}\u001b[0m`;

/** Colours on a terminal only, and never where NO_COLOR is set (no-color.org) or the terminal knows none. */
export function paintFor(isTty: boolean, env: Readonly<Record<string, string | undefined>>): Paint {
  const isWanted = isTty && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return isWanted ? coloured : plain;
}

/** `45s`, `12m`, `3h`, `2d`, as kubectl shows ages; `-` when it is not known. */
export function ageText(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return '-';
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** For documents; undefined when it is not known. */
export function isoText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** The age of a timestamp; `-` when it is not known. */
export function since(text: string | undefined, nowMs: number): string {
  const ms = timeMs(text);
  return ageText(ms === undefined ? undefined : nowMs - ms);
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `1.5GiB`; `-` when it is not known. */
export function bytesText(bytes: number | undefined): string {
  if (bytes === undefined || !Number.isFinite(bytes)) return '-';
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)}${UNITS[unit]}`;
}

/** How text is to be shown. */
export interface RenderContext {
  readonly nowMs: number;
  /** Columns to fit into; undefined: as wide as it has to be. */
  readonly width: number | undefined;
  /** All columns of a table, as with `-o wide`. */
  readonly isWide?: boolean;
  readonly paint: Paint;
}

/** Items of a list, each behind a dash, and wrapped where it does not fit. */
export function listed(lines: readonly string[], { width }: RenderContext): readonly string[] {
  return lines.flatMap((line) =>
    wrap(harmless(line), width ?? Number.POSITIVE_INFINITY, '    ').map((text, i) =>
      i === 0 ? `  - ${text.trimStart()}` : text,
    ),
  );
}

/** Indented, and wrapped where it does not fit. Empty for no text. */
export function sentence(
  text: string | undefined,
  { width, paint }: RenderContext,
  colour?: Parameters<Paint>[0],
): readonly string[] {
  if (text === undefined || text === '') return [];
  const lines = wrap(harmless(text), width ?? Number.POSITIVE_INFINITY, '  ');
  return colour === undefined ? lines : lines.map((line) => paint(colour, line));
}
