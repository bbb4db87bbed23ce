// The 40 hex digits the server prints for a node id: a zero-padded hexadecimal number
// (docs/design/server.md#cluster-commands).

const decoder = new TextDecoder();

/** The id, or undefined when the bytes are not 36 zeros and 4 lower-case hex digits. */
export function parseNodeId(bytes: Uint8Array): number | undefined {
  const digits = /^0{36}([0-9a-f]{4})$/.exec(decoder.decode(bytes))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}
