// Removes secrets from objects and logs. Names stay and values go: a report shows that a password is set, never which.
// Pure.

import { OWNED_ENV } from '@marekvs/api';

export const REDACTED = '[redacted]';
const SECRET_NAME = /pass(word|wd|phrase)?$|requirepass|token|secret|authorization|cookie|credential|privatekey|apikey/;
/** This annotation has a copy of the whole object, including values of environment variables. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** References by name say nothing secret. */
const REFERENCES: ReadonlySet<string> = new Set([
  'secretName',
  'secretKeyRef',
  'secretRef',
  'authSecretRef',
  'imagePullSecrets',
  'serviceAccountToken',
  'automountServiceAccountToken',
]);
/** Variables that the operator sets itself, except for the password, which is a reference anyway. */
const OPEN_ENV: ReadonlySet<string> = new Set(OWNED_ENV.filter((name) => name !== 'MAREKVS_REQUIREPASS'));

export function redactObject(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => (key === 'env' ? redactVariable(one) : redactObject(one, key)));
  if (typeof value === 'string') return isSecretName(key) ? REDACTED : redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, child]): [string, unknown][] => {
      if (name === 'managedFields' || name === LAST_APPLIED) return [];
      if (name === 'extraEnv' || name === 'env') return [[name, redactVariables(child)]];
      return [[name, redactObject(child, name)]];
    }),
  );
}

/** `extraEnv` and a template's `env` are maps, a container's `env` is a list. */
function redactVariables(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactVariable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.keys(value).map((name) => [name, REDACTED]));
}

function redactVariable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('name' in value)) return REDACTED;
  if (!('value' in value) || OPEN_ENV.has(String(value.name))) return value;
  return { ...value, value: REDACTED };
}

function isSecretName(name: string): boolean {
  return !REFERENCES.has(name) && SECRET_NAME.test(name.toLowerCase().replaceAll(/[-_.]/g, ''));
}

/** Passwords and tokens as they turn up in logs and messages. No pattern begins with a repetition: each would be tried
 *  again at every character of a long word, and a log can be of one word. */
export function redactText(text: string): string {
  return text
    .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`)
    .replaceAll(/(\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${REDACTED}@`)
    .replaceAll(/\b(auth|requirepass|masterauth)\s+("[^"]*"|'[^']*'|[^\s,;]+)/gi, `$1 ${REDACTED}`)
    .replaceAll(
      /((?:password|passwd|secret|token|requirepass)["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;}]+)/gi,
      `$1${REDACTED}`,
    );
}
