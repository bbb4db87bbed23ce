// Text for a terminal: what came from a server is made harmless, what is too long is cut, and colours are named. Pure.

/** C0 and C1 controls, line and paragraph separators, and the marks that turn the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for
const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One harmless line: one who may write a status or a log must not be able to write to the terminal of its reader. */
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
