// A watch that fails looks like a cluster in which nothing happens, so its problems are printed as warnings, each once.

import type { ReflectorProblem } from '@marekvs/runtime';
import type { Run } from '../connection/cli.ts';
import { failureOf, wrongUsage } from '../connection/errors.ts';
import { harmless } from '../screen/text.ts';

export function warnOnce(run: Run): (problem: Pick<ReflectorProblem, 'error'>) => void {
  const warned = new Set<string>();
  return ({ error }) => {
    const { message, next } = failureOf(error);
    if (run.ports.signal.aborted || warned.has(message)) return;
    warned.add(message);
    run.note(harmless(`warning: ${message}${next === undefined ? '' : `. Next: ${next}`}`));
  };
}

/** @throws CliError with -o json or yaml: a document has an end, and a watch has none */
export function refuseDocument(run: Run, instead: string): void {
  if (!run.isDocument) return;
  throw wrongUsage(
    `--watch is for people and does not go with -o ${run.options.output}`,
    `${instead} --watch -o ${run.options.output} prints every change as a document`,
  );
}
