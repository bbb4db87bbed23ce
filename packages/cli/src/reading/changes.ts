// Writes of the CLI: each carries the identity and version it was decided on, so that a change in between bounces.

import type { MarekvsCluster, MarekvsNode } from '@marekvs/api';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '@marekvs/operator/projections';
import type { Run } from '../cli.ts';

export async function patchSpec(
  run: Run,
  { metadata }: MarekvsCluster,
  spec: Readonly<Record<string, unknown>>,
): Promise<MarekvsCluster> {
  const { client } = await run.connect();
  const { namespace, name } = metadata;
  return client.patch(MAREKVS_CLUSTER, { namespace, name }, { spec }, metadata, { signal: run.ports.signal });
}

/** null takes an annotation off. */
export async function annotateNode(
  run: Run,
  { metadata }: MarekvsNode,
  annotations: Readonly<Record<string, string | null>>,
): Promise<MarekvsNode> {
  const { client } = await run.connect();
  const { namespace, name } = metadata;
  return client.patch(MAREKVS_NODE, { namespace, name }, { metadata: { annotations } }, metadata, {
    signal: run.ports.signal,
  });
}

/** Deletes the very object that was read, as it was read. */
export async function deleteNode(run: Run, { metadata }: MarekvsNode): Promise<void> {
  const { client } = await run.connect();
  const { namespace, name, uid, resourceVersion } = metadata;
  await client.delete(MAREKVS_NODE, { namespace, name }, { uid, resourceVersion }, { signal: run.ports.signal });
}
