// The write fences (docs/design/runtime.md#write-fences): without one of them a late request from before another
// operator took over is applied. W5, that effects on members are checked again afterwards, is covered by every check of
// evidence.ts.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are quoted from the source.

import type { Mutant } from '../edits/mutant.ts';

const CLIENT = 'runtime/src/client/client.ts';

export const FENCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'fence/create-of-another',
    edits: [
      {
        file: 'operator/src/cluster/steps/name-taken.ts',
        text: '  if (isNodeOf(node, cluster.metadata)) return DONE;\n',
        replacement: '  if (node.kind !== cluster.kind) return DONE;\n',
      },
    ],
    caught: { scenario: 'name-taken', seed: 1, violation: /^wait for NameTaken is said/ },
    without: 'W1: what somebody else has made under the name passes for ours, and nobody says why no member comes.',
  },
  {
    name: 'fence/update-of-this-version',
    edits: [
      {
        file: CLIENT,
        text: '  return { ...patch, metadata: { ...metadata, uid, resourceVersion } };',
        replacement: '  return { ...patch, metadata: { ...metadata, uid } };',
      },
    ],
    caught: { scenario: 'late-update', seed: 1, violation: /^demo-3 is told to leave by a request from before/ },
    without: 'W2: a patch that was long under way is applied to what others have made of the object since.',
  },
  {
    name: 'fence/delete-of-this-uid',
    edits: [
      {
        file: CLIENT,
        text: '        preconditions: { uid, resourceVersion },\n',
        replacement: '        preconditions: { resourceVersion },\n',
      },
    ],
    caught: { scenario: 'late-end', seed: 1, violation: /^delete pods demo-\d: it names no UID/ },
    without: 'W3: a DELETE that was long under way ends what has the name by now.',
  },
  {
    name: 'fence/operation-of-this-version',
    edits: [
      {
        file: CLIENT,
        text: "body: withType(kind, object), subresource: 'status' });",
        replacement:
          "body: withType(kind, { ...object, metadata: { ...object.metadata, resourceVersion: undefined } }), subresource: 'status' });",
      },
    ],
    caught: { scenario: 'late-claim', seed: 1, violation: /^a removal is claimed by a request from before/ },
    without: 'W4: the record of an operation that nobody wants any more comes back.',
  },
];
