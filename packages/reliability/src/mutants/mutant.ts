// A guard of the product taken out: the text that goes, what stands in its place, and the life in which that is seen.
// The product knows nothing of this; the change is made to the source as it is loaded (realm.ts).

/** One change of one file. */
export interface Edit {
  /** Below `packages/`. */
  readonly file: string;
  /** Must be there exactly once. */
  readonly text: string;
  readonly replacement: string;
}

/** One fence taken out of the row of a table of fences. */
export function withoutFence(fence: string, row: string, file: string): Edit {
  return { file, text: row, replacement: row.replace(new RegExp(`, ${fence}\\b|\\b${fence}(?:, )?`), '') };
}

/** A life that goes wrong without the guard, and well with it. */
export interface Catch {
  readonly scenario: string;
  readonly seed: number;
  /** What is found in it. */
  readonly violation: RegExp;
}

export interface Mutant {
  /** The guard that is missing, by its place: `preflight/floor`. */
  readonly name: string;
  /** One of them, or all that have to go before it is seen. */
  readonly edits: readonly Edit[];
  readonly caught: Catch;
  /** What goes wrong without the guard, one sentence. */
  readonly without: string;
  /** Several guards had to go: why one of them is enough, one sentence. */
  readonly shared?: string;
}

/** @throws Error when the text to be replaced is not there, or not once */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  return edits.reduce((text, edit) => {
    const [before, ...rest] = text.split(edit.text);
    if (before === undefined || rest.length !== 1)
      throw new Error(`${edit.file}: ${rest.length} times instead of once: ${edit.text}`);
    return `${before}${edit.replacement}${rest[0]}`;
  }, source);
}
