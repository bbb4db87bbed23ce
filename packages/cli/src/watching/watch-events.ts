// Events as they come: what was told before is shown by who calls; from here on each telling once, a repeated one with its new time.

import { createReflector, type Event, events } from '@marekvs/runtime';
import type { Run } from '../cli.ts';
import type { EventFact } from '../explain/facts.ts';
import { toEventFact } from '../reading/events.ts';
import { sayProblems } from './problems.ts';

/** Until Ctrl-C.
 *  @param shown what was told already; a watch begins with it again */
export async function watchEvents(
  run: Run,
  namespace: string,
  shown: readonly EventFact[],
  show: (event: EventFact) => void,
): Promise<void> {
  const { transport } = await run.connect();
  const told = new Map(shown.map((event) => [telling(event), event.atMs]));
  await createReflector({
    transport,
    kind: events,
    namespaces: [namespace],
    project: (event: Event) => ({ ...identityOf(event), fact: toEventFact(event) }),
    onChange: ({ type, current }) => {
      if (type === 'deleted' || current === undefined) return;
      const { fact } = current;
      const key = telling(fact);
      if (told.has(key) && told.get(key) === fact.atMs) return;
      told.set(key, fact.atMs);
      show(fact);
    },
    onProblem: sayProblems(run),
  }).run(run.ports.signal);
}

/** Events of one reason about one object are counted up in one place. */
function telling({ kind, name, reason, note }: EventFact): string {
  return JSON.stringify([kind, name, reason, note]);
}

function identityOf({ metadata }: Event) {
  const { namespace, name = '', uid = '', resourceVersion = '' } = metadata;
  return { namespace, name, uid, resourceVersion };
}
