// One process of a campaign: lives what it is told, one life after the other, and ends with the process that told it.

import { enableCompileCache } from 'node:module';
import type { Outcome } from './campaign.ts';
import type { Unit, UnitReport } from './units.ts';

// Every campaign starts such processes: what one of them has compiled, the next one need not.
enableCompileCache();

process.on('disconnect', () => process.exit(0));
// A terminal sends Ctrl-C to all; the campaign decides what becomes of a life that is under way.
process.on('SIGINT', () => {});
process.on('message', (unit: Unit) => {
  void runInRealm(unit).then(
    (report) => process.send?.({ report, cpuSeconds: workSinceLast() } satisfies Outcome),
    (error: unknown) => fail(error),
  );
});

async function runInRealm(unit: Unit): Promise<UnitReport> {
  // Loaded when it is wanted: a process has lives of the one kind or of the other.
  if (unit.mutant === undefined) return (await import('./units.ts')).runUnit(unit);
  return (await import('../mutants/realm.ts')).runWithout(unit.mutant, unit);
}

let reported = 0;

/** CPU seconds since the last report, or since this process began. */
function workSinceLast(): number {
  const { user, system } = process.cpuUsage();
  const before = reported;
  reported = (user + system) / 1e6;
  return reported - before;
}

/** Whatever nobody caught belongs to the life under way, and the process has no other. */
function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}
process.on('unhandledRejection', fail);
process.on('uncaughtException', fail);
