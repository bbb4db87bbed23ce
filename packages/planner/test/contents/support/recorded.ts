// The stored records of two real members before and after the server's own merge (test/samples/records.txt).

import { readFileSync } from 'node:fs';

/** Member 0 and 1 before the merge, `m0` and `m1` after it. */
export type Side = '0' | '1' | 'm0' | 'm1';

export interface RecordedCase {
  readonly name: string;
  readonly hasConverged: boolean;
  /** By side and key in hex. */
  readonly values: ReadonlyMap<Side, ReadonlyMap<string, Uint8Array>>;
}

export const RECORDED: readonly RecordedCase[] = readFileSync(
  new URL('../../samples/records.txt', import.meta.url),
  'utf8',
)
  .split('\n\n')
  .filter((part) => part.startsWith('case '))
  .map(recordedCase);

export function recorded(name: string): RecordedCase {
  const found = RECORDED.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
}

/** The value of a side; the only one when no key is named. */
export function storedAt(
  recordedAs: RecordedCase,
  side: Side,
  isKey: (key: string) => boolean = () => true,
): Uint8Array {
  const found = [...(recordedAs.values.get(side) ?? [])].filter(([key]) => isKey(key));
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Error(`${found.length} values of ${recordedAs.name} at ${side}`);
  return only[1];
}

function recordedCase(text: string): RecordedCase {
  const [head = '', ...lines] = text.trim().split('\n');
  const values = new Map<Side, Map<string, Uint8Array>>();
  for (const line of lines) {
    const [side = '', key = '', value = ''] = line.split(' ');
    const ofSide = values.get(side as Side) ?? new Map<string, Uint8Array>();
    values.set(side as Side, ofSide.set(key, Buffer.from(value, 'hex')));
  }
  return { name: head.split(' ')[1] ?? '', hasConverged: head.endsWith('| converged'), values };
}
