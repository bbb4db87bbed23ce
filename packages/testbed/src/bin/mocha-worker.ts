// Runs one test file after the other, as test-pool.ts hands them out over IPC. Modules that files share are loaded only
// once.
import { enableCompileCache } from 'node:module';
import { cpuSeconds } from '../reporting/cpu-seconds.ts';

enableCompileCache();
const { runMocha } = await import('../mocha/run-mocha.ts');

process.on('message', ({ file, testMs }: { readonly file: string; readonly testMs: number }) => {
  void runMocha([file], 'compact', testMs).then((tally) => process.send?.({ ...tally, cpuSeconds: cpuSeconds() }));
});
// Anything a test left open must not hold up the end.
process.on('disconnect', () => process.exit());
