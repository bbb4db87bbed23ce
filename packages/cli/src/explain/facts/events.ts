// Events of a namespace as plain facts, oldest first, and which of them are about a cluster.

import { parseNodeId } from '@marekvs/api';
import { timeMs } from '@marekvs/planner';
import { type Event, events } from '@marekvs/runtime';
import type { Run } from '../../connection/cli.ts';
import type { EventFact } from './finding.ts';

export async function readEvents(run: Run, namespace: string): Promise<readonly EventFact[]> {
  const items = await run.list(events, { namespace });
  return items.map(toEventFact).sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0));
}

/** Whether it is about the cluster, or a node, Pod or volume of it; true for nodes that are gone, too. */
export function isAbout({ name }: Pick<EventFact, 'name'>, cluster: string): boolean {
  const bare = name.startsWith('data-') ? name.slice('data-'.length) : name;
  return name === cluster || parseNodeId(cluster, bare) !== undefined;
}

function toEventFact(event: Event): EventFact {
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
