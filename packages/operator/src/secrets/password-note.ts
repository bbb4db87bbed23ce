// The note on a MarekvsNode of passwords that its member may require besides that of its template: Secrets and keys,
// never the text of a password. Pure.

import { NO_PASSWORD, type PasswordSource, passwordSource, type SecretKeyRef, secretOfSource } from '@marekvs/planner';

/** Room for so many changes within the seconds that one takes; the oldest are dropped. */
const MAX_NOTED = 8;

/** The sources in the annotation; invalid ones are ignored. */
export function readNote(text: string | undefined): readonly PasswordSource[] {
  const sources = text?.split(',') ?? [];
  return sources.filter((source) => secretOfSource(source) !== undefined).slice(-MAX_NOTED);
}

/** The annotation with one more source, and without that of the template; null removes the annotation. */
export function notedSources(
  noted: readonly PasswordSource[] = [],
  added: SecretKeyRef | undefined,
  template: SecretKeyRef | undefined,
): string | null {
  const known = new Set([...noted, passwordSource(added)]);
  known.delete(NO_PASSWORD);
  known.delete(passwordSource(template));
  return known.size === 0 ? null : [...known].slice(-MAX_NOTED).join();
}
