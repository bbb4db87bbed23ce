// What keeps something from its desired state, as a value: a reason, one sentence, and whether only a person can clear
// it.

import { cutText, type Reason } from '@marekvs/api';

/** Something that keeps the cluster or a node from its desired state, as a person reads it. */
export interface Hold {
  readonly reason: Reason;
  /** One sentence with names and numbers that do not change while nothing changes. */
  readonly message: string;
  /** True when only a person can clear it. */
  readonly needsPerson: boolean;
}

/** @param message one sentence that stays the same while nothing changes */
export function hold(reason: Hold['reason'], message: string, needsPerson = false): Hold {
  return { reason, message, needsPerson };
}

// Limits of the message fields of the status, in characters.
const MESSAGE = 1024;
const SHORT_MESSAGE = 200;

/** Cut to the limit of a message of a condition or an operation. */
export function messageText(text: string): string {
  return cutText(text, MESSAGE);
}

/** Cut to the limit of a message of a decision or a stopped update. */
export function shortMessageText(text: string): string {
  return cutText(text, SHORT_MESSAGE);
}

/** `demo-1, demo-3`. */
export function namesOf(all: readonly { readonly name: string }[]): string {
  return all.map(({ name }) => name).join(', ');
}

/** `22,000`. @param value not negative */
export function countText(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:[0-9]{3})+$)/g, ',');
}

/** RFC 3339, whole seconds. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since 1970; undefined when the text is missing or is not a time. */
export function timeMs(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** "14:03:12"; a text when the time is not finite. */
export function clockText(ms: number): string {
  return Number.isFinite(ms) ? timeText(ms).slice(11, 19) : 'an unknown time';
}
