// One process of a campaign: runs the lives it is given, one after the other, and ends with its parent.

import { enableCompileCache } from 'node:module';
import type { Outcome } from './campaign.ts';
import type { Unit, UnitReport } from './units.ts';

// Every campaign starts such processes: they share compiled code.
enableCompileCache();

process.on('disconnect', () => process.exit(0));
// A terminal sends Ctrl-C to all processes; the campaign decides about current lives.
process.on('SIGINT', () => {});
process.on('message', (unit: Unit) => {
  void runInRealm(unit).then(
    (report) => process.send?.({ report, cpuSeconds: workSinceLast() } satisfies Outcome),
    (error: unknown) => fail(error),
  );
});

async function runInRealm(unit: Unit): Promise<UnitReport> {
  // Loaded on demand: a process runs lives of only one sort.
  if (unit.mutant === undefined) return (await import('./units.ts')).runUnit(unit);
  return (await import('./realm.ts')).runWithout(unit.mutant, unit);
}

let reported = 0;

/** CPU seconds since the last report, or since this process began. */
function workSinceLast(): number {
  const { user, system } = process.cpuUsage();
  const before = reported;
  reported = (user + system) / 1e6;
  return reported - before;
}

/** An uncaught error belongs to the current life, the only one in this process. */
function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}
process.on('unhandledRejection', fail);
process.on('uncaughtException', fail);
