// `npm run check`: the checks, then all unit tests, for use before a commit. Takes a minute or two, needs no cluster.
import { runCheckSteps } from '../checks/check-steps.ts';
import { watchForEnd } from '../processes/ending.ts';
import { createFailures } from '../reporting/failures.ts';
import { addTallies, closingLine } from '../reporting/tally.ts';
import { runUnitTests } from '../unit-tests/unit-tests.ts';

const failures = createFailures();
const write = (text: string): void => {
  failures.see(text);
  process.stdout.write(text);
};
const { signal } = watchForEnd();
write('Checks\n');
const checks = await runCheckSteps((line) => write(`${line}\n`), signal);
const tally = signal.aborted ? checks : addTallies(checks, (await runUnitTests({ words: [], write, signal })).tally);
process.stdout.write(failures.tell());
write(`${closingLine(tally)}\n`);
process.exitCode = tally.failed > 0 || signal.aborted ? 1 : 0;
