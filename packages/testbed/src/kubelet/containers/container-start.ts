// From a placed Pod to a running member, or why not yet: image, volumes, environment, process. In the real kubelet's
// order and with its messages.
import { join } from 'node:path';
import { ApiError } from '@marekvs/runtime';
import { loopbackOf } from '../network/addresses.ts';
import type { KubeletApi } from '../objects/kubelet-api.ts';
import type { Claim, Container, Pod } from '../objects/objects.ts';
import { toHostEnv } from '../runners/host-env.ts';
import type { MemberRunner, RunningMember } from '../runners/member-runner.ts';
import type { Volumes } from '../volumes/volumes.ts';
import { referencesOf, resolveEnv } from './container-env.ts';
import { whyMissing } from './image.ts';

export type StartOutcome =
  | { readonly kind: 'running'; readonly member: RunningMember }
  /** Not yet, and why. The worker tries again, for `ErrImagePull` after a growing pause, else after a short one. */
  | { readonly kind: 'waiting'; readonly reason: string; readonly message: string };

export interface ContainerStartOptions {
  readonly pod: Pod;
  readonly container: Container;
  readonly nodeName: string;
  readonly hostIp: string;
  readonly podIp: string;
  readonly attempt: number;
  readonly api: Pick<KubeletApi, 'readKeys'>;
  readonly volumes: Volumes;
  readonly runner: MemberRunner;
  findClaim(name: string): Claim | undefined;
  resolveName(name: string): readonly string[] | undefined;
}

export async function startContainer(options: ContainerStartOptions): Promise<StartOutcome> {
  const { pod, container } = options;
  const image = container.image ?? '';
  const missing = whyMissing(image, options.runner.kind !== 'pause' || isMember(container));
  if (missing !== undefined) return waiting('ErrImagePull', missing);
  const keys = await readReferences(options);
  const lookup = (kind: 'Secret' | 'ConfigMap', name: string): Readonly<Record<string, string>> | undefined =>
    keys.get(`${kind}/${name}`);
  try {
    const mounted = await options.volumes.mount(pod, options.findClaim, lookup);
    if (mounted.kind === 'missing') return waiting('ContainerCreating', mounted.message);
    const resolved = resolveEnv(pod, container, { ...options, lookup });
    if (resolved.kind === 'missing') return waiting('CreateContainerConfigError', resolved.message);
    const { podIp, resolveName } = options;
    const view = { podIp, loopbackIp: loopbackOf(podIp), mounts: mounted.mounts, resolveName };
    const folder = options.volumes.podFolder(pod);
    const member = await options.runner.start({
      id: `${pod.metadata.uid}/${options.attempt}`,
      name: `${pod.metadata.namespace}/${pod.metadata.name}`,
      env: toHostEnv(resolved.env, view, { resolveSeeds: options.runner.kind === 'program' }),
      folder,
      logPath: memberLog(folder),
    });
    return { kind: 'running', member };
  } catch (err) {
    // A full disk and a missing program both end here: the message says which.
    return waiting('RunContainerError', err instanceof Error ? err.message : String(err));
  }
}

/** All lives of a container write into one file. */
export function memberLog(podFolder: string): string {
  return join(podFolder, 'member.log');
}

/** A container with variables MAREKVS_* is a member; any other one runs in name only. */
export function isMember(container: Container): boolean {
  return (container.env ?? []).some(({ name }) => name.startsWith('MAREKVS_'));
}

function waiting(reason: string, message: string): StartOutcome {
  return { kind: 'waiting', reason, message };
}

/** Secrets and ConfigMaps that do not exist are left out: resolveEnv and mount have messages of their own. */
async function readReferences(
  options: ContainerStartOptions,
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const { pod, container, api } = options;
  const wanted = referencesOf(container);
  for (const volume of pod.spec.volumes ?? []) {
    if (volume.secret?.secretName !== undefined) wanted.push({ kind: 'Secret', name: volume.secret.secretName });
    if (volume.configMap?.name !== undefined) wanted.push({ kind: 'ConfigMap', name: volume.configMap.name });
  }
  const found = new Map<string, Readonly<Record<string, string>>>();
  await Promise.all(
    wanted.map(async ({ kind, name }) => {
      try {
        found.set(`${kind}/${name}`, await api.readKeys(kind, pod.metadata.namespace, name));
      } catch (err) {
        if (!(err instanceof ApiError && err.status === 404)) throw err;
      }
    }),
  );
  return found;
}
