// What begins first, in docs/design/contract.md, from the list that the planner goes through. The rest of that page is
// written by hand.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { STARTERS } from '@marekvs/operator/reference';
import { table } from '../text/markdown.ts';

const PAGE = fileURLToPath(new URL('../../../../docs/design/contract.md', import.meta.url));
const GENERATED = /(?<=<!-- Generated from \S+\/rows\/starters.ts .*-->\n\n)[\s\S]*?(?=\n\n)/;

/** The page with the present list. */
export function contractPage(): string {
  const rows = STARTERS.map(({ what, why }, index) => [`${index + 1}`, what, `${why}.`]);
  return readFileSync(PAGE, 'utf8').replace(GENERATED, () =>
    table(['order', 'what begins', 'why at this place'], rows),
  );
}
