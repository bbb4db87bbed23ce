// What keeps namespaces that come and go apart: nothing is done in a namespace that the operator does not manage yet,
// or no longer manages.

import type { Mutant } from '../edits/mutant.ts';

export const NAMESPACE_MUTANTS: readonly Mutant[] = [
  {
    name: 'namespaces/complete-first',
    edits: [
      {
        file: 'operator/src/namespaces/keeper.ts',
        text: "mayAct: (namespace) => entries.get(namespace)?.state === 'held',",
        replacement: 'mayAct: (namespace) => entries.has(namespace),',
      },
    ],
    caught: { scenario: 'namespace-handed-over', seed: 1, violation: /before its caches are complete/ },
    without: 'Passes begin in a namespace of which the caches show a part.',
  },
  {
    name: 'namespaces/write-fence',
    edits: [
      {
        file: 'operator/src/namespaces/write-fence.ts',
        text: 'if (isWrite && !mayAct(namespace))',
        replacement: 'if (!isWrite && !mayAct(namespace))',
      },
      {
        file: 'operator/src/namespaces/changing.ts',
        text: '          controller.abort(isIts, reason);',
        replacement: '          void reason;',
      },
    ],
    caught: { scenario: 'namespace-midway', seed: 1, violation: /into a namespace that it does not manage/ },
    without: 'What was still under way is written into a namespace that somebody else manages.',
    shared: 'A pass that was ended sends nothing more; what is sent beside passes meets the fence alone.',
  },
  {
    name: 'namespaces/rights-first',
    edits: [
      {
        file: 'operator/src/namespaces/namespace-life.ts',
        text: 'if (missing.length > 0) throw',
        replacement: 'if (missing.length < 0) throw',
      },
    ],
    caught: { scenario: 'namespace-rights', seed: 1, violation: /acted without rights/ },
    without: 'Passes begin in a namespace in which half of what they do is refused.',
  },
];
