// Plays one page from top to bottom and gives the result of every command. compare.ts judges, record.ts writes.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { World } from '../world.ts';
import type { OutputAt } from './blocks.ts';
import { difference } from './compare.ts';
import { createMeanwhile } from './meanwhile.ts';
import type { Page, Part } from './page.ts';
import { openShell, type Shell } from './shell.ts';
import type { Surroundings } from './surroundings.ts';

/** Longer than any `--timeout` of a page, so that kubectl itself says what it has waited for. */
const COMMAND_LIMIT_MS = 130_000;

export interface Performance {
  readonly typed: number;
  /** One reason per command that was not typed. */
  readonly untyped: readonly string[];
  /** Where the page differs from what was printed. */
  readonly differences: readonly Difference[];
  /** Where and why the story ended early: at a command that failed or took too long, since the following commands would
   *  only fail because of it. */
  readonly failed: string | undefined;
}

export interface Difference {
  readonly at: OutputAt;
  readonly printed: readonly string[];
  /** For a person. */
  readonly text: string;
}

type Command = Extract<Part, { readonly kind: 'command' }>;

export async function play(page: Page, surroundings: Surroundings): Promise<Performance> {
  const { folder, env, backstage, world } = surroundings;
  const meanwhile = createMeanwhile(world);
  const shell = openShell(folder, env, join(backstage, 'typed.sh'));
  const differences: Difference[] = [];
  const untyped: string[] = [];
  let typed = 0;
  let failed: string | undefined;
  try {
    for (const part of page.parts) await playOne(part);
  } catch (error) {
    failed = `${messageOf(error)}\n${await clustersOf(world)}`;
  } finally {
    await Promise.all([shell.close(), meanwhile.end()]);
  }
  return { typed, untyped, differences, failed };

  async function playOne(part: Part): Promise<void> {
    switch (part.kind) {
      case 'not run':
        untyped.push(...Array<string>(part.commands).fill(part.reason));
        return;
      case 'file':
        return placeFile(join(folder, part.name), part.text);
      case 'meanwhile':
        return meanwhile.happen(part.sentence).catch((cause: unknown) => {
          throw new Error(`${page.path}:${part.line}: ${part.sentence}: ${messageOf(cause)}`, { cause });
        });
      case 'command': {
        if (part.needs !== undefined && !(await surroundings.has(part.needs))) {
          untyped.push(`no ${part.needs} here`);
          return;
        }
        typed += 1;
        const different = await typeOne(page, part, shell);
        if (different !== undefined) differences.push(different);
      }
    }
  }
}

async function typeOne(page: Page, { text, line, output }: Command, shell: Shell): Promise<Difference | undefined> {
  const where = `${page.path}:${line}: $ ${text}`;
  const { code, lines } = await shell.type(text, COMMAND_LIMIT_MS).catch((cause: unknown) => {
    throw new Error(`${where}\n  ${messageOf(cause)}`, { cause });
  });
  if (code !== 0) throw new Error(`${where}\n  ended with ${code}; it printed:\n${lines.join('\n')}`);
  if (output === undefined) return undefined;
  const different = difference(page.lines.slice(output.from, output.to), lines);
  return different === undefined ? undefined : { at: output, printed: lines, text: `${where}\n${different}` };
}

/** More about a failure, to find its cause. */
function clustersOf({ kubectl }: World): Promise<string> {
  return kubectl('get', 'mkv,mkvnode', '--all-namespaces', '-o', 'wide').catch(messageOf);
}

async function placeFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
