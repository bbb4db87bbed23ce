// One write of a client: where it goes, its words, and the records that it may have changed.

import { registerKey, registerName } from '../../member/commands/commands-hyperloglog.ts';
import { headKey, partKey } from '../../member/records/keys.ts';

export interface ClientWrite {
  /** Decides the member to write to; undefined: the one that the client is connected to. */
  readonly key: string | undefined;
  /** Which of the key's homes, when the client knows them: 0 is the primary. */
  readonly home: number;
  readonly words: readonly string[];
}

/** The keys of all records that a command may have changed. */
export function recordsOf([command = '', key = '', ...rest]: readonly string[], registers: number): readonly string[] {
  const parts = (letter: Parameters<typeof partKey>[1], names: readonly string[]) => [
    headKey(key),
    ...names.map((part) => partKey(key, letter, part)),
  ];
  const every = (first: number) => rest.filter((_, at) => at >= first && (at - first) % 2 === 0);
  switch (command) {
    case 'MSET':
      return [key, ...every(1)];
    case 'HSET':
      return parts('h', every(0));
    case 'HDEL':
      return parts('h', rest);
    case 'HEXPIRE':
      return parts('h', rest.slice(3));
    case 'HPERSIST':
      return parts('h', rest.slice(2));
    case 'SADD':
    case 'SREM':
      return parts('S', rest);
    case 'ZADD':
      return parts('z', every(1));
    case 'ZREM':
      return parts('z', rest);
    case 'PFADD':
      return [headKey(key), ...rest.map((element) => registerKey(key, element, registers))];
    case 'PFMERGE':
      return parts(
        'H',
        Array.from({ length: registers }, (_, at) => registerName(at)),
      );
    case 'SET':
    case 'INCR':
      return [key];
    default:
      return [key, headKey(key)];
  }
}
