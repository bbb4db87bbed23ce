// Removes a guard from a running product and puts it back: each module that some mutant edits is behind a facade that
// exports the current variant. All other modules are loaded once and stay compiled, since a life in a realm of its own
// takes several times as long. What modules cache across lives is keyed by objects of a life, or by texts that no
// mutant changes.

import { MUTANTS } from '../catalogue.ts';
import type { Edit } from '../edits/mutant.ts';

/** The realm in which modules are swapped. */
export const MUTABLE = 'mutable';

/** The modules of one state of the product: those of a mutant, or, with an empty name, the unchanged product. */
export interface Variant {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The files that are loaded for it, below `packages/`. */
  readonly files: readonly string[];
}

/** A module that stands for all of its variants. */
export interface Facade {
  readonly become: (variant: object) => void;
}

/** Modules that copy values from a module while loading, and so must be loaded anew with it. A module missing here
 *  keeps the product's values, and its mutants have no effect. */
const HOLDERS: Readonly<Record<string, readonly string[]>> = {
  'operator/src/cluster/steps/live-checks.ts': ['operator/src/cluster/steps/fences.ts'],
  'operator/src/node/steps/execute-adoption.ts': ['operator/src/node/steps/execute.ts'],
  'operator/src/node/steps/live-checks.ts': ['operator/src/node/steps/fences.ts'],
};

const variants: ReadonlyMap<string, Variant> = new Map(
  [{ name: '', edits: [] }, ...MUTANTS].map(({ name, edits }) => [name, { name, edits, files: filesOf(edits) }]),
);

/** Every module that has more than one variant. */
const SWAPPABLE: readonly string[] = [...new Set(MUTANTS.flatMap(({ edits }) => filesOf(edits)))];

/** By path, the exports of a swappable module. */
const offered = new Map<string, readonly string[]>();

function filesOf(edits: readonly Edit[]): readonly string[] {
  return [...new Set(edits.flatMap(({ file }) => [file, ...(HOLDERS[file] ?? [])]))];
}

/** The empty name is the unchanged product. @throws RangeError for an unknown mutant */
export function variantNamed(name: string): Variant {
  const variant = variants.get(name);
  if (variant === undefined) throw new RangeError(`no mutant ${name}`);
  return variant;
}

export function isSwappable(path: string): boolean {
  return SWAPPABLE.includes(path);
}

/** To be called before the first facade is loaded: reads the exports of each swappable module. */
export async function readOffers(importProduct: (path: string) => Promise<object>): Promise<void> {
  for (const path of SWAPPABLE) offered.set(path, Object.keys(await importProduct(path)));
}

/** The source of the facade for all variants of a module. Importers see its exports change, since imports are live. */
export function facadeOf(path: string, original: string): string {
  const names = offered.get(path) ?? [];
  return [
    `import * as original from ${JSON.stringify(original)};`,
    ...names.map((name) => `export let ${name} = original.${name};`),
    `export function become(variant) { ({ ${names.join(', ')} } = variant); }`,
  ].join('\n');
}
