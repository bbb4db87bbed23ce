// Images are not pulled here: one of this table runs the configured member, any other cannot be pulled. Pure.

/** What the local kubelet "has", by repository and tag. A misspelt image fails as on a real cluster; a test that needs
 *  another image adds it. */
const MEMBER_IMAGES: Readonly<Record<string, readonly string[]>> = {
  'ghcr.io/yannick/marekvs': ['latest', '0.1.0', 'latest-next', 'next', 'other'],
  'private.example/marekvs': ['one'],
  // Used by tests.
  marekvs: ['1', '2', 'next', 'old', 'one', 'other', 'test', 'two'],
};

/** Why the image cannot be pulled; undefined when it is there. A container that is no member runs in name only, with
 *  any image but the operator's: the Pods of an installed operator wait, and the operator runs as a process. */
export function whyMissing(image: string, isMember: boolean): string | undefined {
  const isThere = isMember ? isKnown(image) : !/(^|\/)marekvs-operator([:@]|$)/.test(image);
  if (isThere && !image.includes('does-not-exist')) return undefined;
  const known = isMember ? ` (the local kubelet has ${IMAGES.join(', ')})` : '';
  return `failed to pull and unpack image "${image}": not found${known}`;
}

const IMAGES: readonly string[] = Object.entries(MEMBER_IMAGES)
  .filter(([repository]) => repository.includes('ghcr'))
  .flatMap(([repository, tags]) => tags.map((tag) => `${repository}:${tag}`));

function isKnown(image: string): boolean {
  const [, repository = '', tag = 'latest'] = /^(.+?)(?::([^:/]+))?$/.exec(image) ?? [];
  const tags = Object.hasOwn(MEMBER_IMAGES, repository) ? MEMBER_IMAGES[repository] : undefined;
  return tags?.includes(tag) === true;
}
