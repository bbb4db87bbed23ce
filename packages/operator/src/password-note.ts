// The note on a MarekvsNode of passwords its member may want besides that of its template: Secrets and
// keys, no text of a password. Pure.

import { NO_PASSWORD, type PasswordSource, passwordSource, type SecretKeyRef, secretOfSource } from '@marekvs/planner';

/** As many changes of mind within the seconds that one takes; the earliest are forgotten. */
const MAX_NOTED = 8;

/** What the annotation says; nothing where it is none of ours. */
export function readNote(text: string | undefined): readonly PasswordSource[] {
  const sources = text?.split(',') ?? [];
  return sources.filter((source) => secretOfSource(source) !== undefined).slice(-MAX_NOTED);
}

/** The annotation with one more in it, without the one its template names; null takes it off. */
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
