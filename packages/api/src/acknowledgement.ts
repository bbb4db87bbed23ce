// A person's acknowledgement that data is lost: which loss, who, and when. `kubectl mkv acknowledge` writes it as one
// annotation of the cluster, and the operator reads it. It names the loss by its time, so that it never covers a later
// one.

import { ANNOTATIONS } from './labels.ts';

export interface Acknowledgement {
  /** `at` of the last loss that was read. */
  readonly loss: string;
  readonly by: string;
  /** RFC 3339. */
  readonly at: string;
}

const MAX_BY = 128;

/** The annotation's text: `<time of the loss>/<when>/<who>`. */
export function acknowledgementText({ loss, at, by }: Acknowledgement): string {
  const who = by.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return `${loss}/${at}/${who.slice(0, MAX_BY)}`;
}

/** The acknowledgement in the annotation; undefined when it is missing or malformed. */
export function acknowledgementOf(cluster: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}): Acknowledgement | undefined {
  const text = cluster.metadata.annotations?.[ANNOTATIONS.acknowledgedLoss] ?? '';
  const [loss = '', at = '', ...rest] = text.split('/');
  const by = rest.join('/').slice(0, MAX_BY);
  return isTime(loss) && isTime(at) && by !== '' ? { loss, at, by } : undefined;
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}
