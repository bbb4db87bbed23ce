// Images are not pulled here: any name runs the configured member. Some names stand for an image that cannot be pulled. Pure.

/** True for a name with `does-not-exist` in it, or the tag `missing`. */
export function isImageMissing(image: string): boolean {
  return image.includes('does-not-exist') || /:missing$/.test(image);
}
