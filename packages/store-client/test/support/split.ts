// Cuts bytes anywhere, to test that splits do not matter.
import fc from 'fast-check';

/** `bytes` cut at arbitrary places into copies, empty pieces included. */
export function splitsOf(bytes: Uint8Array): fc.Arbitrary<Uint8Array[]> {
  return fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 12 }).map((cuts) => {
    const borders = [0, ...cuts.sort((a, b) => a - b), bytes.length];
    return borders.slice(1).map((border, i) => bytes.slice(borders[i], border));
  });
}

export function singleBytes(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte));
}
