// A person's acknowledgement that data is lost: which loss, who, and when. `kubectl mkv acknowledge` writes it as one
// annotation of the cluster, and the operator reads it. It names the loss by its time, so that it never covers a later
// one.

import { ANNOTATIONS } from '../names/labels.ts';
import { cutText } from '../values/cut-text.ts';

export interface Acknowledgement {
  /** `at` of the last loss that was read. */
  readonly loss: string;
  readonly by: string;
  /** RFC 3339. */
  readonly at: string;
}

const MAX_BY = 128;
/** An acknowledgement by nobody would not be read. */
const UNNAMED = 'unnamed';

/** The annotation's text: `<time of the loss>/<when>/<who>`. */
export function acknowledgementText({ loss, at, by }: Acknowledgement): string {
  const who = by.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return `${loss}/${at}/${cutText(who, MAX_BY) || UNNAMED}`;
}

/** The acknowledgement in the annotation; undefined when it is missing or malformed. */
export function acknowledgementOf(cluster: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}): Acknowledgement | undefined {
  const text = cluster.metadata.annotations?.[ANNOTATIONS.acknowledgedLoss] ?? '';
  const [loss = '', at = '', ...rest] = text.split('/');
  const by = cutText(rest.join('/'), MAX_BY);
  return isTime(loss) && isTime(at) && by !== '' ? { loss, at, by } : undefined;
}

/** Both times go into the status, which the API server refuses as a whole for a day or an hour that does not exist;
 *  `Date` takes February 30 for March 2, and 24:00 for the next day. */
function isTime(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(text)) return false;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 19));
}
