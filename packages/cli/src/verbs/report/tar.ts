// A tar archive (ustar) of small files, in memory. Pure.

const BLOCK = 512;

export interface ArchiveFile {
  /** At most 100 bytes, relative. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** @param mtimeSeconds of every file, so that the same content gives the same bytes */
export function tar(files: readonly ArchiveFile[], mtimeSeconds: number): Uint8Array {
  const blocks = files.flatMap(({ name, bytes }) => [
    header(name, bytes.length, mtimeSeconds),
    bytes,
    new Uint8Array((BLOCK - (bytes.length % BLOCK)) % BLOCK),
  ]);
  return Buffer.concat([...blocks, new Uint8Array(2 * BLOCK)]);
}

function header(name: string, size: number, mtimeSeconds: number): Uint8Array {
  if (Buffer.byteLength(name) > 100) throw new RangeError(`archive ${name}: the name is longer than 100 bytes`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  block.write(name, 0);
  block.write(octal(0o600, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(mtimeSeconds, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
