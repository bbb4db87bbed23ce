// Every program that writes files which are committed. Each knows --check: compare, write nothing, exit 1 on a
// difference.

export const GENERATORS: readonly string[] = [
  'packages/api/generate.ts',
  'packages/reference/generate.ts',
  'packages/reliability/generate.ts',
  // The last: it copies what the others have written into config/ and crds/.
  'packages/packaging/generate.ts',
];
