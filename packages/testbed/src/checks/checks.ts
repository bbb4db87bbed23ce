// The steps of `npm run check`: types, style, layers and circles, generated files, references, form and prose of the
// pages, the width of comments, the Go module. Each reports what is wrong, not only that something is.
import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { goModuleFolder, HELM_VERSION, helmModuleFolder, KUBERNETES_VERSION, projectRoot } from '../paths.ts';
import { runTool } from '../processes/run-tool.ts';
import { GENERATORS } from './generators.ts';
import { findGoModuleProblems, findHelmModuleProblems } from './go-module.ts';
import { findHouseProblems } from './house.ts';
import { findReferenceProblems } from './references.ts';
import { COMMENTED, findWideComments, isMade } from './widths.ts';

export interface CheckStep {
  readonly title: string;
  /** What is wrong, for a person; undefined when nothing is. */
  run(signal?: AbortSignal): Promise<string | undefined>;
}

export const CHECKS: readonly CheckStep[] = [
  { title: 'types: every package compiles', run: (signal) => tool('tsc', ['-b', ...packageFolders()], signal) },
  { title: 'types: every test compiles', run: (signal) => tool('tsc', ['-p', 'tsconfig.test.json'], signal) },
  // Layers and circles of imports are rules of biome.json; packages that refer to each other are an error of the
  // compiler.
  {
    title: 'style, layers, circles: Biome has nothing to say',
    run: (signal) => tool('biome', ['ci', '--colors=off', '.'], signal),
  },
  {
    title: 'nothing is there that only tests run, no dependency that nothing imports',
    run: (signal) =>
      tool(
        'knip',
        ['--production', '--include', 'files,exports,dependencies', '--no-progress', '--no-config-hints'],
        signal,
      ),
  },
  { title: 'generated files are what the generators make', run: checkGenerated },
  { title: 'references: every link, and every page that a comment names, leads somewhere', run: checkReferences },
  {
    title: 'pages: markdownlint has nothing to say about their form',
    run: (signal) => tool('markdownlint-cli2', [], signal),
  },
  { title: 'pages: textlint has nothing to say about their prose', run: checkProse },
  { title: 'comments are no wider than 120 columns', run: checkWidths },
  { title: 'folders, files and names: as contributing.md says', run: checkHouse },
  { title: 'the Go modules name the control plane and the Helm this project runs', run: checkGoModule },
];

function tool(name: string, args: readonly string[], signal?: AbortSignal): Promise<string | undefined> {
  return runToFailure(join(projectRoot, 'node_modules', '.bin', name), args, signal);
}

async function runToFailure(
  command: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { code, output } = await runTool(command, args, signal === undefined ? {} : { signal });
  return code === 0 ? undefined : output.trim() || `${command} ended with ${code}`;
}

async function checkGenerated(signal?: AbortSignal): Promise<string | undefined> {
  const problems: string[] = [];
  for (const generator of GENERATORS) {
    const problem = await runToFailure(process.execPath, ['--conditions=development', generator, '--check'], signal);
    if (problem !== undefined) problems.push(problem);
  }
  return joined(problems);
}

async function checkReferences(): Promise<string | undefined> {
  const files = await readAll(REFERRING);
  return joined(findReferenceProblems({ files, isThere: (path) => existsSync(join(projectRoot, path)) }));
}

/** Which pages, and which of them are left out: .textlintignore. */
function checkProse(signal?: AbortSignal): Promise<string | undefined> {
  const pages = ['*.md', 'docs/**/*.md', 'config/**/*.md', 'packages/*/*.md'];
  return tool('textlint', ['--format', 'unix', ...pages], signal);
}

/** Pages, sources and manifests. Not the changelog: it is made from commits, which nobody rewrites. */
const REFERRING = [
  '{README,AGENTS,CONTRIBUTING,SECURITY,CODE_OF_CONDUCT}.md',
  'docs/**/*.md',
  '{packages,test-e2e}/**/*.{ts,mjs,md}',
  '{config,crds,.github}/**/*.{md,yaml}',
];

async function checkWidths(): Promise<string | undefined> {
  return joined(findWideComments(await readAll([COMMENTED])));
}

async function checkHouse(): Promise<string | undefined> {
  return joined(findHouseProblems(await readAll(['packages/*/src/**/*.ts'])));
}

function readAll(patterns: readonly string[]): Promise<{ path: string; text: string }[]> {
  const paths = patterns.flatMap((pattern) => globSync(pattern, { cwd: projectRoot, exclude: isMade }));
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(projectRoot, path), 'utf8') })));
}

async function checkGoModule(): Promise<string | undefined> {
  const goMod = (folder: string) => readFile(join(folder, 'go.mod'), 'utf8');
  return joined([
    ...findGoModuleProblems(await goMod(goModuleFolder), KUBERNETES_VERSION),
    ...findHelmModuleProblems(await goMod(helmModuleFolder), HELM_VERSION),
  ]);
}

function packageFolders(): string[] {
  return globSync('packages/*', { cwd: projectRoot }).sort();
}

function joined(problems: readonly string[]): string | undefined {
  return problems.length === 0 ? undefined : problems.join('\n');
}
