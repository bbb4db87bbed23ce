// The commands of one fenced block. Pure.

/** Where the output of a command stands in the page: `from` (from 0) up to but without `to`. */
export interface OutputAt {
  readonly from: number;
  readonly to: number;
}

export interface TypedCommand {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly output: OutputAt | undefined;
}

/** A console block: `$ command`, `> more of it`, output. */
export function commandsOf(lines: readonly string[], from: number, to: number): readonly TypedCommand[] {
  const found: TypedCommand[] = [];
  for (let at = from; at < to; ) {
    if (lines[at]?.startsWith('$ ') !== true) {
      at += 1;
      continue;
    }
    const text = [lines[at]?.slice(2) ?? ''];
    const line = at + 1;
    for (at += 1; at < to && lines[at]?.startsWith('> ') === true; at += 1) text.push(lines[at]?.slice(2) ?? '');
    const begin = at;
    while (at < to && lines[at]?.startsWith('$ ') !== true) at += 1;
    found.push({ line, text: text.join('\n'), output: { from: begin, to: at } });
  }
  return found;
}

const HERE_DOCUMENT = /<<-?\s*(['"]?)(\w+)\1/;

/** A block without output: one command per line, unless a line is continued. */
export function typedLines(lines: readonly string[], from: number, to: number): readonly TypedCommand[] {
  const found: TypedCommand[] = [];
  for (let at = from; at < to; at += 1) {
    if (/^\s*(#|$)/.test(lines[at] ?? '')) continue;
    const line = at + 1;
    const text = [lines[at] ?? ''];
    while (at + 1 < to && text.at(-1)?.endsWith('\\') === true) text.push(lines[++at] ?? '');
    const end = HERE_DOCUMENT.exec(text.join('\n'))?.[2];
    while (end !== undefined && at + 1 < to && text.at(-1) !== end) text.push(lines[++at] ?? '');
    found.push({ line, text: text.join('\n'), output: undefined });
  }
  return found;
}
