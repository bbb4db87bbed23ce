// A page of the documentation as a story: the commands a test can type, in order, with the output the page claims.
// Pure.
//
// How a page is written. Comments stand on lines of their own; a reader of the page does not see them.
//
// ```console           A command and what it printed. `$ ` begins a command, `> ` right below it continues one.
// $ kubectl get mkv    Standard output and standard error are compared with the page, after masks.ts; a line `…`
// NAME   DESIRED …     stands for any number of lines. `npm run docs:record` writes what a real run printed into
// ```                  the page, where it differs.
// ```sh                Commands without output: one per line, `\` at the end continues one, a here-document
// ```                  belongs to its command, `#` begins a comment.
//
// A page is one story: from top to bottom in one bash, in a folder with `config` and `crds` of this repository, with
// kubectl, kubectl-mkv and node on the PATH and the testbed's administrator as KUBECONFIG, namespace default. Every
// command has to end with 0: show another code by `$ kubectl mkv explain demo; echo "exit code $?"`. Wait with
// commands, `kubectl wait --for=… --timeout=60s`.
//
// <!-- story: members hosted, cluster demo of 3 -->  what there is before the first command (see surroundings.ts)
// <!-- not run: needs a container engine -->         on the line before a block that cannot run here
// <!-- needs: helm -->                               likewise: the block is typed if this program is on the PATH
// <!-- file: demo.yaml -->                           on the line before any block: its text becomes this file
// <!-- meanwhile: the host of demo-1 is lost -->     what happens outside of the reader's terminal (see meanwhile.ts)
//
// docs/operations/disaster.md is played by test-e2e/journeys/docs/disaster.test.ts, which is one call:
// describePage('docs/…'). A block of commands without any of these comments is typed, so that none is forgotten; one
// that cannot be read is a problem of the page.

import { commandsOf, type OutputAt, typedLines } from './blocks.ts';

export type Part =
  | {
      readonly kind: 'command';
      /** In the page, from 1. */
      readonly line: number;
      readonly text: string;
      /** Undefined if the page shows none: the command is only typed. */
      readonly output: OutputAt | undefined;
      /** The program without which it is not typed. */
      readonly needs: string | undefined;
    }
  | { readonly kind: 'not run'; readonly line: number; readonly reason: string; readonly commands: number }
  | { readonly kind: 'file'; readonly line: number; readonly name: string; readonly text: string }
  | { readonly kind: 'meanwhile'; readonly line: number; readonly sentence: string };

export interface Page {
  readonly path: string;
  readonly lines: readonly string[];
  /** As written, empty when the page says nothing. */
  readonly story: readonly string[];
  readonly parts: readonly Part[];
  /** What is wrong with the page itself, by line. */
  readonly problems: readonly string[];
}

const FENCE = /^``` *([\w-]*)/;
const INDENTED = /^\s+``` *(sh|bash|shell|console)\b/;
const COMMENT = /^<!-- (story|not run|needs|file|meanwhile): *(.*?) *-->$/;
const TYPED = new Set(['sh', 'console']);
const MISNAMED = new Set(['bash', 'shell', 'zsh', 'terminal', 'shell-session']);

interface Said {
  readonly what: string;
  readonly text: string;
  readonly line: number;
}

export function parsePage(path: string, text: string): Page {
  const lines = text.split('\n');
  const story: string[] = [];
  const parts: Part[] = [];
  const problems: string[] = [];
  const problem = (index: number, what: string): void => void problems.push(`${path}:${index + 1}: ${what}`);
  let about: Said | undefined;

  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const said = COMMENT.exec(line);
    if (said !== null) {
      const [, what = '', words = ''] = said;
      if (words === '') problem(index, `"${what}:" says nothing`);
      if (what === 'story') story.push(...words.split(/, */));
      else if (what === 'meanwhile') parts.push({ kind: 'meanwhile', line: index + 1, sentence: words });
      else about = { what, text: words, line: index };
      continue;
    }
    if (INDENTED.test(line)) problem(index, 'a block of commands begins at the first column');
    const fence = FENCE.exec(line);
    if (fence !== null) {
      const end = lines.indexOf('```', index + 1);
      const block = { language: fence[1] ?? '', from: index + 1, to: end < 0 ? lines.length : end };
      if (end < 0) problem(index, 'this block has no end');
      takeBlock(block, about);
      index = block.to;
    } else if (about !== undefined) problem(about.line, `"${about.what}" is on the line before a block`);
    about = undefined;
  }
  return { path, lines, story, parts, problems };

  function takeBlock({ language, from, to }: { language: string; from: number; to: number }, said?: Said): void {
    const body = lines.slice(from, to);
    if (said?.what === 'file') {
      parts.push({ kind: 'file', line: from, name: said.text, text: `${body.join('\n')}\n` });
      return;
    }
    if (!TYPED.has(language)) {
      if (MISNAMED.has(language)) problem(from - 1, `commands stand in blocks \`sh\` or \`console\`, not ${language}`);
      if (body.some((line) => line.startsWith('$ '))) problem(from - 1, 'a block with `$ ` is of the kind console');
      if (said !== undefined) problem(said.line, `"${said.what}" is about a block of commands`);
      return;
    }
    const commands = language === 'console' ? commandsOf(lines, from, to) : typedLines(lines, from, to);
    if (commands.length === 0) problem(from - 1, 'no command in a block of commands');
    if (language === 'console' && commands[0]?.line !== from + 1)
      problem(from - 1, 'a console block begins with a command: `$ …`');
    if (said?.what === 'not run')
      parts.push({ kind: 'not run', line: from, reason: said.text, commands: commands.length });
    else for (const one of commands) parts.push({ kind: 'command', ...one, needs: said?.text });
  }
}

/** Whether the page has anything to type or to declare. */
export function hasCommands({ parts, problems }: Page): boolean {
  return problems.length > 0 || parts.some(({ kind }) => kind === 'command' || kind === 'not run');
}
