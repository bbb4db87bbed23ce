// What the server in an image does otherwise than the one the world was made with. Pure; by the tag, as
// with images that are not there.

export interface ImageBehaviour {
  readonly knobs: Readonly<Record<string, unknown>>;
  /** Milliseconds after its start at which it ends by itself; undefined: it stays. */
  readonly endsAfterMs: number | undefined;
}

/** `…:crashing` ends soon after each start, `…:crashing-with-data` where its volume has records. `…:other-mesh` is of
 *  a version whose mesh messages the others do not understand, while gossip looks healthy
 *  (docs/design/server.md#hazards). `…:stuck` never gets beyond joining. */
export function behaviourOf(image: string, hasRecords: boolean): ImageBehaviour {
  const tag = image.slice(image.lastIndexOf(':') + 1);
  const knobs = {
    ...(tag === 'other-mesh' ? { meshVersionMismatch: true } : {}),
    ...(tag === 'stuck' ? { neverLeavesJoining: true } : {}),
  };
  const isCrashing = tag === 'crashing' || (tag === 'crashing-with-data' && hasRecords);
  return { knobs, endsAfterMs: isCrashing ? 1_500 : undefined };
}
