// One line that tells how far something is: drawn over itself on a terminal, a line of its own per change where
// the output is not a terminal.

import type { Run } from '../connection/cli.ts';
import { fit, harmless } from '../screen/text.ts';

export interface LiveLine {
  /** @param text one line; the same text is not written again */
  show(text: string): void;
  /** Clears the line on a terminal, so that the answer stands alone. */
  end(): void;
}

/** The width of a terminal that does not tell it. */
const NARROW = 80;
const CLEAR_LINE = '\r\u001b[2K';

export function createLiveLine({ ports: { out }, isDocument: isSilent, print }: Run): LiveLine {
  let shown = '';
  return {
    show(text) {
      if (isSilent || text === shown) return;
      shown = text;
      // A line that wraps cannot be drawn over.
      if (out.isTty) out.write(`${CLEAR_LINE}${fit(harmless(text), (out.columns ?? NARROW) - 1)}`);
      else print([harmless(text)]);
    },
    end() {
      if (!isSilent && out.isTty && shown !== '') out.write(CLEAR_LINE);
      shown = '';
    },
  };
}
