// Numbers as the mesh encodes them (LEB128): seven bits a byte, lowest first, in the shortest form, which is unique.

/** Appends a number of up to 64 bits. @throws RangeError for any other */
export function writeNumber(bytes: number[], value: bigint): void {
  if (value < 0n || value > 0xffff_ffff_ffff_ffffn) throw new RangeError(`${value}: not a number of 64 bits`);
  let rest = value;
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
}

/** A number as a piece of a digest: one character for each byte. */
export function numberPiece(value: bigint): string {
  const bytes: number[] = [];
  writeNumber(bytes, value);
  return String.fromCharCode(...bytes);
}
