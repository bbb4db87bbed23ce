// How the server in an image differs from the one the world was made with. Pure; decided by the tag, like images that
// do not exist.

export interface ImageBehaviour {
  readonly knobs: Readonly<Record<string, unknown>>;
  /** Milliseconds after its start at which it crashes; undefined when it does not. */
  readonly endsAfterMs: number | undefined;
}

/** `…:crashing` ends soon after each start, `…:crashing-with-data` only if its volume has records. `…:other-mesh` has a
 *  version whose mesh messages the others do not understand, while gossip looks healthy
 *  (docs/design/server.md#hazards). `…:stuck` never leaves Joining. */
export function behaviourOf(image: string, hasRecords: boolean): ImageBehaviour {
  const tag = image.slice(image.lastIndexOf(':') + 1);
  const knobs = {
    ...(tag === 'other-mesh' ? { meshVersionMismatch: true } : {}),
    ...(tag === 'stuck' ? { neverLeavesJoining: true } : {}),
  };
  const isCrashing = tag === 'crashing' || (tag === 'crashing-with-data' && hasRecords);
  return { knobs, endsAfterMs: isCrashing ? 1_500 : undefined };
}
