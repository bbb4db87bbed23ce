// The keys under which members store records, as texts of one character a byte. They are users' data, like all keys.

/** Longer lists of arguments can exceed the stack. */
const PIECE = 4096;

export function keyText(key: Uint8Array): string {
  if (key.length <= PIECE) return String.fromCharCode(...key);
  let text = '';
  for (let from = 0; from < key.length; from += PIECE) text += String.fromCharCode(...key.subarray(from, from + PIECE));
  return text;
}

/** Partition u16, kind u8, length of the user's key (LEB128), the user's key; then what tells apart the records of one
 *  key. */
const HEAD_LENGTH = 3;

/** The user's key of a part of a collection; the whole text when it is none. */
export function userKeyOf(text: string): string {
  let length = 0;
  for (let at = HEAD_LENGTH; at < Math.min(text.length, HEAD_LENGTH + 5); at += 1) {
    const byte = text.charCodeAt(at);
    length += (byte & 0x7f) * 0x80 ** (at - HEAD_LENGTH);
    if (byte < 0x80) return at + 1 + length <= text.length ? text.slice(at + 1, at + 1 + length) : text;
  }
  return text;
}
