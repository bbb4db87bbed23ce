// One process of a campaign: lives what it is told, one life after the other, and ends with the process that told it.

import { runWithout } from '../mutants/realm.ts';
import { runUnit, type Unit, type UnitReport } from './units.ts';

process.on('disconnect', () => process.exit(0));
// A terminal sends Ctrl-C to all; the campaign decides what becomes of a life that is under way.
process.on('SIGINT', () => {});
process.on('message', (unit: Unit) => {
  void runInRealm(unit).then(
    (report) => process.send?.(report),
    (error: unknown) => fail(error),
  );
});

async function runInRealm(unit: Unit): Promise<UnitReport> {
  return unit.mutant === undefined ? runUnit(unit) : runWithout(unit.mutant, unit);
}

/** Whatever nobody caught belongs to the life under way, and the process has no other. */
function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}
process.on('unhandledRejection', fail);
process.on('uncaughtException', fail);
