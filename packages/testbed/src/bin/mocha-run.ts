// Runs the test files of its command line and writes a tally. Started by test-process.ts, one process per journey file.
// Arguments: file for the tally, `compact` or `each`, time limit per test in ms, then the test files. The compile cache
// spares every process but the first the stripping of types: 0.7 of the 1.6 s of CPU that a journey takes to load.
import { writeFileSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { madeProgram } from '../programs/made-programs.ts';
import { cpuSeconds } from '../reporting/cpu-seconds.ts';

enableCompileCache();
// Loaded as one bundled file where that was made: 0.4 s of CPU less for every journey.
const clientNode = madeProgram('clientNode');
if (clientNode !== undefined)
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      specifier === '@kubernetes/client-node'
        ? { url: pathToFileURL(clientNode).href, format: 'module', shortCircuit: true }
        : nextResolve(specifier, context),
  });
const { runMocha } = await import('../mocha/run-mocha.ts');
const [tallyPath = '', style = 'compact', testMs = '10000', ...files] = process.argv.slice(2);

const tally = await runMocha(files, style === 'each' ? 'each' : 'compact', Number(testMs));
writeFileSync(tallyPath, JSON.stringify({ ...tally, cpuSeconds: cpuSeconds() }));
process.exitCode = tally.failed > 0 ? 1 : 0;
// Anything a test left open must not hold up the whole run; the exit is late enough for the output to be flushed.
setTimeout(() => process.exit(), 500).unref();
