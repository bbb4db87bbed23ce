// Reads the templates that are kept for a cluster: its ControllerRevisions, recognised by their owner.

import { clusterSelector, controllerOf, type MarekvsCluster, type NodeTemplate, selectorString } from '@marekvs/api';
import { hashOfRevision, templateOfRevision } from '@marekvs/operator/projections';
import { type ControllerRevision, controllerRevisions } from '@marekvs/runtime';
import type { Run } from '../../connection/cli.ts';
import { notFound } from '../../connection/errors.ts';

export interface Revision {
  /** Name of the ControllerRevision. */
  readonly name: string;
  /** The hash of the template, as in the name. */
  readonly hash: string;
  /** Its place in the order of templates. */
  readonly number: number;
  readonly created: string | undefined;
  /** Undefined when the contents do not match the hash in the name: somebody has altered them. */
  readonly template: NodeTemplate | undefined;
}

/** The newest first. */
export async function readRevisions(run: Run, { metadata }: MarekvsCluster): Promise<readonly Revision[]> {
  const { namespace, name, uid } = metadata;
  const labelSelector = selectorString(clusterSelector(name));
  const items = await run.list(controllerRevisions, { namespace, labelSelector });
  return items
    .filter((one) => controllerOf(one.metadata)?.uid === uid)
    .map(toRevision)
    .sort((a, b) => b.number - a.number);
}

function toRevision(object: ControllerRevision & { readonly metadata: { readonly name: string } }): Revision {
  const { metadata, revision } = object;
  return {
    name: metadata.name,
    hash: hashOfRevision(object),
    number: revision,
    created: metadata.creationTimestamp,
    template: templateOfRevision(object),
  };
}

const PLACE = /^\d{1,9}$/;

/** @param wanted its hash, its name, or its number
 *  @throws CliError when there is none */
export function namedRevision(
  { metadata: { namespace, name } }: MarekvsCluster,
  revisions: readonly Revision[],
  wanted: string,
): Revision {
  const found = revisions.find(
    (one) => one.hash === wanted || one.name === wanted || (PLACE.test(wanted) && one.number === Number(wanted)),
  );
  if (found !== undefined) return found;
  throw notFound(
    `${name} has no revision ${JSON.stringify(wanted)}`,
    `kubectl mkv rollout history ${name} -n ${namespace} lists them`,
  );
}
