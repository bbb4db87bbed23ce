// The evidence of a removal, check by check, as a person reads it. Pure.

import type { RemovalProof } from '@marekvs/api';
import { table } from '../../screen/table.ts';
import { type RenderContext, sentence, since } from '../../screen/text.ts';
import { count } from '../../verification/screen.ts';

export function proofLines(title: string, proof: RemovalProof, context: RenderContext): readonly string[] {
  return [
    '',
    context.paint('bold', `${title}: ${since(proof.at, context.nowMs)} ago`),
    ...sentence(figures(proof), context),
    ...table(
      [
        { head: '  CHECK', cell: ({ name }) => `  ${name}` },
        {
          head: 'PASSED',
          cell: ({ passed }) => (passed ? 'yes' : 'NO'),
          colour: ({ passed }) => (passed ? 'green' : 'red'),
        },
        { head: 'SEEN', cell: ({ value }) => value ?? '', least: 10 },
      ],
      proof.inputs ?? [],
      context,
    ),
  ];
}

/** What was compared, when, and which members took part. */
function figures({ at, coveredAt, partitions, records, generations = {}, topologyHash }: RemovalProof): string {
  const members = Object.keys(generations).sort((a, b) => Number(a) - Number(b));
  const compared = partitions === undefined ? 'nothing compared' : `${count(partitions)} partitions compared`;
  return [
    `at ${at}`,
    compared,
    ...(records === undefined ? [] : [`about ${count(records)} records`]),
    ...(coveredAt === undefined ? [] : [`all of ${coveredAt} is on every other home`]),
    `members ${members.join(', ') || 'unknown'}`,
    `topology ${topologyHash.slice(0, 12)}`,
  ].join(', ');
}
