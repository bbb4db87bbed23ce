// Do the packages import only what docs/design/contract.md#layers allows, and declare what they import? Pure: files in, problems out.

export interface PackageFacts {
  /** `@marekvs/api` */
  readonly name: string;
  /** `packages/api` */
  readonly folder: string;
  /** The @marekvs names in package.json's dependencies, those for development included. */
  readonly dependencies: readonly string[];
  /** The folders of tsconfig.json's references, as package names; undefined when it has no tsconfig.json of its own. */
  readonly references: readonly string[] | undefined;
  readonly files: readonly SourceFile[];
}

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** api <- planner, store-client, runtime <- operator, simulator, testbed, cli. Of the operator the cli takes its projections, so that
 *  `plan` sees what the operator sees. The runtime is generic; the simulator judges the operator and so knows nothing of it:
 *  the two meet in reliability. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  '@marekvs/api': [],
  '@marekvs/planner': ['@marekvs/api'],
  '@marekvs/store-client': ['@marekvs/api'],
  '@marekvs/runtime': [],
  '@marekvs/operator': ['@marekvs/api', '@marekvs/planner', '@marekvs/runtime', '@marekvs/store-client'],
  '@marekvs/simulator': ['@marekvs/api', '@marekvs/store-client'],
  '@marekvs/testbed': ['@marekvs/api', '@marekvs/runtime', '@marekvs/simulator', '@marekvs/store-client'],
  '@marekvs/cli': [
    '@marekvs/api',
    '@marekvs/planner',
    '@marekvs/runtime',
    '@marekvs/operator',
    '@marekvs/store-client',
  ],
  // Knows no other package: it takes them as folders to publish.
  '@marekvs/packaging': [],
  '@marekvs/reference': ['@marekvs/api', '@marekvs/operator', '@marekvs/runtime'],
  '@marekvs/reliability': [
    '@marekvs/api',
    '@marekvs/planner',
    '@marekvs/runtime',
    '@marekvs/operator',
    '@marekvs/simulator',
    '@marekvs/store-client',
  ],
  '@marekvs/test-e2e': [
    '@marekvs/api',
    '@marekvs/reference',
    '@marekvs/planner',
    '@marekvs/runtime',
    '@marekvs/operator',
    '@marekvs/simulator',
    '@marekvs/store-client',
    '@marekvs/testbed',
  ],
};

/** One sentence per breach; empty when all is well. */
export function findLayeringProblems(packages: readonly PackageFacts[]): string[] {
  return packages.flatMap((one) => [
    ...dependencyProblems(one),
    ...one.files.flatMap((file) => importProblems(one, file)),
  ]);
}

function dependencyProblems(one: PackageFacts): string[] {
  const allowed = ALLOWED[one.name];
  if (allowed === undefined)
    return [`${one.folder}/package.json: ${one.name} has no place in the layers of docs/design/contract.md#layers`];
  const problems = one.dependencies
    .filter((name) => !allowed.includes(name))
    .map((name) => `${one.folder}/package.json: ${one.name} must not depend on ${name}`);
  if (one.references === undefined) return problems;
  const missing = one.dependencies.filter((name) => one.references?.includes(name) !== true);
  const extra = one.references.filter((name) => !one.dependencies.includes(name));
  return [
    ...problems,
    ...missing.map((name) => `${one.folder}/tsconfig.json: no reference to ${name}, which package.json depends on`),
    ...extra.map(
      (name) => `${one.folder}/tsconfig.json: a reference to ${name}, which package.json does not depend on`,
    ),
  ];
}

/** Entries of packages besides their main one: what another program may run in its own process. */
const PUBLIC_ENTRIES: ReadonlySet<string> = new Set([
  '@marekvs/api/cluster-spec-structure',
  '@marekvs/api/crd',
  '@marekvs/api/reference',
  '@marekvs/operator/assembly',
  '@marekvs/operator/projections',
  '@marekvs/operator/reference',
  '@marekvs/simulator/member',
]);

/** Statements begin a line, so that a string in a test that looks like one is none. */
const STATEMENT = /^(?:import\s*|(?:import|export)\b[^;'"]*\bfrom\s*)['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\s*\(\s*['"]([^'"]+)['"]/g;

/** Tests may use any package of the project (they are no one's dependency) and what other tests share, but never another package's sources. */
function importProblems(one: PackageFacts, file: SourceFile): string[] {
  const isTest = file.path.startsWith(`${one.folder}/test/`) || one.folder === 'test-e2e';
  return importsOf(file.text).flatMap((specifier) => {
    if (specifier.startsWith('@marekvs/')) {
      const name = specifier.split('/').slice(0, 2).join('/');
      if (specifier !== name && !PUBLIC_ENTRIES.has(specifier)) {
        return [`${file.path}: imports ${specifier}, the inside of ${name}`];
      }
      const isDeclared = name === one.name || one.dependencies.includes(name);
      if (isDeclared || file.path.startsWith(`${one.folder}/test/`)) return [];
      return [`${file.path}: imports ${name}, which ${one.folder}/package.json does not depend on`];
    }
    if (!specifier.startsWith('.')) return [];
    const target = resolvePath(file.path, specifier);
    if (target.startsWith(`${one.folder}/`) || (isTest && /^packages\/[^/]+\/test\//.test(target))) return [];
    return [`${file.path}: imports ${specifier}, a file of another package`];
  });
}

export function importsOf(text: string): string[] {
  return [...text.matchAll(STATEMENT), ...text.matchAll(DYNAMIC)].map((match) => match[1] ?? '');
}

function resolvePath(from: string, specifier: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
