// What keeps a copied node, or an edited owner reference, from counting for anybody.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are quoted from the source.

import type { Mutant } from '../edits/mutant.ts';

const OWNERSHIP = 'api/src/objects/ownership.ts';
const INDEXES = 'operator/src/caches/indexes.ts';

export const STRANGER_MUTANTS: readonly Mutant[] = [
  {
    name: 'strangers/namespace',
    edits: [
      {
        file: INDEXES,
        text: '  return `${namespace}/${name}/${uid}`;\n',
        replacement: '  return namespace === name ? name : uid;\n',
      },
    ],
    caught: { scenario: 'copied', seed: 1, violation: /^wait for its Pod is back/ },
    without: 'A copy in another namespace is one of the nodes of the cluster that it names.',
  },
  {
    name: 'strangers/cluster-name',
    edits: [
      {
        file: OWNERSHIP,
        text: '  if (name !== spec.clusterName) return',
        replacement: '  if (name === spec.clusterName && name === "") return',
      },
      {
        file: OWNERSHIP,
        text: '  const own = nodeName(spec.clusterName, spec.nodeId);\n',
        replacement: '  const own = metadata.name;\n',
      },
    ],
    caught: { scenario: 'copied', seed: 1, violation: /^wait for the copy is called foreign/ },
    without: 'A copy with another spec.clusterName is one of the nodes of the cluster that it names.',
    shared: 'A copy has another name, too, which alone tells it apart.',
  },
  {
    name: 'strangers/controller',
    edits: [
      {
        file: OWNERSHIP,
        text: '  if (controller !== true) return',
        replacement: '  if (controller === true && name === "") return',
      },
    ],
    caught: { scenario: 'owner-edited', seed: 2, violation: /all nodes are wanted/ },
    without: 'A node counts for a cluster that does not control it.',
  },
  {
    name: 'strangers/older-than-its-cluster',
    edits: [
      {
        file: OWNERSHIP,
        text: '  return Date.parse(node.metadata.creationTimestamp) < Date.parse(cluster.metadata.creationTimestamp);\n',
        replacement: '  return node.metadata !== cluster.metadata;\n',
      },
    ],
    caught: { scenario: 'owner-of-nobody', seed: 1, violation: /more is said of a foreign node/ },
    without: 'A live member is ended without proof, since its edited reference names a cluster that is not there.',
  },
  {
    name: 'strangers/keeps-its-pod',
    edits: [
      {
        file: 'planner/src/node/node-plan.ts',
        text: '  if (o.node.isDeleting && ownPod(o) === undefined)\n',
        replacement: '  if (o.node.isDeleting)\n',
      },
      {
        file: 'operator/src/node/steps/fences.ts',
        text: '    rightBefore: [hasOurFinalizer, podIsGone, nodeIsForeign],\n',
        replacement: '    rightBefore: [hasOurFinalizer, nodeIsForeign],\n',
      },
    ],
    caught: { scenario: 'owner-of-nobody', seed: 1, violation: /a foreign node is let go while its Pod is there/ },
    without: 'A node that was deleted while its reference was wrong goes, and its Pod with it.',
    shared: 'The Pod is looked for in the cache, and once more live.',
  },
  {
    name: 'strangers/nothing-else-is-said',
    edits: [
      {
        file: 'operator/src/node/status.ts',
        text: "  if (scope.observation.parent === 'foreign') return foreignStatus(scope, plan);\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'copied', seed: 1, violation: /more is said of a foreign node/ },
    without: 'The status of a node that is of no cluster says what nobody has asked.',
  },
];
