// What a kubelet needs before it can create a container: the image on the host, and every variable of the environment.

import type { Environment } from '../../member/settings/settings.ts';
import type { ApiObject } from '../api-server/api-object.ts';
import type { MemoryApiServer } from '../api-server/api-server.ts';
import { pullProblem } from './image-pull.ts';
import { containerOf, environmentOf, pullSecretsOf } from './pod-spec.ts';

export interface ContainerPlace {
  readonly host: string;
  readonly ip: string;
  /** Images present on hosts, as `host image`; pulled ones are added. */
  readonly images: Set<string>;
  readonly failedPulls: number;
  /** Holds the Secrets. */
  readonly server: Pick<MemoryApiServer, 'find'>;
}

export type Preparation =
  | { readonly kind: 'ready'; readonly env: Environment }
  | {
      readonly kind: 'wait';
      readonly waiting: { readonly reason: string; readonly message: string };
      readonly againMs: number;
      readonly isPull: boolean;
    };

const FIRST_PULL_PAUSE_MS = 10_000;
const LONGEST_PULL_PAUSE_MS = 300_000;
const CONFIG_PAUSE_MS = 2_000;

export function prepareContainer(pod: ApiObject, place: ContainerPlace): Preparation {
  const { host, ip, images, failedPulls, server } = place;
  const { namespace } = pod.metadata;
  const secretOf = (name: string) =>
    (server.find('secrets', { namespace, name }) as { readonly data?: Readonly<Record<string, string>> } | undefined)
      ?.data;
  const { image = '', imagePullPolicy: policy } = containerOf(pod);
  const key = `${host} ${image}`;
  const hasSecret = pullSecretsOf(pod).some((name) => secretOf(name) !== undefined);
  const problem = pullProblem({ image, policy, isPresent: images.has(key), hasSecret }, failedPulls);
  if (problem !== undefined) {
    const againMs = Math.min(LONGEST_PULL_PAUSE_MS, FIRST_PULL_PAUSE_MS * 2 ** failedPulls);
    return { kind: 'wait', waiting: problem, againMs, isPull: true };
  }
  images.add(key);
  const env = environmentOf(pod, ip, secretOf);
  if (env !== undefined) return { kind: 'ready', env };
  const waiting = { reason: 'CreateContainerConfigError', message: 'a secret or one of its keys is missing' };
  return { kind: 'wait', waiting, againMs: CONFIG_PAUSE_MS, isPull: false };
}
