// Somebody else's project that uses the published packages: the files in it, and the commands that have to work there.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from './manifest.ts';

export interface Question {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Has to match its output. */
  readonly expect: RegExp;
}

/** Writes a project without any dependency of its own. @returns the commands to try once the packages are in its
 *  node_modules */
export function writeConsumer(folder: string, manifests: readonly Manifest[], tsc: string): readonly Question[] {
  mkdirSync(folder, { recursive: true });
  const entries = manifests.flatMap(entriesOf);
  const typed = manifests.flatMap((one) => entriesOf(one).filter((entry) => hasTypes(one, entry)));
  const program = entries.map(
    (entry) => `console.log('imported', ${entry.length}, (await import('${entry}')) !== undefined);`,
  );
  write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  write('entries.js', program.join('\n'));
  write('types.ts', typed.map((entry, index) => `import * as m${index} from '${entry}';\nvoid m${index};`).join('\n'));
  write('tsconfig.json', JSON.stringify(TSCONFIG));
  return [
    {
      title: 'import every entry',
      command: process.execPath,
      args: ['entries.js'],
      expect: times(/imported/, entries.length),
    },
    {
      title: 'import every entry as a tool that sets the condition `development`',
      command: process.execPath,
      args: ['--conditions=development', 'entries.js'],
      expect: times(/imported/, entries.length),
    },
    { title: 'resolve the types of every entry', command: tsc, args: ['-p', '.'], expect: /^\s*$/ },
    ...manifests.flatMap(({ bin = {} }) =>
      Object.keys(bin).map((name) => ({
        title: `run ${name} --help`,
        command: join(folder, 'node_modules', '.bin', name),
        args: ['--help'],
        expect: /[Uu]sage/,
      })),
    ),
  ];

  function write(name: string, text: string): void {
    writeFileSync(join(folder, name), `${text}\n`);
  }
}

/** Programs: importing `@marekvs/simulator/member` would run it. */
const PROGRAMS: readonly string[] = ['@marekvs/simulator/member'];

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'dom'],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    // Otherwise declarations that cannot be resolved would silently be `any`.
    skipLibCheck: false,
    types: ['node'],
  },
  files: ['types.ts'],
};

function entriesOf({ name, exports = {} }: Manifest): readonly string[] {
  const all = Object.keys(exports).map((entry) => (entry === '.' ? name : `${name}/${entry.slice(2)}`));
  return all.filter((entry) => !PROGRAMS.includes(entry));
}

function hasTypes({ name, exports = {} }: Manifest, entry: string): boolean {
  return exports[entry === name ? '.' : `./${entry.slice(name.length + 1)}`]?.types !== undefined;
}

function times(pattern: RegExp, count: number): RegExp {
  return new RegExp(`^(?:.*${pattern.source}.*\\n){${count}}$`);
}
