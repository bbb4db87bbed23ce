// Turns the problems that keep a cache from following the API server into log lines that an administrator can act on:
// the first at once, then one a minute.

import { type Clock, type Logger, type ReflectorProblem, systemClock } from '@marekvs/runtime';

const REPEAT_MS = 60_000;

export function createProblemLog(logger: Logger, clock: Clock = systemClock): (problem: ReflectorProblem) => void {
  const loggedAtMs = new Map<string, number>();
  return (problem) => {
    const id = `${problem.kind}/${problem.resource}`;
    const nowMs = clock.steadyMs();
    const last = loggedAtMs.get(id);
    if (last !== undefined && nowMs - last < REPEAT_MS) return;
    loggedAtMs.set(id, nowMs);
    logger.warn(sentenceOf(problem), { resource: problem.resource, retryInMs: problem.retryInMs, err: problem.error });
  };
}

function sentenceOf({ kind, resource }: ReflectorProblem): string {
  switch (kind) {
    case 'forbidden':
      return `May not list or watch ${resource}: install the RBAC of this version`;
    case 'not-found':
      return `The API server does not know ${resource}: waiting until its CustomResourceDefinition is installed (kubectl apply -f crds)`;
    case 'unreachable':
      return 'The API server does not answer: trying again, the data plane goes on';
    case 'refused':
      return `The API server refuses to list or watch ${resource}: trying again`;
    case 'handler':
    case 'projection':
      return `An object of ${resource} could not be taken in`;
  }
}
