// The evidence of a removal, check by check, as a person reads it. Pure.

import type { RemovalProof } from '@marekvs/api';
import type { Look } from './look.ts';
import { table } from './table.ts';
import { since } from './time.ts';

export function proofLines(title: string, proof: RemovalProof, look: Look): readonly string[] {
  const audited = proof.audited ? 'with test keys' : 'without test keys';
  const members = Object.keys(proof.generations ?? {}).sort((a, b) => Number(a) - Number(b));
  return [
    '',
    look.paint('bold', `${title}: ${proof.tier}, ${audited}, ${since(proof.at, look.nowMs)} ago`),
    `  at ${proof.at}, ${proof.flatRounds ?? 'no'} quiet rounds, members ${members.join(', ') || 'unknown'}, topology ${proof.topologyHash.slice(0, 12)}`,
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
      { width: look.width, paint: look.paint },
    ),
  ];
}
