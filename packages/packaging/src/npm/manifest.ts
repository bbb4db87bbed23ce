// The package.json of a published package: that of the project, without what is valid only inside of it. Pure.

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** The condition under which this project runs its own sources. Published, it would break bundlers and test tools: they
 *  set a condition of that name, too, and Node does not load TypeScript from node_modules. */
const OWN_CONDITION = 'development';
const ONLY_HERE = ['files', 'scripts', 'devDependencies', 'publishConfig'];

/** A package with `bin` is a program bundled into one file, so that it needs no exports and no dependencies. */
export function publishedManifest(manifest: Manifest): Manifest {
  const { exports, dependencies, ...rest } = manifest;
  const kept = Object.fromEntries(Object.entries(rest).filter(([field]) => !ONLY_HERE.includes(field)));
  const common = { ...kept, name: manifest.name, version: manifest.version };
  if (manifest.bin !== undefined) return common;
  return {
    ...common,
    ...(exports === undefined ? {} : { exports: Object.fromEntries(Object.entries(exports).map(withoutOwnCondition)) }),
    ...(dependencies === undefined ? {} : { dependencies }),
  };
}

function withoutOwnCondition([entry, targets]: readonly [string, Readonly<Record<string, string>>]) {
  return [
    entry,
    Object.fromEntries(Object.entries(targets).filter(([condition]) => condition !== OWN_CONDITION)),
  ] as const;
}
