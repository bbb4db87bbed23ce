// The first page of the reference: which page has what.

import { page, table } from '../text/markdown.ts';

const PAGES: readonly (readonly [string, string])[] = [
  ['[MarekvsCluster](marekvscluster.md)', 'every field of a cluster: type, default, limits, meaning, first version'],
  ['[MarekvsNode](marekvsnode.md)', 'every field of a node'],
  ['[conditions](conditions.md)', 'what each condition means when it is True and when it is False'],
  [
    '[errors and reasons](../errors.md)',
    'a paragraph on each reason: what happens meanwhile, what ends it, what to type',
  ],
  ['[events](events.md)', 'every event and when it is written'],
  ['[labels, annotations, finalizers](labels-and-annotations.md)', 'where they are and who sets them'],
  ['[flags](flags.md)', 'flags and environment of the operator, exit codes'],
  ['[metrics](metrics.md)', 'every metric, its labels and their values, how many series there can be'],
  ['[alerts](alerts.md)', 'what to do when one fires; the only page here that is written by hand'],
];

export function contentsPage(): string {
  return page({
    title: 'Reference',
    source: 'packages/reference',
    blocks: [
      'Generated from the code: the schemas, the catalogue of reasons, the flags and the metrics registry of the operator. `npm run check` fails if a page and the code differ.',
      table(['page', 'what it has'], PAGES),
    ],
  });
}
