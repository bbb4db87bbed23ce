// Answers: is the value of a Secret's key a password that a member can be started with? Pure. No answer contains the
// value, except as the password itself.

export type SecretKey =
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid'; readonly why: string };

/** Linux starts no process with a variable of more than 128 KiB, including its name and the final NUL. */
const MAX_BYTES = 128 * 1024 - 'MAREKVS_REQUIREPASS='.length - 1;

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A password is a variable of the member's environment, and is used unchanged: blanks and a final line break count. */
export function passwordOfKey(data: Readonly<Record<string, string>> | undefined, key: string): SecretKey {
  const bytes = Buffer.from(data?.[key] ?? '', 'base64');
  if (bytes.length === 0) return { kind: 'missing' };
  if (bytes.length > MAX_BYTES)
    return { kind: 'invalid', why: `has ${bytes.length} bytes, and an environment variable no more than ${MAX_BYTES}` };
  if (bytes.includes(0)) return { kind: 'invalid', why: 'has a NUL byte, which no environment variable can have' };
  try {
    return { kind: 'password', password: UTF_8.decode(bytes) };
  } catch {
    return { kind: 'invalid', why: 'is not valid UTF-8, which an environment variable has to be' };
  }
}
