// Gives a running Pod other resources, and then notes that on the Pod. The API server does not let one write do both.

import { ANNOTATIONS } from '@marekvs/api';
import { hold, isAskedFor, type NodeStep } from '@marekvs/planner';
import { ApiError, isNotFound, type KubeClient } from '@marekvs/runtime';
import { refusalOf } from '../../api-server/write-refusal.ts';
import { toPodView } from '../../caches/pod-view.ts';
import { CONTAINER, containerResources } from '../../objects/pod.ts';
import { blocked, DONE, STALE, type StepOutcome } from '../../pass/fence.ts';
import type { NodeExecuteContext } from './execute-context.ts';
import { patchPod } from './patch-pod.ts';

type StepOf<K extends NodeStep['kind']> = Extract<NodeStep, { readonly kind: K }>;

export async function resizePod(
  { pod, resources }: StepOf<'resizePod'>,
  { scope, ports, signal }: NodeExecuteContext,
): Promise<StepOutcome> {
  const ref = { namespace: scope.node.metadata.namespace, name: pod.name };
  const containers = [{ name: CONTAINER, resources: containerResources(resources) }];
  let answer: Awaited<ReturnType<KubeClient['resizePod']>>;
  try {
    answer = await ports.client.resizePod(ref, containers, pod, { signal });
  } catch (error) {
    const why = refusalText(error);
    // A missing Pod is seen by the next pass.
    if (why === undefined && isNotFound(error)) return STALE;
    if (why === undefined) throw error;
    return blocked(hold('ResizeImpossible', why));
  }
  ports.caches.pods.observe(answer);
  if (isAskedFor(toPodView(answer).resources, resources)) return DONE;
  return blocked(
    hold(
      'ResizeImpossible',
      `the resources requested for Pod ${pod.name} were changed on their way into the API server`,
    ),
  );
}

/** Why a resize was refused, by a rule, a quota or a server without it: another try would fail as well. Undefined for
 *  other errors. */
function refusalText(error: unknown): string | undefined {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return refusal.message;
  return error instanceof ApiError && error.status === 405 ? error.message : undefined;
}

export function noteResized(
  { pod, revision, operationId }: StepOf<'noteResized'>,
  context: NodeExecuteContext,
): Promise<StepOutcome> {
  const annotations = { [ANNOTATIONS.templateHash]: revision, [ANNOTATIONS.resized]: operationId };
  return patchPod({ metadata: { annotations } }, pod, context);
}
