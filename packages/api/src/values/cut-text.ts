// Cuts texts for fields that the API server limits. Pure.

/** The first characters, at most `max` UTF-16 units, and never half a character: the API server would store another
 *  one instead, and the text would differ from the stored one for ever. */
export function cutText(text: string, max: number): string {
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(max - 1)) && text.length > max;
  return text.slice(0, isSplit ? max - 1 : max);
}

/** At most `max` UTF-16 units, the last of which is an ellipsis if something was cut off. */
export function shortened(text: string, max: number): string {
  return text.length > max ? `${cutText(text, max - 1)}…` : text;
}
