// Patches the Pod of a node, which has the node's name. Each patch carries the version that was read.

import { type MergePatch, type Precondition, pods } from '@marekvs/runtime';
import { DONE, type StepOutcome } from '../../pass/fence.ts';
import type { NodeExecuteContext } from './execute-context.ts';

export async function patchPod(
  patch: MergePatch,
  version: Precondition,
  { scope, ports, signal }: NodeExecuteContext,
): Promise<StepOutcome> {
  const { namespace, name } = scope.node.metadata;
  ports.caches.pods.observe(await ports.client.patch(pods, { namespace, name }, patch, version, { signal }));
  return DONE;
}
