// Events of a namespace as plain facts, oldest first.

import { timeMs } from '@marekvs/planner';
import { type Event, events } from '@marekvs/runtime';
import type { Run } from '../../connection/cli.ts';
import type { EventFact } from './finding.ts';

export async function readEvents(run: Run, namespace: string): Promise<readonly EventFact[]> {
  const items = await run.list(events, { namespace });
  return items.map(toEventFact).sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0));
}

export function toEventFact(event: Event): EventFact {
  return {
    atMs: timeMs(
      event.series?.lastObservedTime ??
        event.deprecatedLastTimestamp ??
        event.eventTime ??
        event.metadata.creationTimestamp,
    ),
    type: event.type ?? '',
    reason: event.reason ?? '',
    ...(event.action === undefined ? {} : { action: event.action }),
    note: event.note ?? '',
    kind: event.regarding?.kind ?? '',
    name: event.regarding?.name ?? '',
    count: event.series?.count ?? event.deprecatedCount ?? 1,
  };
}
