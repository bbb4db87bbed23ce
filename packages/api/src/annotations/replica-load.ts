// The note about its load that a replica of the operator writes on its Lease; the plugin reads it.

/** All but `clusters` are shares, 1 at the limit of one process; undefined until measured. */
export interface ReplicaLoad {
  readonly clusters: number;
  readonly queue?: number;
  readonly loop?: number;
  readonly cpu?: number;
  readonly memory?: number;
}

/** The fields that are shares of what one process can do. */
export const PRESSURE_KINDS = ['queue', 'loop', 'cpu', 'memory'] as const;

export function formatReplicaLoad(load: ReplicaLoad): string {
  const shares = PRESSURE_KINDS.flatMap((name) =>
    load[name] === undefined ? [] : [`${name}=${load[name].toFixed(2)}`],
  );
  return [`clusters=${load.clusters}`, ...shares].join(' ');
}

/** Undefined for a text that no replica has written. */
export function parseReplicaLoad(text: string | undefined): ReplicaLoad | undefined {
  const known = new Map<string, number>();
  for (const [, name = '', value] of (text ?? '').slice(0, 200).matchAll(/(\w+)=(\d+(?:\.\d+)?)/g))
    known.set(name, Number(value));
  const clusters = known.get('clusters');
  if (clusters === undefined) return undefined;
  return {
    clusters,
    ...Object.fromEntries(PRESSURE_KINDS.flatMap((name) => (known.has(name) ? [[name, known.get(name)]] : []))),
  };
}
