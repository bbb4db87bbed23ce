// Permits the isolated member to be restarted with its door closed, and writes down what its next Pods have to run:
// what its present one runs, of which nothing is left once that is gone. A template that has changed since reaches a
// member in its turn and not here, and a tag that has moved brings no other build into the cluster.

import { type NodeTemplate, OWNED_ENV } from '@marekvs/api';
import type { Pod } from '@marekvs/runtime';
import { memberFirst } from '../../caches/member-first.ts';
import type { Live } from '../../pass/fence.ts';
import type { ExecuteContext } from './execute-context.ts';
import { stampedPatch, templateInCache, templateOf } from './execute-revision.ts';
import type { StepOf } from './fence-subjects.ts';
import { marked, type NodePatch, withSpec } from './node-patch.ts';

/** The patch of the node; undefined when what it would rest on is not known. */
export function sealPatch(
  { node, pod, generation, operationId }: StepOf<'sealNode'>,
  { pod: live }: Live,
  context: ExecuteContext,
): NodePatch | undefined {
  const present = templateInCache(node, context);
  if (live === undefined || present === undefined) return undefined;
  const ran = { podUID: pod.uid, generation, image: resolvedImage(live), hostName: live.spec?.nodeName };
  const patch = withSpec(marked(operationId, false, 'Sealed'), { ran });
  if (pod.templateHash === node.templateHash) return patch;
  const known = pod.templateHash === undefined ? undefined : templateOf(pod.templateHash, context);
  return stampedPatch(node, known ?? templateOfPod(live, present), patch, context);
}

/** What a Pod runs that was made from no template of ours, or from one that is not kept any more. What concerns only
 *  where it may run is that of the present template. */
function templateOfPod(pod: Pod, present: NodeTemplate): NodeTemplate {
  const [container] = memberFirst(pod).spec?.containers ?? [];
  const env = new Map((container?.env ?? []).map(({ name, value }) => [name, value]));
  const count = (name: string, otherwise: number) => Number(env.get(name) ?? otherwise);
  const { requests = {} } = container?.resources ?? {};
  const extra = [...env].filter(([name, value]) => value !== undefined && !OWNED_ENV.includes(name));
  const { env: _other, ...placed } = present;
  return {
    ...placed,
    image: container?.image ?? present.image,
    replicationFactor: count('MAREKVS_REPLICAS_N', present.replicationFactor),
    gcGraceSeconds: count('MAREKVS_GC_GRACE_SECS', present.gcGraceSeconds),
    clusterIdentity: env.get('MAREKVS_CLUSTER') ?? present.clusterIdentity,
    resources: {
      cpu: String(requests.cpu ?? present.resources.cpu),
      memory: String(requests.memory ?? present.resources.memory),
    },
    ...(extra.length === 0 ? {} : { env: Object.fromEntries(extra) as Record<string, string> }),
  };
}

/** The image of the running container by its digest, where the host reports one of the same repository. Some report the
 *  id of an image that no registry knows, or a name of their own for one that was loaded by hand. */
export function resolvedImage(pod: Pod): string {
  const [container] = memberFirst(pod).spec?.containers ?? [];
  const { name, image: asked = '' } = container ?? {};
  const shown = pod.status?.containerStatuses?.find((one) => one.name === name);
  const reported = (shown?.imageID ?? '').replace(/^docker-pullable:\/\//, '');
  const isByDigest = /^[^@\s]+@sha256:[0-9a-f]{64}$/.test(reported);
  return isByDigest && repositoryOf(reported) === repositoryOf(asked) ? reported : asked;
}

/** The full name of the repository: `redis:8` is `docker.io/library/redis`. */
function repositoryOf(image: string): string {
  const [name = ''] = image.split('@');
  const path = name.replace(/:[^:/]*$/, '');
  const [host = '', ...rest] = path.split('/');
  if (rest.length === 0) return `docker.io/library/${path}`;
  return /[.:]/.test(host) || host === 'localhost' ? path : `docker.io/${path}`;
}
