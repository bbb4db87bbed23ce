// Runs lives in a product that lacks one guard.

import { addressOf, hookOnce, PACKAGES } from '../mutants/loading/realm-loader.ts';
import { type Facade, MUTABLE, readOffers, variantNamed } from '../mutants/loading/swappable.ts';
import type { Unit, UnitReport } from './units.ts';

interface Realm {
  runUnit(unit: Unit): Promise<UnitReport>;
}

let realm: Promise<Realm> | undefined;
let isBusy = false;

/** One at a time, since the guard is missing for the whole realm meanwhile. @param name empty: no guard is missing
 *  @throws RangeError for an unknown mutant; Error when an edit does not fit */
export async function runWithout(name: string, unit: Unit): Promise<UnitReport> {
  const variant = variantNamed(name);
  if (isBusy) throw new Error(`${name}: another guard is missing now`);
  isBusy = true;
  try {
    realm ??= loadRealm();
    const { runUnit } = await realm;
    await swap(variant.files, name);
    try {
      return await runUnit(unit);
    } finally {
      await swap(variant.files, '');
    }
  } finally {
    isBusy = false;
  }
}

async function loadRealm(): Promise<Realm> {
  hookOnce();
  await readOffers((path) => import(new URL(path, PACKAGES).href));
  return import(addressOf('reliability/src/run/units.ts', MUTABLE));
}

async function swap(files: readonly string[], name: string): Promise<void> {
  for (const file of files) {
    const facade: Facade = await import(addressOf(file, MUTABLE));
    facade.become(await import(addressOf(file, MUTABLE, variantNamed(name))));
  }
}
