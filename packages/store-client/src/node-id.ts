// The 40 hex digits the server prints for a node id: a zero-padded hexadecimal number
// (docs/design/server.md#cluster-commands).

/** The id, or undefined when the bytes are not 36 zeros and 4 lower-case hex digits. */
export function parseNodeId(bytes: Uint8Array): number | undefined {
  if (bytes.length !== 40) return undefined;
  for (let i = 0; i < 36; i += 1) if (bytes[i] !== 0x30) return undefined;
  let id = 0;
  for (let i = 36; i < 40; i += 1) {
    const byte = bytes[i] ?? 0;
    const digit = byte >= 0x61 ? byte - 0x57 : byte - 0x30;
    if (digit < 0 || digit > 15 || (byte > 0x39 && byte < 0x61)) return undefined;
    id = id * 16 + digit;
  }
  return id;
}
