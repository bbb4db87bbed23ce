// What a replica notes on its own lease: in which mode it shares, and which generation of the register it has
// acknowledged. Text that people can read, too.

export interface ShareNote {
  /** For people: in both modes a replica takes the slots that the register gives it. */
  readonly mode: 'ring' | 'static';
  /** It has let go of the slots that generations up to this one took from it. */
  readonly acknowledged: number;
  /** Holds and takes no slots as long as this replica leads alone. */
  readonly yieldsTo?: string | undefined;
}

const YIELDS = ', yields to ';

export function formatShareNote({ mode, acknowledged, yieldsTo }: ShareNote): string {
  return `${mode} ${acknowledged}${yieldsTo === undefined ? '' : `${YIELDS}${yieldsTo}`}`;
}

/** Undefined when the text is not a valid note. */
export function parseShareNote(text: string | undefined): ShareNote | undefined {
  const [rules, yieldsTo, ...rest] = (text ?? '').split(YIELDS);
  const [, mode, acknowledged] = /^(ring|static) (\d{1,15})$/.exec(rules ?? '') ?? [];
  if (mode === undefined || rest.length > 0 || yieldsTo === '') return undefined;
  return { mode: mode === 'ring' ? 'ring' : 'static', acknowledged: Number(acknowledged), yieldsTo };
}
