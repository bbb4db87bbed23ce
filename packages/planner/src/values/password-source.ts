// Where the password of a member is stored. A password is identified by its Secret and key, never by its text. Pure.

/** `secret/key`, or `none`. Neither name can contain a slash, and a Secret without a key does not occur. */
export type PasswordSource = string;

/** For members that require no password. */
export const NO_PASSWORD: PasswordSource = 'none';

export interface SecretKeyRef {
  readonly name: string;
  readonly key: string;
}

export function passwordSource(ref: SecretKeyRef | undefined): PasswordSource {
  return ref === undefined ? NO_PASSWORD : `${ref.name}/${ref.key}`;
}

/** The Secret and its key; undefined of `none`. */
export function secretOfSource(source: PasswordSource): SecretKeyRef | undefined {
  const [name, key] = source.split('/');
  return name === undefined || key === undefined ? undefined : { name, key };
}
