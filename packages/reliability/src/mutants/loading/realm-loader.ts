// Loads everything from the planner up a second time, beside the unchanged product: a realm of its own, identified by
// the query of its modules' addresses. Modules without decisions are shared with it. Its sources are changed by an
// older version's edits, permanently, or by a mutant's, for a while (swappable.ts).

import { type LoadFnOutput, type ResolveFnOutput, registerHooks, stripTypeScriptTypes } from 'node:module';
import { applyEdits, type Edit } from '../edits/mutant.ts';
import { OLDER, OLDER_EDITS } from '../edits/older.ts';
import { facadeOf, isSwappable, MUTABLE, type Variant, variantNamed } from './swappable.ts';

export const PACKAGES = new URL('../../../..', import.meta.url);
/** Modules that can be mutated, and those built upon them. Of the API only whose node it is, of the runtime only writes
 *  of single objects and leadership: the rest of them makes no decision. */
const OWN =
  /^(?:(?:planner|operator|reliability)\/src\/|api\/src\/(?:index|objects\/ownership)\.ts$|runtime\/src\/(?:index|client\/client|lease\/leader-election|sharing\/(?:[a-z]+\/)?[a-z-]+)\.ts$)/;
const REALM = 'realm';
const VARIANT = 'as';

/** By importer and specifier, since every variant resolves the same ones. */
const resolved = new Map<string, ResolveFnOutput>();
/** By path, the modules without types: every realm needs nearly all of them, and only one or two are edited. */
const untyped = new Map<string, LoadFnOutput>();
let isHooked = false;

interface Address {
  /** Below `packages/`. */
  readonly path: string;
  readonly realm: string;
  /** The variant of a swappable module; undefined for the facade of all its variants. */
  readonly variant: Variant | undefined;
}

export function hookOnce(): void {
  if (isHooked) return;
  isHooked = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const parent = read(context.parentURL);
      if (parent === undefined) return nextResolve(specifier, context);
      const from = `${parent.path} ${specifier}`;
      const found = resolved.get(from) ?? nextResolve(specifier, context);
      resolved.set(from, found);
      const path = pathOf(found.url);
      if (path === undefined || read(found.url) !== undefined) return { ...found, shortCircuit: true };
      const variant = parent.variant?.files.includes(path) === true ? parent.variant : undefined;
      return { ...found, url: addressOf(path, parent.realm, variant), shortCircuit: true };
    },
    load(url, context, nextLoad) {
      const address = read(url);
      if (address === undefined) return nextLoad(url, context);
      const { path, realm, variant } = address;
      if (realm === MUTABLE && variant === undefined && isSwappable(path))
        return {
          format: 'module',
          source: facadeOf(path, addressOf(path, realm, variantNamed(''))),
          shortCircuit: true,
        };
      const edits = (realm === OLDER ? OLDER_EDITS : (variant?.edits ?? [])).filter(({ file }) => file === path);
      return edits.length > 0 ? edited(nextLoad(url, context), edits) : known(path, () => nextLoad(url, context));
    },
  });
}

function edited(loaded: LoadFnOutput, edits: readonly Edit[]): LoadFnOutput {
  return withoutTypes({ ...loaded, source: applyEdits(String(loaded.source), edits) });
}

function known(path: string, load: () => LoadFnOutput): LoadFnOutput {
  const found = untyped.get(path) ?? withoutTypes(load());
  untyped.set(path, found);
  return { ...found, shortCircuit: true };
}

function withoutTypes(loaded: LoadFnOutput): LoadFnOutput {
  if (loaded.format !== 'module-typescript') return loaded;
  return { ...loaded, format: 'module', source: stripTypeScriptTypes(String(loaded.source)) };
}

/** The address of a module in the realm of that name. @param path below `packages/` */
export function addressOf(path: string, realm: string, variant?: Variant): string {
  const address = new URL(path, PACKAGES);
  address.searchParams.set(REALM, realm);
  if (variant !== undefined) address.searchParams.set(VARIANT, variant.name);
  return address.href;
}

/** Undefined for modules in no realm. */
function read(url: string | undefined): Address | undefined {
  const path = url === undefined ? undefined : pathOf(url);
  if (url === undefined || path === undefined) return undefined;
  const { searchParams } = new URL(url);
  const realm = searchParams.get(REALM);
  const name = searchParams.get(VARIANT);
  return realm === null ? undefined : { path, realm, variant: name === null ? undefined : variantNamed(name) };
}

/** The path below `packages/`; undefined for modules that all realms share. */
function pathOf(url: string): string | undefined {
  const path = url.startsWith(PACKAGES.href) ? url.slice(PACKAGES.href.length).replace(/\?.*$/, '') : '';
  return OWN.test(path) ? path : undefined;
}
