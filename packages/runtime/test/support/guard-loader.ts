// Loads the stories of a package, and with them what they test, once more without one guard: modules whose address
// names a mutant are read with its edit, and pass the name on to what they import from their package. The product knows
// nothing about this.
import { type LoadFnOutput, registerHooks, stripTypeScriptTypes } from 'node:module';

/** A guard that one edit removes. */
export interface GuardEdit {
  /** The missing guard, named by its place. */
  readonly name: string;
  /** The file with the guard, relative to `src/` of the package of the stories. */
  readonly file: string;
  /** Must be there exactly once. */
  readonly text: string;
  readonly replacement: string;
}

const MUTANT = 'mutant';

let isHooked = false;
const known = new Map<string, GuardEdit>();

/** The module of stories at this address, with a product that lacks this guard. @throws Error when an edit does not
 *  fit */
export async function importWithout<Stories>(mutant: GuardEdit, stories: URL): Promise<Stories> {
  hookOnce();
  known.set(mutant.name, mutant);
  const address = new URL(stories);
  address.searchParams.set(MUTANT, mutant.name);
  return import(address.href);
}

function hookOnce(): void {
  if (isHooked) return;
  isHooked = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const name = mutantOf(context.parentURL);
      const found = nextResolve(specifier, context);
      if (name === undefined || packageOf(found.url) !== packageOf(context.parentURL)) return found;
      const url = new URL(found.url);
      url.searchParams.set(MUTANT, name);
      return { ...found, url: url.href, shortCircuit: true };
    },
    load(url, context, nextLoad) {
      const name = mutantOf(url);
      const mutant = name === undefined ? undefined : known.get(name);
      const loaded = nextLoad(url, context);
      const file = new URL(url).pathname;
      return mutant !== undefined && file.endsWith(`/src/${mutant.file}`) ? without(mutant, loaded) : loaded;
    },
  });
}

/** The folder of the package that a module belongs to. */
function packageOf(url: string | undefined): string | undefined {
  return /^file:.*?\/packages\/[^/]+\/(?!node_modules\/)/.exec(url ?? '')?.[0];
}

function mutantOf(url: string | undefined): string | undefined {
  if (url === undefined || packageOf(url) === undefined) return undefined;
  return new URL(url).searchParams.get(MUTANT) ?? undefined;
}

function without({ name, file, text, replacement }: GuardEdit, loaded: LoadFnOutput): LoadFnOutput {
  const source = String(loaded.source);
  const [before, after, ...more] = source.split(text);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${name}: ${file} has this ${source.split(text).length - 1} times instead of once: ${text}`);
  return { ...loaded, format: 'module', source: stripTypeScriptTypes(`${before}${replacement}${after}`) };
}
