// Loads everything from the planner up once more with some edits, those of a mutant or of an older version: a realm of its own beside the
// product as it is, told apart by the query of its modules' addresses. Whatever knows no decision is shared with it.

import { type LoadFnOutput, type ResolveFnOutput, registerHooks, stripTypeScriptTypes } from 'node:module';
import { findMutant } from './catalogue.ts';
import { applyEdits, type Edit } from './mutant.ts';
import { OLDER, OLDER_EDITS } from './older.ts';

export const PACKAGES = new URL('../../../', import.meta.url);
/** What can be mutated, and what is built upon that. */
const OWN = /^(?:planner|operator|reliability)\/src\//;
const QUERY = 'without';

/** By who imports and what, as every realm asks the same. */
const resolved = new Map<string, ResolveFnOutput>();
/** By path, what a module is without its types: every realm needs nearly all of them, and only one or two are edited. */
const untyped = new Map<string, LoadFnOutput>();
let isHooked = false;

function editsOf(name: string | undefined): readonly Edit[] | undefined {
  return name === OLDER ? OLDER_EDITS : findMutant(name ?? '')?.edits;
}

export function hookOnce(): void {
  if (isHooked) return;
  isHooked = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const name = mutantOf(context.parentURL);
      if (name === undefined) return nextResolve(specifier, context);
      const from = `${context.parentURL?.replace(/\?.*$/, '')} ${specifier}`;
      const found = resolved.get(from) ?? nextResolve(specifier, context);
      resolved.set(from, found);
      const url = pathOf(found.url) === undefined ? found.url : addressOf(new URL(found.url), name);
      return { ...found, url, shortCircuit: true };
    },
    load(url, context, nextLoad) {
      const all = editsOf(mutantOf(url));
      const path = pathOf(url);
      if (all === undefined || path === undefined) return nextLoad(url, context);
      const edits = all.filter(({ file }) => file === path);
      if (edits.length > 0) {
        const loaded = nextLoad(url, context);
        return withoutTypes({ ...loaded, source: applyEdits(String(loaded.source), edits) });
      }
      const known = untyped.get(path) ?? withoutTypes(nextLoad(url, context));
      untyped.set(path, known);
      return { ...known, shortCircuit: true };
    },
  });
}

function withoutTypes(loaded: LoadFnOutput): LoadFnOutput {
  if (loaded.format !== 'module-typescript') return loaded;
  return { ...loaded, format: 'module', source: stripTypeScriptTypes(String(loaded.source)) };
}

/** Of a module in the realm of that name. */
export function addressOf(module: URL, name: string): string {
  const address = new URL(module);
  address.searchParams.set(QUERY, name);
  return address.href;
}

function mutantOf(url: string | undefined): string | undefined {
  return url?.startsWith(PACKAGES.href) === true ? (new URL(url).searchParams.get(QUERY) ?? undefined) : undefined;
}

/** Below `packages/`; undefined for what every realm shares. */
function pathOf(url: string): string | undefined {
  const path = url.startsWith(PACKAGES.href) ? url.slice(PACKAGES.href.length).replace(/\?.*$/, '') : '';
  return OWN.test(path) ? path : undefined;
}
