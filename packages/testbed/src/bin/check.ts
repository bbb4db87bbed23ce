// `npm run check`: about a minute, no cluster.
import { runCheckSteps } from './check-steps.ts';
import { watchForEnd } from './ending.ts';
import { closingLine } from './tally.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const { signal } = watchForEnd();
const tally = await runCheckSteps(say, signal);
say(closingLine(tally));
process.exitCode = tally.failed > 0 || signal.aborted ? 1 : 0;
