// A little Markdown, so that no page builds tables by hand.

/** A table; a line break or a bar in a cell must not end it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|').trim();
}

export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

export function codes(texts: readonly string[]): string {
  return texts.map(code).join(', ');
}

/** The anchor of a heading. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');
}

export interface Page {
  readonly title: string;
  /** The source it is generated from, for people who want to change it. */
  readonly source: string;
  /** Separated by empty lines. */
  readonly blocks: readonly string[];
}

export function page({ title, source, blocks }: Page): string {
  const note = `<!-- Generated from ${source} by \`npm run generate\`. Do not edit. -->`;
  return `${[`# ${title}`, note, ...blocks].join('\n\n')}\n`;
}
