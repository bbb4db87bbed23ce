// Whether a MarekvsNode may be acted on: the static rules of its schema again, for objects stored before a rule existed
// and for those a person edited by hand.

import { MAX_NODE_ID } from '../members/placement.ts';
import { nodeName } from '../names/names.ts';
import type { MarekvsNode } from '../objects/node.ts';
import { MESSAGES } from '../rules/messages.ts';
import {
  broken,
  environmentProblems,
  type FieldProblem,
  isPositiveQuantity,
  podMetadataProblems,
  storageChangeProblems,
} from './static-rules.ts';

type NamedNode = Pick<MarekvsNode, 'spec'> & { readonly metadata: Pick<MarekvsNode['metadata'], 'name'> };

/** Every static rule the node breaks; with `old` also those about the change. Pure. */
export function validateNode({ metadata, spec }: NamedNode, old?: NamedNode): readonly FieldProblem[] {
  const isId = Number.isInteger(spec.nodeId) && spec.nodeId >= 0 && spec.nodeId <= MAX_NODE_ID;
  const problems = [
    ...broken([
      ['spec.nodeId', MESSAGES.nodeIdRange, !isId],
      ['metadata.name', MESSAGES.nodeName, metadata.name !== nodeName(spec.clusterName, spec.nodeId)],
    ]),
    ...environmentProblems('spec.template.env', spec.template?.env),
    ...podMetadataProblems('spec.template.podMetadata', spec.template?.podMetadata),
    ...broken([['spec.storage.size', MESSAGES.storageSize, !isPositiveQuantity(spec.storage?.size)]]),
  ];
  if (old === undefined) return problems;
  return [
    ...problems,
    ...broken([
      ['spec.clusterName', MESSAGES.nodeClusterName, spec.clusterName !== old.spec.clusterName],
      ['spec.nodeId', MESSAGES.nodeIdImmutable, spec.nodeId !== old.spec.nodeId],
    ]),
    ...storageChangeProblems(spec.storage, old.spec.storage),
  ];
}
