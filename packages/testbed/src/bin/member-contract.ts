// `npm run member-contract`: runs the contract tests of the simulated members against three real ones.
import { join } from 'node:path';
import { runTestProcess } from '../mocha/test-process.ts';
import { CONTRACT_USAGE, parseContractOptions } from '../options/member-contract-options.ts';
import { projectRoot } from '../paths.ts';
import { watchForEnd } from '../processes/ending.ts';
import { closingLine } from '../reporting/tally.ts';

const SUITE = join(projectRoot, 'packages', 'simulator', 'test', 'member-contract-given.ts');
const LIMIT_MS = 120_000;

const options = parseContractOptions(process.argv.slice(2));
if (options === 'help') process.stdout.write(CONTRACT_USAGE);
else if ('problem' in options) {
  process.stderr.write(`${options.problem}\n\n${CONTRACT_USAGE}`);
  process.exitCode = 2;
} else {
  process.env.MEMBER_ADDRESSES = options.hosts.join();
  if (options.passwordFile !== undefined) process.env.MEMBER_PASSWORD_FILE = options.passwordFile;
  const tally = await runTestProcess([SUITE], {
    style: 'each',
    testMs: 30_000,
    limitMs: LIMIT_MS,
    signal: watchForEnd().signal,
    onOutput: (text) => process.stdout.write(text),
  });
  process.stdout.write(`${closingLine(tally)}\n`);
  process.exitCode = tally.failed > 0 ? 1 : 0;
}
