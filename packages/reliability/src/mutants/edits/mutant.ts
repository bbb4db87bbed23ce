// A product without one guard: the text to remove, its replacement, and the life that shows the difference. The product
// knows nothing of this; the source is changed as it is loaded (realm.ts).

/** One change of one file. */
export interface Edit {
  /** Below `packages/`. */
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly text: string;
  readonly replacement: string;
}

/** Removes one fence from a row of a fence table. */
export function withoutFence(fence: string, row: string, file: string): Edit {
  return { file, text: row, replacement: row.replace(new RegExp(`, ${fence}\\b|\\b${fence}(?:, )?`), '') };
}

/** A life that fails without the guard and passes with it. */
export interface Catch {
  readonly scenario: string;
  readonly seed: number;
  /** Matches the violation that is found. */
  readonly violation: RegExp;
}

export interface Mutant {
  /** The missing guard, named by its place: `preflight/floor`. */
  readonly name: string;
  /** Usually one; several when all of them have to go before the life fails. */
  readonly edits: readonly Edit[];
  readonly caught: Catch;
  /** What goes wrong without the guard, one sentence. */
  readonly without: string;
  /** If several guards had to go: why one of them is enough, one sentence. */
  readonly shared?: string;
}

/** @throws Error when the text to be replaced does not occur exactly once */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  return edits.reduce((text, edit) => {
    const [before, ...rest] = text.split(edit.text);
    if (before === undefined || rest.length !== 1)
      throw new Error(`${edit.file}: ${rest.length} times instead of once: ${edit.text}`);
    return `${before}${edit.replacement}${rest[0]}`;
  }, source);
}
