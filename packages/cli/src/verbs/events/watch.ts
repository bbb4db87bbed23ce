// Follows events. The caller shows those of before; from here on each is shown once, and a repeated one again with its
// new time.

import { identity } from '@marekvs/operator/projections';
import { createReflector, type Event, events } from '@marekvs/runtime';
import type { Run } from '../../connection/cli.ts';
import { toEventFact } from '../../explain/facts/events.ts';
import type { EventFact } from '../../explain/facts/finding.ts';
import { warnOnce } from '../../watching/problems.ts';

/** Runs until Ctrl-C.
 *  @param shown the events of before, which a watch delivers again when it begins */
export async function watchEvents(
  run: Run,
  namespace: string,
  shown: readonly EventFact[],
  show: (event: EventFact) => void,
): Promise<void> {
  const { transport } = await run.connect();
  const shownAt = new Map(shown.map((event) => [idOf(event), event.atMs]));
  await createReflector({
    transport,
    kind: events,
    namespaces: [namespace],
    project: (event: Event) => ({ ...identity(event), fact: toEventFact(event) }),
    onChange: ({ type, current }) => {
      if (type === 'deleted' || current === undefined) return;
      const { fact } = current;
      const key = idOf(fact);
      if (shownAt.has(key) && shownAt.get(key) === fact.atMs) return;
      shownAt.set(key, fact.atMs);
      show(fact);
    },
    onProblem: warnOnce(run),
  }).run(run.ports.signal);
}

/** A repeated event has the same object, reason and note; its time changes. */
function idOf({ kind, name, reason, note }: EventFact): string {
  return JSON.stringify([kind, name, reason, note]);
}
