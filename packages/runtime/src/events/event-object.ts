// The events.k8s.io/v1 object of one event. Pure. The name is a hash of contents and time window, so that a process
// restarted within the window writes the same name again and the server refuses the copy.
import { createHash } from 'node:crypto';
import type { Event } from '../objects/kinds.ts';
import { formatMicroTime } from '../objects/micro-time.ts';

/** What an event is about. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion?: string | undefined;
}

export interface EventInput {
  readonly regarding: EventSubject;
  /** Warning: a person has to act. */
  readonly type: 'Normal' | 'Warning';
  /** From the reason catalogue, UpperCamelCase. */
  readonly reason: string;
  /** What was done or tried, UpperCamelCase: `CreatePod`. */
  readonly action: string;
  /** One sentence; cut to 1 kB. */
  readonly note: string;
}

export type EventObject = Omit<Event, 'metadata'> & { metadata: { name: string; namespace: string } };

interface EventSource {
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly windowMs: number;
  readonly nowMs: number;
}

/** Limits of the API server's validation. */
const MAX_NOTE_BYTES = 1024;
const MAX_FIELD = 128;
const MAX_NAME = 253;

/** Events with the same key are duplicates. The note is left out, since it may contain a count. A Normal event reports
 *  something that happened once, so there the note is included: adding demo-3 and adding demo-4 are two events. */
export function eventKey(input: EventInput): string {
  const { regarding, type, reason, action, note } = input;
  return `${regarding.uid}/${type}/${reason}/${action}${type === 'Normal' ? `/${note}` : ''}`;
}

export function buildEvent(input: EventInput, source: EventSource): EventObject {
  const { regarding, type, reason, action, note } = input;
  const { namespace, resourceVersion, ...subject } = regarding;
  return {
    metadata: { name: eventName(input, source), namespace: namespace ?? 'default' },
    eventTime: formatMicroTime(source.nowMs),
    type,
    reason: reason.slice(0, MAX_FIELD),
    action: action.slice(0, MAX_FIELD),
    note: cutToBytes(note, MAX_NOTE_BYTES),
    reportingController: source.reportingController,
    reportingInstance: source.reportingInstance.slice(0, MAX_FIELD),
    regarding: {
      ...subject,
      ...(namespace === undefined ? {} : { namespace }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}

function eventName(input: EventInput, source: EventSource): string {
  const window = Math.floor(source.nowMs / source.windowMs);
  const hash = createHash('sha256')
    .update(`${eventKey(input)}/${window}`)
    .digest('hex')
    .slice(0, 16);
  const base = input.regarding.name.slice(0, MAX_NAME - hash.length - 1).replace(/[.-]+$/, '');
  return `${base}.${hash}`;
}

/** Never cuts a character in two. */
function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const ellipsis = '…';
  const bytes = Buffer.from(text).subarray(0, maxBytes - Buffer.byteLength(ellipsis));
  return `${new TextDecoder().decode(bytes, { stream: true })}${ellipsis}`;
}
