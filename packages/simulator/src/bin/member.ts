#!/usr/bin/env -S node --conditions=development
// One simulated member as a process; a drop-in for marekvs-server where the local kubelet starts Pods.

import { runMember } from '../process/run-member.ts';

try {
  runMember(process.env);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
