// Is this MarekvsNode one we act on? The static rules of its schema once more, for objects stored before a rule existed
// and for those a person edited by hand.

import { MESSAGES } from './messages.ts';
import { nodeName } from './names.ts';
import type { MarekvsNode } from './node.ts';
import { MAX_NODE_ID } from './placement.ts';
import {
  environmentProblems,
  type FieldProblem,
  isPositiveQuantity,
  podMetadataProblems,
  storageChangeProblems,
} from './static-rules.ts';

type NamedNode = Pick<MarekvsNode, 'spec'> & { readonly metadata: Pick<MarekvsNode['metadata'], 'name'> };

/** Every static rule the node breaks; with `old` also those about the change. Pure. */
export function validateNode(node: NamedNode, old?: NamedNode): readonly FieldProblem[] {
  const { spec } = node;
  const problems = [
    ...identity(node),
    ...environmentProblems('spec.template.env', spec.template?.env),
    ...podMetadataProblems('spec.template.podMetadata', spec.template?.podMetadata),
  ];
  if (!isPositiveQuantity(spec.storage?.size)) {
    problems.push({ path: 'spec.storage.size', message: MESSAGES.storageSize });
  }
  return old === undefined ? problems : [...problems, ...changes(node, old)];
}

function identity({ metadata, spec }: NamedNode): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!Number.isInteger(spec.nodeId) || spec.nodeId < 0 || spec.nodeId > MAX_NODE_ID) {
    problems.push({ path: 'spec.nodeId', message: MESSAGES.nodeIdRange });
  }
  if (metadata.name !== nodeName(spec.clusterName, spec.nodeId)) {
    problems.push({ path: 'metadata.name', message: MESSAGES.nodeName });
  }
  return problems;
}

function changes({ spec }: NamedNode, old: NamedNode): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (spec.clusterName !== old.spec.clusterName) {
    problems.push({ path: 'spec.clusterName', message: MESSAGES.nodeClusterName });
  }
  if (spec.nodeId !== old.spec.nodeId) problems.push({ path: 'spec.nodeId', message: MESSAGES.nodeIdImmutable });
  return [...problems, ...storageChangeProblems(spec.storage, old.spec.storage)];
}
