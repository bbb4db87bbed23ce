// Makes any value fit for a log line: no secrets, no cycles, bounded in depth, length and number.

const REDACTED = '[redacted]';
/** Matched against field names without case and separators. */
const SECRET_NAME =
  /pass(word|wd|phrase)?$|requirepass|token|secret|authorization|cookie|credential|privatekey|apikey|keydata|clientkey|kubeconfig/;
const MAX_DEPTH = 5;
const MAX_STRING = 4096;
const MAX_ITEMS = 64;

/** A copy of the fields in which every value of a secret-sounding name is replaced, bearer tokens and passwords in URLs
 *  are cut out of strings, errors become `{ name, message, stack, … }`. */
export function redact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactObject(fields, 0, new Set());
}

function redactObject(value: object, depth: number, above: Set<object>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  let count = 0;
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    if (count++ === MAX_ITEMS) {
      result['…'] = 'more fields left out';
      break;
    }
    result[name] = isSecretName(name) ? REDACTED : redactValue(field, depth + 1, above);
  }
  return result;
}

function redactValue(value: unknown, depth: number, above: Set<object>): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH || above.has(value)) return '[…]';
  above.add(value);
  const result = redactStructure(value, depth, above);
  above.delete(value);
  return result;
}

function redactStructure(value: object, depth: number, above: Set<object>): unknown {
  if (value instanceof Error) return redactError(value, depth, above);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => redactValue(item, depth + 1, above));
  if (value instanceof Map || value instanceof Set) return `[${value.constructor.name} of ${value.size}]`;
  return redactObject(value, depth, above);
}

function redactError(error: Error, depth: number, above: Set<object>): Record<string, unknown> {
  const own = redactObject(error, depth, above);
  const cause = error.cause === undefined ? {} : { cause: redactValue(error.cause, depth + 1, above) };
  const stack = error.stack === undefined ? {} : { stack: redactText(error.stack) };
  return { ...own, name: error.name, message: redactText(error.message), ...stack, ...cause };
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.toLowerCase().replaceAll(/[-_.]/g, ''));
}

function redactText(text: string): string {
  const cut = text.length > MAX_STRING ? `${text.slice(0, MAX_STRING)}…` : text;
  return cut
    .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`)
    .replaceAll(/(\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${REDACTED}@`);
}
