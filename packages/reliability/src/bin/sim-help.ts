// What `npm run sim -- --help` prints.

import { UNIT_KINDS } from '../run/units.ts';

export function helpText(): string {
  const units = UNIT_KINDS.filter(({ isPart }) => !isPart);
  const parts = UNIT_KINDS.filter(({ isPart }) => isPart).map(({ name }) => name);
  const width = Math.max(...units.map(({ name }) => name.length));
  return `Runs whole lives of clusters on virtual time and tries to make the operator lose data.

  npm run sim -- [--scenario <name>] [--seeds <n>] [--from <seed>] [--jobs <n>] [--path <path>]
                 [--json] [--transcript | --lines] [--record]
  npm run sim -- --mutant <guard> [--scenario <name>] [--seeds <n>] [--from <seed>] …
  npm run sim -- --mutants [--jobs <n>]
  npm run sim -- --golden

  --scenario    one of those below, all (without the crashes, the fields and single cases), or time-travel (those that
                end so); default mixed
  --seeds       how many seeds of each; default 10
  --from        the first of them; default 1
  --jobs        processes at once; default one per core
  --path        of one generated life that was violated: only the smaller plan it names
  --json        one object instead of text
  --transcript  the story of each seed: what was done, written and said, and who died
  --lines       every line of the transcript instead
  --record      the figures go into docs/reliability.json; then npm run generate writes docs/reliability.md
  --mutant      with this guard of the product taken out; alone: in the life that is known to show it
  --mutants     every guard taken out, one after the other: which life shows it, and what is found there
  --golden      writes the reviewed stories in packages/reliability/test/transcripts anew, and nothing else

Ends with 1 when anything was violated, and names the seed that shows it again. With --mutants, when a missing guard is not seen.

${units.map(({ name, story }) => `  ${name.padEnd(width)}  ${story}`).join('\n')}

Single cases of these: ${parts.join(', ')}
`;
}
