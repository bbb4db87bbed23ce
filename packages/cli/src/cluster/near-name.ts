// Answers: which of these names was probably meant? Pure, except for `nextAfter`, where a failed list counts as empty.

/** One wrong character or swap of neighbours is allowed for each `every` characters, and `most` in all. */
const SLIPS = { every: 4, most: 3 } as const;

/** The only name that begins with what was typed, or else the closest within the allowed slips. Undefined rather than a
 *  guess between numbers: demo-7 is no slip for demo-1. */
export function nearName(typed: string, names: readonly string[]): string | undefined {
  const longer = names.filter((name) => name.startsWith(typed));
  if (longer.length === 1) return longer[0];
  const allowed = Math.min(SLIPS.most, Math.floor(typed.length / SLIPS.every));
  const close = names
    .filter((name) => !differsInNumberOnly(typed, name))
    .map((name) => ({ name, slips: slipsBetween(typed, name) }))
    .filter(({ slips }) => slips <= allowed)
    .sort((a, b) => a.slips - b.slips);
  return close[0]?.name;
}

/** The next step after a name that does not exist: what was probably meant, and where to find it. */
export async function nextAfter(
  typed: string,
  list: () => Promise<readonly string[]>,
  context: string,
): Promise<string> {
  const near = nearName(typed, await list().catch(() => []));
  return near === undefined ? context : `did you mean ${near}? ${context}`;
}

function differsInNumberOnly(a: string, b: string): boolean {
  const stem = (name: string) => name.replace(/\d+$/, '');
  return a !== b && stem(a) === stem(b) && stem(a) !== a;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one into the other. */
function slipsBetween(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (above[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (above[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, above] = [above, row];
  }
  return above[b.length] ?? 0;
}
