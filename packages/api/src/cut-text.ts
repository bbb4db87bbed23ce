// Cuts texts for fields of limited length.

/** The first characters. Half of a pair of surrogates, which a cut may leave, is replaced as the API server replaces it:
 *  otherwise what is stored would differ from what is wanted for ever. */
export function cutText(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}
