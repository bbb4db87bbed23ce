#!/usr/bin/env -S node --conditions=development
// One simulated member as a process; a drop-in for marekvs-server where the local kubelet starts Pods.
// The compile cache spares every start but the first the stripping of types: 0.2 s and 30 MB per member.

import { enableCompileCache, flushCompileCache } from 'node:module';

enableCompileCache();
try {
  const { runMember } = await import('../process/run-member.ts');
  runMember(process.env);
  // Members end by signals, so the cache must not wait for the exit.
  setTimeout(flushCompileCache, 1_000).unref();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
