// Maps work to slots. Fixed for ever: a label on stored objects has the slot, and replicas of all versions must agree.

/** Few enough to be listed one by one, enough to be shared evenly among dozens. */
export const SLOTS = 256;

/** 0 to 255, the same everywhere and always. The names of a fleet differ in their last characters, which FNV-1a alone
 *  would leave out of its top bits; the finalizer of murmur3 spreads them. */
export function slotOf(text: string): number {
  return hash32(text) >>> 24;
}

/** FNV-1a of 32 bits over the UTF-16 units, finished as murmur3 does. Not secret, and no protection against deliberate
 *  collisions. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
