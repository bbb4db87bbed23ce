// Whether a kubelet can pull the image of a container, with its message. Pure. Two names stand for failures of a
// registry: the tag `missing` does not exist, and a registry `private.…` requires one of the Pod's pull secrets.

export interface PullRequest {
  readonly image: string;
  /** Undefined stands for the API server's default. */
  readonly policy: string | undefined;
  /** Whether it has been pulled to this host before. */
  readonly isPresent: boolean;
  /** Whether one of the Pod's pull secrets exists. */
  readonly hasSecret: boolean;
}

export interface PullProblem {
  readonly reason: 'InvalidImageName' | 'ErrImageNeverPull' | 'ErrImagePull' | 'ImagePullBackOff';
  readonly message: string;
}

const REFERENCE =
  /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?::\d+)?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;

/** Undefined when the container can be created. @param attempts number of failed attempts before */
export function pullProblem(
  { image, policy, isPresent, hasSecret }: PullRequest,
  attempts: number,
): PullProblem | undefined {
  if (!REFERENCE.test(image))
    return { reason: 'InvalidImageName', message: `couldn't parse image name "${image}": invalid reference format` };
  const effective = policy ?? (/:latest$|^[^:]*$/.test(image) ? 'Always' : 'IfNotPresent');
  if (effective !== 'Always' && isPresent) return undefined;
  if (effective === 'Never')
    return {
      reason: 'ErrImageNeverPull',
      message: `Container image "${image}" is not present with pull policy of Never`,
    };
  if (!image.endsWith(':missing') && (hasSecret || !image.startsWith('private.'))) return undefined;
  return attempts === 0
    ? { reason: 'ErrImagePull', message: `failed to pull image "${image}"` }
    : { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` };
}
