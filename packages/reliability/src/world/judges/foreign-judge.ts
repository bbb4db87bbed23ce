// Does an operator leave alone what is not of the cluster that it names? On a foreign node it may write that it is
// foreign, and let it go once it is deleted and has no Pod. Nothing is made or ended for one.

import { isDeepStrictEqual } from 'node:util';
import { FINALIZERS, type MarekvsNode, type MarekvsNodeStatus } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import { CLAIMS, CLUSTERS, NODES, type WorldView } from '../cluster/world-view.ts';
import type { WriteCall } from '../operator/memory-transport.ts';
import { effectOf, type WriteEffect } from '../operator/write-effect.ts';

/** What is wrong with a write, just before it is carried out. */
export function foreignProblem(view: WorldView, write: WriteCall): string | undefined {
  const effect = effectOf(write, view.kube.server);
  if (effect === undefined) return undefined;
  const node = aboutNode(view, write, effect);
  if (node === undefined || !isForeign(view, node)) return undefined;
  const why = effect.resource === NODES ? nodeProblem(view, node, effect) : otherProblem(effect);
  return why === undefined ? undefined : `${write.verb} ${write.resource} ${write.namespace}/${write.name}: ${why}`;
}

/** The node that a write is about: itself, or by the name of its Pod or volume. */
function aboutNode(view: WorldView, { namespace = '' }: WriteCall, { resource, name }: WriteEffect) {
  const of = resource === CLAIMS ? name.replace(/^data-/, '') : name;
  if (resource !== NODES && resource !== CLAIMS && resource !== 'pods') return undefined;
  return view.kube.server.find(NODES, { namespace, name: of }) as (ApiObject & MarekvsNode) | undefined;
}

/** It names a cluster that is there and is not its own: by its UID, or as the one of that name from which it cannot be
 *  left over, since it is younger. */
function isForeign(view: WorldView, node: MarekvsNode): boolean {
  const named = (node.metadata.ownerReferences ?? [])
    .filter(({ kind }) => kind === 'MarekvsCluster')
    .map(({ uid }) => uid);
  if (named.length === 0 || view.clusterOf(node) !== undefined) return false;
  const bornMs = Date.parse(node.metadata.creationTimestamp);
  return view.kube.server.list(CLUSTERS).some(({ metadata }) => {
    const isOfItsName = metadata.namespace === node.metadata.namespace && metadata.name === node.spec.clusterName;
    return named.includes(metadata.uid) || (isOfItsName && Date.parse(metadata.creationTimestamp ?? '') <= bornMs);
  });
}

function nodeProblem(view: WorldView, node: MarekvsNode, { verb, isStatus, body }: WriteEffect): string | undefined {
  if (verb === 'delete') return 'it is foreign, and whoever copied it has not asked for that';
  if (isStatus)
    return isDeepStrictEqual(lasting(body.status), lasting(node.status)) ? undefined : 'more is said of a foreign node';
  const { finalizers } = body.metadata ?? {};
  const isRelease = finalizers !== undefined && !finalizers.includes(FINALIZERS.memberSafeRemoval);
  if (!isRelease || body.spec !== undefined) return 'a foreign node is changed';
  if (node.metadata.deletionTimestamp === undefined) return 'a foreign node loses its protection while it stays';
  const pod = view.kube.server.find('pods', { namespace: node.metadata.namespace, name: node.metadata.name });
  const isOwn = pod?.metadata.ownerReferences?.some(({ uid }) => uid === node.metadata.uid) === true;
  return isOwn ? 'a foreign node is let go while its Pod is there' : undefined;
}

/** A Pod may be marked as one of its labels was taken off; nothing is made, changed or ended otherwise. */
function otherProblem({ verb }: WriteEffect): string {
  return `it is ${verb === 'create' ? 'made' : verb === 'delete' ? 'ended' : 'changed'} for a foreign node`;
}

/** The status without what says that the node is foreign. */
function lasting(status: unknown): unknown {
  const { conditions, reasonTimes, observedGeneration, ...rest } = (status ?? {}) as MarekvsNodeStatus;
  return { ...rest, conditions: (conditions ?? []).filter(({ type }) => type !== 'Ready') };
}
