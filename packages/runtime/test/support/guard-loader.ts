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
const known = new Map<string, readonly GuardEdit[]>();

/** The module of stories at this address, with a product that lacks this guard. @throws Error when an edit does not
 *  fit */
export function importWithout<Stories>(mutant: GuardEdit, stories: URL): Promise<Stories> {
  return importEdited(mutant.name, [mutant], stories);
}

/** With several edits at once. */
export async function importEdited<Stories>(name: string, edits: readonly GuardEdit[], stories: URL): Promise<Stories> {
  hookOnce();
  known.set(name, edits);
  const address = new URL(stories);
  address.searchParams.set(MUTANT, name);
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
      const file = new URL(url).pathname;
      const edits = (name === undefined ? undefined : known.get(name)) ?? [];
      const here = edits.filter((edit) => file.endsWith(`/src/${edit.file}`));
      const loaded = nextLoad(url, context);
      return here.length === 0 ? loaded : withEdits(here, loaded);
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

function withEdits(edits: readonly GuardEdit[], loaded: LoadFnOutput): LoadFnOutput {
  let source = String(loaded.source);
  for (const { name, file, text, replacement } of edits) {
    const [before, after, ...more] = source.split(text);
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`${name}: ${file} has this ${source.split(text).length - 1} times instead of once: ${text}`);
    source = `${before}${replacement}${after}`;
  }
  return { ...loaded, format: 'module', source: stripTypeScriptTypes(source) };
}
