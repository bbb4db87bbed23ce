// Writes of the CLI. Each carries the identity and version that it was decided on, so that a change in between makes it
// fail. It is repeated with the present version only if everything it was decided on is still the same (the operator
// wrote a status meanwhile).

import type { MarekvsCluster, MarekvsNode } from '@marekvs/api';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '@marekvs/operator/projections';
import { isConflict, type Kind } from '@marekvs/runtime';
import type { Run } from '../connection/cli.ts';

/** The operator may write a status every second or so; three conflicts in a row come from somebody else. */
const ATTEMPTS = 3;

export function patchSpec(run: Run, cluster: MarekvsCluster, spec: Readonly<Record<string, unknown>>): Promise<void> {
  return patch(run, MAREKVS_CLUSTER, cluster, { spec });
}

/** Spec and annotations in one write. */
export interface ClusterChange {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly annotations?: Annotations;
}

export function patchCluster(run: Run, cluster: MarekvsCluster, change: ClusterChange): Promise<void> {
  return patch(run, MAREKVS_CLUSTER, cluster, patchOf(change));
}

/** The cluster as the API server would store it, with defaults and rules applied. Nothing is stored. */
export async function tryCluster(run: Run, cluster: MarekvsCluster, change: ClusterChange): Promise<MarekvsCluster> {
  const { client } = await run.connect();
  const { signal } = run.ports;
  let tried = cluster;
  await onUnchanged(run, MAREKVS_CLUSTER, cluster, async ({ metadata }) => {
    tried = await client.patch(MAREKVS_CLUSTER, metadata, patchOf(change), metadata, { signal, dryRun: true });
  });
  return tried;
}

function patchOf({ spec, annotations }: ClusterChange): Readonly<Record<string, unknown>> {
  return annotations === undefined ? { spec } : { spec, metadata: { annotations } };
}

/** New values of annotations; null removes one. */
type Annotations = Readonly<Record<string, string | null>>;

export function annotateCluster(run: Run, cluster: MarekvsCluster, annotations: Annotations): Promise<void> {
  return patch(run, MAREKVS_CLUSTER, cluster, { metadata: { annotations } });
}

export function annotateNode(run: Run, node: MarekvsNode, annotations: Annotations): Promise<void> {
  return patch(run, MAREKVS_NODE, node, { metadata: { annotations } });
}

async function patch<T extends MarekvsCluster | MarekvsNode>(
  run: Run,
  kind: Kind<T>,
  decidedOn: T,
  change: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { client } = await run.connect();
  const { signal } = run.ports;
  await onUnchanged(run, kind, decidedOn, ({ metadata }) =>
    client.patch(kind, metadata, change, metadata, { signal, dryRun: run.isDryRun }),
  );
}

/** Deletes the very object that was read. */
export async function deleteNode(run: Run, node: MarekvsNode): Promise<void> {
  const { client } = await run.connect();
  const { signal } = run.ports;
  await onUnchanged(run, MAREKVS_NODE, node, ({ metadata: { namespace, name, uid, resourceVersion } }) =>
    client.delete(MAREKVS_NODE, { namespace, name }, { uid, resourceVersion }, { signal, dryRun: run.isDryRun }),
  );
}

async function onUnchanged<T extends MarekvsCluster | MarekvsNode>(
  run: Run,
  kind: Kind<T>,
  decidedOn: T,
  write: (object: T) => Promise<unknown>,
): Promise<void> {
  const { client } = await run.connect();
  let object = decidedOn;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await write(object);
      return;
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
      const { namespace, name } = decidedOn.metadata;
      const now = await client.get(kind, { namespace, name }, { signal: run.ports.signal });
      if (wish(now) !== wish(decidedOn)) throw error;
      object = now;
    }
  }
}

/** What a decision depends on, except for the status: identity, spec, annotations, and whether it is being deleted. */
function wish({ metadata }: MarekvsCluster | MarekvsNode): string {
  const { uid, generation, deletionTimestamp, annotations } = metadata;
  return JSON.stringify([uid, generation, deletionTimestamp, annotations]);
}
