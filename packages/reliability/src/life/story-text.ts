// One life as text for people: what users and faults did, what the operator wrote and reported, which processes began
// and ended. Times are seconds since the story began; random parts of names are left out, and equal writes at one
// moment share a line.

import type { Life } from './life.ts';

const LINE = /^\s*(\d+\.\d+) (\S+)\s+(.*)$/;
const WRITE = /^(create|update|patch|delete) (\S+) (\S+) -> (\d+)( \(\w+\))?$/;
/** Writes of one kind within this time share a line. */
const TOGETHER_SECONDS = 1;

interface Row {
  readonly at: number;
  readonly who: string;
  readonly text: string;
  readonly group?: string;
  readonly names?: string[];
}

export function tellStory({ world, fate }: Pick<Life, 'world' | 'fate'>): string {
  const rows: Row[] = [];
  for (const line of world.transcript.slice(fate.beganAt.line)) {
    const row = rowOf(line, fate.beganAt.ms / 1_000);
    if (row === undefined) continue;
    const last = rows.findLast((one) => one.group === row.group);
    const isSame = row.group !== undefined && last !== undefined && row.at - last.at <= TOGETHER_SECONDS;
    if (isSame) last.names?.push(...(row.names ?? []));
    else rows.push(row);
  }
  return `${rows.map(shown).join('\n')}\n`;
}

function rowOf(line: string, startSeconds: number): Row | undefined {
  const [, seconds = '', who = '', text = ''] = LINE.exec(line) ?? [];
  // Only the first line of a message has a time.
  if (who === '') return undefined;
  const at = Number(seconds) - startSeconds;
  const write = WRITE.exec(text);
  if (write === null) return { at, who, text: withoutHashes(text) };
  const [, verb, resource = '', name = '', code = '', fate = ''] = write;
  const kind = resource.replace(/\.[a-z0-9.]+(?=\/|$)/, '');
  // The text of an event has a line of its own.
  if (kind === 'events') return undefined;
  const end = `${code.startsWith('2') ? '' : ` -> ${code}`}${fate}`;
  return { at, who, text: `${verb} ${kind}`, group: `${who} ${verb} ${kind}${end}`, names: [`${name}${end}`] };
}

function shown({ at, who, text, names = [] }: Row): string {
  const what = names.length === 0 ? text : `${text} ${counted(names)}`;
  return `${Math.max(0, at).toFixed(1).padStart(7)} ${who.padEnd(8)} ${what}`;
}

function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of [...names].sort()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`)).join(', ');
}

/** `demo-3/8a05b6cd starts on volume 6d009d10` */
function withoutHashes(text: string): string {
  return text.replace(/\/[0-9a-f]{8}\b/g, '').replace(/ on volume [0-9a-f]{8}\b/, ' on its volume');
}
