// Guards whose absence no life can show, each with the reason. What stands here is a candidate for being taken out of
// the product, or is there only for a better message.

export interface WithoutEffect {
  /** Name of a check, or the sentence with which it refuses. */
  readonly guard: string;
  readonly why: string;
}

export const WITHOUT_EFFECT: readonly WithoutEffect[] = [
  {
    guard: 'preflight/volumesKept',
    why: 'A node whose volume is lost is the candidate itself, before all that still have theirs.',
  },
  { guard: 'there is no proof', why: 'departureHold asks for a proof before it asks what is wrong with it.' },
];
