// The process: `kubectl mkv …` runs this file, bundled as kubectl-mkv.

import { setMaxListeners } from 'node:events';
import { processPorts } from './connection/process-ports.ts';
import { runCli } from './run.ts';

const stop = new AbortController();
// Every request under way listens to this signal, and Node 20 warns of a leak when there are more than ten.
setMaxListeners(0, stop.signal);
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());
// The reader of our output has closed it, as in `kubectl mkv status | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

void runCli(process.argv.slice(2), processPorts(stop.signal)).then((code) => {
  process.exitCode = code;
});
