// What a replica notes on its own lease: by which rules it shares, and which generation it has acknowledged. Text that
// people can read, too.
import { MAX_REPLICAS, type Ordinal } from '../slots/assignment.ts';

export type ShareNote = (
  | {
      /** Takes the slots the register assigns to it, and has let go of those that generations up to this one took. */
      readonly kind: 'ring';
      readonly acknowledged: number;
    }
  | {
      /** Takes the slots that follow from its ordinal among `count` replicas. */
      readonly kind: 'static';
      readonly ordinal: Ordinal;
      readonly count: number;
    }
) & {
  /** Holds and takes no slots as long as this replica leads alone. */
  readonly yieldsTo?: string | undefined;
};

const YIELDS = ', yields to ';

export function formatShareNote(note: ShareNote): string {
  const rules = note.kind === 'ring' ? `ring ${note.acknowledged}` : `static ${note.ordinal}/${note.count}`;
  return note.yieldsTo === undefined ? rules : `${rules}${YIELDS}${note.yieldsTo}`;
}

/** Undefined when the text is not a valid note. */
export function parseShareNote(text: string | undefined): ShareNote | undefined {
  const [rules, yieldsTo, ...rest] = (text ?? '').split(YIELDS);
  const note = rest.length > 0 || yieldsTo === '' ? undefined : parseRules(rules ?? '');
  return note === undefined || yieldsTo === undefined ? note : { ...note, yieldsTo };
}

function parseRules(text: string): ShareNote | undefined {
  const ring = /^ring (\d{1,15})$/.exec(text);
  if (ring !== null) return { kind: 'ring', acknowledged: Number(ring[1]) };
  const fixed = /^static (\d{1,2})\/(\d{1,2})$/.exec(text);
  if (fixed === null) return undefined;
  const [ordinal, count] = [Number(fixed[1]), Number(fixed[2])];
  return ordinal < count && count <= MAX_REPLICAS ? { kind: 'static', ordinal, count } : undefined;
}
