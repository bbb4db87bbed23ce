// Every event the operator writes.

import type { Reason } from '@marekvs/api';
import { EVENT_CATALOGUE, type EventEntry } from '../events/event-catalogue.ts';
import { paragraphOf } from '../reasons/reason-guide.ts';
import { code, page, table } from '../text/markdown.ts';

export function eventsPage(): string {
  const row = ({ about, action, type, reasons, when }: EventEntry) => [
    about,
    code(action),
    type,
    reasons === 'anyWarning' ? 'any reason on which a person has to act' : reasons.map(link).join(', '),
    when,
  ];
  return page({
    title: 'Events',
    source: 'packages/reference/src/events',
    blocks: [
      'Written as `events.k8s.io/v1` by `marekvs.io/operator`, for things that a person acts on or waits for, and never for each retry. The same event is written at most once in ten minutes. An event that cannot be written is only counted (`marekvs_operator_events_total`).',
      table(['about', 'action', 'type', 'reason', 'when'], EVENT_CATALOGUE.map(row)),
      '```sh\nkubectl events -n <namespace> --for mkv/<cluster>\nkubectl events -n <namespace> --for mkvnode/<node>\n```',
    ],
  });
}

function link(reason: Reason): string {
  return `[${reason}](${paragraphOf(reason).replace('docs/', '../')})`;
}
