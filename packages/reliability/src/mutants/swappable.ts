// What takes a guard out of a running product and puts it back: each module that some mutant edits stands behind one
// that passes on what the variant of the moment offers. All others are loaded once, and stay compiled: a life in a
// realm that was loaded for it alone takes several times as long. What modules remember beyond a life they remember by
// objects of that life, or by texts that no mutant changes.

import { MUTANTS } from './catalogue.ts';
import type { Edit } from './mutant.ts';

/** The realm in which modules are swapped. */
export const MUTABLE = 'mutable';

/** The modules of one state of the product: those of a mutant, or, without a name, the product as it is. */
export interface Variant {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** What is loaded for it, below `packages/`. */
  readonly files: readonly string[];
}

/** A module that stands for all of its variants. */
export interface Facade {
  readonly become: (variant: object) => void;
}

/** Who takes values out of a module while it is loaded, and so has to be loaded anew along with it. Whoever is
 *  forgotten here keeps what the product has, and its mutants are not seen. */
const HOLDERS: Readonly<Record<string, readonly string[]>> = {
  'operator/src/cluster/live-checks.ts': ['operator/src/cluster/fences.ts'],
  'operator/src/node/execute-adoption.ts': ['operator/src/node/execute.ts'],
  'operator/src/node/live-checks.ts': ['operator/src/node/fences.ts'],
  'planner/src/removal/preflight-checks.ts': ['planner/src/removal/preflight.ts'],
  'planner/src/removal/preflight-figures.ts': ['planner/src/removal/preflight.ts'],
};

const variants: ReadonlyMap<string, Variant> = new Map(
  [{ name: '', edits: [] }, ...MUTANTS].map(({ name, edits }) => [name, { name, edits, files: filesOf(edits) }]),
);

/** Every module that has more than one variant. */
const SWAPPABLE: readonly string[] = [...new Set(MUTANTS.flatMap(({ edits }) => filesOf(edits)))];

/** By path, what a swappable module offers. */
const offered = new Map<string, readonly string[]>();

function filesOf(edits: readonly Edit[]): readonly string[] {
  return [...new Set(edits.flatMap(({ file }) => [file, ...(HOLDERS[file] ?? [])]))];
}

/** The empty name is that of the product as it is. @throws RangeError for a name that no mutant has */
export function variantNamed(name: string): Variant {
  const variant = variants.get(name);
  if (variant === undefined) throw new RangeError(`no mutant ${name}`);
  return variant;
}

export function isSwappable(path: string): boolean {
  return SWAPPABLE.includes(path);
}

/** Before the first module that stands for others is loaded: what each of them has to offer. */
export async function readOffers(importProduct: (path: string) => Promise<object>): Promise<void> {
  for (const path of SWAPPABLE) offered.set(path, Object.keys(await importProduct(path)));
}

/** The source of what stands for all variants of a module. Its importers see what it passes on change, since imports
 *  are live. */
export function facadeOf(path: string, original: string): string {
  const names = offered.get(path) ?? [];
  return [
    `import * as original from ${JSON.stringify(original)};`,
    ...names.map((name) => `export let ${name} = original.${name};`),
    `export function become(variant) { ({ ${names.join(', ')} } = variant); }`,
  ].join('\n');
}
