// The process: `kubectl mkv …` runs this file, bundled as kubectl-mkv.

import { setMaxListeners } from 'node:events';
import { processPorts } from './process-ports.ts';
import { runCli } from './run.ts';

const stop = new AbortController();
// Every request under way listens to it, and Node 20 takes more than ten for a leak.
setMaxListeners(0, stop.signal);
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());
// Whoever reads us has read enough: `kubectl mkv events | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

void runCli(process.argv.slice(2), processPorts(stop.signal)).then((code) => {
  process.exitCode = code;
});
