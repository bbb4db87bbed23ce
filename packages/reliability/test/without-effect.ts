// Guards whose absence no life can show, each with the reason. A guard in this list either could be removed from the
// product, or exists only for a better message.

export interface WithoutEffect {
  /** The name of a check, or the sentence with which it refuses. */
  readonly guard: string;
  readonly why: string;
}

export const WITHOUT_EFFECT: readonly WithoutEffect[] = [
  {
    guard: 'preflight/volumesKept',
    why: 'A node whose volume is lost is the candidate itself, before all that still have theirs.',
  },
  {
    guard: 'evidence/noPrimaries',
    why: 'A member that still shows the target with primaries shows another list than the rest, which viewsAgree asks, and clients have their grace only from the moment when all show the same.',
  },
  { guard: 'there is no proof', why: 'departureHold asks for a proof before it asks what is wrong with it.' },
];
