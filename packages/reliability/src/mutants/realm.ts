// Lives in a product that lacks one guard.

import type { Unit, UnitReport } from '../run/units.ts';
import { findMutant } from './catalogue.ts';
import { addressOf, hookOnce } from './realm-loader.ts';

export interface Realm {
  runUnit(unit: Unit): Promise<UnitReport>;
}

const realms = new Map<string, Promise<Realm>>();

/** @throws RangeError for a name that no mutant has; Error where an edit does not fit */
export function realmWithout(name: string): Promise<Realm> {
  if (findMutant(name) === undefined) throw new RangeError(`no mutant ${name}`);
  hookOnce();
  const known =
    realms.get(name) ?? (import(addressOf(new URL('../run/units.ts', import.meta.url), name)) as Promise<Realm>);
  realms.set(name, known);
  return known;
}
