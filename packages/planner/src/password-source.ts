// Where the password of a member is: a password is known by its Secret and key, and never by its text. Pure.

/** `secret/key`, or `none`. Neither of the two names can have a slash in it, and no Secret without a key is meant by
 *  anything. */
export type PasswordSource = string;

/** Members that want none. */
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
