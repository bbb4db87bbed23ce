// Images are not pulled here: any name runs the configured member. Some names stand for an image that cannot be pulled. Pure.

/** True for a name with `does-not-exist` in it, the tag `missing`, and the operator's own image, which is no member's: the Pods of an
 *  installation wait, and the operator runs as a process beside them. */
export function isImageMissing(image: string): boolean {
  return image.includes('does-not-exist') || /:missing$/.test(image) || /(^|\/)marekvs-operator[:@]/.test(image);
}
