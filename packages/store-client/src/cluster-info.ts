// The two answers made of `key:value` lines: CLUSTER INFO and INFO <section>.

import { StoreProtocolError } from './errors.ts';

/** The fields of CLUSTER INFO that are not constant (docs/design/server.md#cluster-commands). */
export interface ClusterInfo {
  /** Members in the view: joining, leaving and self included. */
  readonly knownNodes: number;
  /** Members whose phase is Active. */
  readonly size: number;
  /** Counts view changes of this process; not comparable between members. */
  readonly currentEpoch: number;
  /** Generation of the answering process, unix seconds. */
  readonly myEpoch: number;
}

/** @throws StoreProtocolError a field is missing, twice, or not a number */
export function parseClusterInfo(text: string | Uint8Array): ClusterInfo {
  const number = numbersOf('CLUSTER INFO', text);
  return {
    knownNodes: number('cluster_known_nodes'),
    size: number('cluster_size'),
    currentEpoch: number('cluster_current_epoch'),
    myEpoch: number('cluster_my_epoch'),
  };
}

/** Gives the number in a field; throws StoreProtocolError when there is none.
 *  @throws StoreProtocolError as {@link parseInfo} */
export function numbersOf(command: string, text: string | Uint8Array): (key: string) => number {
  const fields = parseInfo(text);
  return (key) => {
    const value = fields.get(key) ?? '';
    if (!/^[0-9]{1,15}$/.test(value)) throw new StoreProtocolError(`${command} has no number in ${key}`);
    return Number(value);
  };
}

const decoder = new TextDecoder();

/** The `key:value` lines of an INFO answer; `# Section` headings and empty lines are skipped.
 *  @throws StoreProtocolError cut off, a line without a colon, a key twice, or no line at all */
export function parseInfo(text: string | Uint8Array): ReadonlyMap<string, string> {
  const whole = typeof text === 'string' ? text : decoder.decode(text);
  // Without the last line end a number could be cut: `cluster_size:1` of `cluster_size:12`.
  if (!whole.endsWith('\n')) throw new StoreProtocolError('INFO is empty or cut off');
  const fields = new Map<string, string>();
  for (const line of whole.split(/\r?\n/)) {
    if (line === '' || line.startsWith('#')) continue;
    const colon = line.indexOf(':');
    if (colon < 1) throw new StoreProtocolError(`INFO has a line without a key: ${JSON.stringify(line.slice(0, 60))}`);
    const key = line.slice(0, colon);
    if (fields.has(key)) throw new StoreProtocolError(`INFO has ${JSON.stringify(key.slice(0, 60))} twice`);
    fields.set(key, line.slice(colon + 1));
  }
  if (fields.size === 0) throw new StoreProtocolError('INFO has no line');
  return fields;
}
